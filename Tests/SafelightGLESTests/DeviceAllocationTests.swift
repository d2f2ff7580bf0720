import SafelightGLES
import SafelightImage
import TestSupport
import Testing

/// Invented machines of schedulers.
@Suite struct DeviceAllocationTests {
  typealias GPU = DeviceAllocation.NVIDIAGPU

  private static func information(_ minor: Int, _ address: String) -> String {
    """
    Model: \t\t NVIDIA H100 80GB HBM3
    IRQ:   \t\t 52
    GPU UUID: \t GPU-\(minor)a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809
    Bus Type: \t PCIe
    Bus Location: \t \(address)
    Device Minor: \t \(minor)
    GPU Excluded:\t No

    """
  }

  /// Four GPUs whose numbers are not in the order of their addresses.
  static let gpus = [(0, "0000:41:00.0"), (1, "0000:C1:00.0"), (2, "0000:21:00.0"), (3, "0000:E1:00.0")]
    .compactMap { GPU(information: information($0, $1)) }

  private static func uuid(_ minor: Int) -> [UInt8] {
    [UInt8(minor << 4 | 10), 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 0x09]
  }

  /// How EGL lists the four: by PCI address if their nodes can be opened, else by UUID alone; then a chip of the board,
  /// software, and Mesa's choice.
  static func machine(byUUID: Bool = false) -> [DeviceCandidate] {
    let nvidia = gpus.enumerated().map { number, gpu in
      DeviceCandidate(
        index: number, platform: .device, name: "NVIDIA GPU",
        node: byUUID ? nil : "/dev/dri/renderD\(129 + number)", pciAddress: byUUID ? nil : gpu.pciAddress,
        cudaIndex: number, uuid: byUUID ? uuid(gpu.minor ?? 0) : nil)
    }
    return nvidia + [
      DeviceCandidate(
        index: 4, platform: .device, name: "GPU", node: "/dev/dri/renderD128", pciAddress: "0000:05:00.0"),
      DeviceCandidate(index: 5, platform: .device, name: "Mesa's software device", isSoftware: true),
      DeviceCandidate(index: 6, platform: .surfaceless, name: "Mesa's choice"),
    ]
  }

  private func order(
    _ environment: [String: String], _ selector: DeviceSelector = .auto, on machine: [DeviceCandidate] = machine(),
    gpus: [GPU] = gpus
  ) throws -> [Int] {
    let allocation = DeviceAllocation(environment: environment, gpus: gpus)
    return try DeviceSelection.order(machine, selector: selector, platform: .auto, allocation: allocation).map(\.index)
  }

  @Test func theDriversFileIsRead() {
    #expect(Self.gpus.map(\.minor) == [0, 1, 2, 3] && Self.gpus[1].pciAddress == "0000:c1:00.0")
    #expect(Self.gpus[2].uuid == "2a2b3c4d5e6f708192a3b4c5d6e7f809")
    #expect(GPU(information: "Model: something\n") == nil)
  }

  @Test func withoutVariablesNothingChanges() throws {
    #expect(DeviceAllocation(environment: [:], gpus: Self.gpus) == nil)
    #expect(try order([:]) == [0, 1, 2, 3, 4, 5, 6])
  }

  /// GPUs of others are left out; those that nobody gives away come later.
  @Test(arguments: [false, true]) func slurmNamesDeviceFiles(_ byUUID: Bool) throws {
    let machine = Self.machine(byUUID: byUUID)
    #expect(try order(["SLURM_JOB_GPUS": "2"], on: machine) == [2, 4, 5, 6])
    #expect(try order(["SLURM_JOB_GPUS": "1,3"], on: machine) == [1, 3, 4, 5, 6])
    #expect(try order(["SLURM_JOB_GPUS": "1,3", "SLURM_STEP_GPUS": "3"], on: machine) == [3, 4, 5, 6])
    #expect(try order(["SLURM_JOB_GPUS": "2"], .hardware, on: machine) == [2, 4, 6])
  }

  /// In a control group CUDA's 0 is the first of Slurm's; without one it is the number itself.
  @Test func slurmAndCUDATogether() throws {
    let own = Self.gpus.filter { $0.minor == 1 || $0.minor == 3 }
    #expect(try order(["SLURM_JOB_GPUS": "2", "CUDA_VISIBLE_DEVICES": "0"]) == [2, 4, 5, 6])
    #expect(try order(["SLURM_STEP_GPUS": "1,3", "CUDA_VISIBLE_DEVICES": "1"], gpus: own) == [3, 4, 5, 6])
    #expect(try order(["SLURM_STEP_GPUS": "1,3", "CUDA_VISIBLE_DEVICES": "1"]) == [1, 4, 5, 6])
    #expect(try order(["SLURM_STEP_GPUS": "1,3", "CUDA_VISIBLE_DEVICES": "3"]) == [3, 4, 5, 6])
    #expect(try order(["SLURM_STEP_GPUS": "1,3", "CUDA_VISIBLE_DEVICES": "GPU-3a2b-"]) == [3, 4, 5, 6])
  }

  @Test(arguments: [false, true]) func cudaCountsByAddress(_ byUUID: Bool) throws {
    let machine = Self.machine(byUUID: byUUID)
    // By address: 21, 41, c1, e1.
    #expect(try order(["CUDA_VISIBLE_DEVICES": "0"], on: machine) == [2, 4, 5, 6])
    #expect(try order(["CUDA_VISIBLE_DEVICES": "3, 2"], on: machine) == [1, 3, 4, 5, 6])
    #expect(try order(["CUDA_VISIBLE_DEVICES": "1,-1,0"], on: machine) == [0, 4, 5, 6])
    #expect(
      try order(["CUDA_VISIBLE_DEVICES": "GPU-3a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809"], on: machine) == [3, 4, 5, 6])
    #expect(try order(["CUDA_VISIBLE_DEVICES": "GPU-1a2b-"], on: machine) == [1, 4, 5, 6])
  }

  /// Where the driver's files cannot be read, EGL's own numbers and UUIDs serve.
  @Test func withoutTheDriversFiles() throws {
    #expect(try order(["CUDA_VISIBLE_DEVICES": "2"], gpus: []) == [2, 4, 5, 6])
    let uuid = ["CUDA_VISIBLE_DEVICES": "GPU-3a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809"]
    #expect(try order(uuid, on: Self.machine(byUUID: true), gpus: []) == [3, 4, 5, 6])
  }

  @Test func otherMakersGPUsAreNamedByTheirNodes() throws {
    let machine = [128, 129, 130].enumerated().map { number, node in
      DeviceCandidate(index: number, platform: .device, name: "GPU", node: "/dev/dri/renderD\(node)")
    }
    #expect(try order(["SLURM_JOB_GPUS": "129"], on: machine, gpus: []) == [1])
  }

  @Test(arguments: ["", "-1", "NoDevFiles"]) func aJobMayHaveNone(_ value: String) throws {
    #expect(try order(["CUDA_VISIBLE_DEVICES": value]) == [4, 5, 6])
    let nvidia = Array(Self.machine().prefix(4))
    expectError(why: .containing("CUDA_VISIBLE_DEVICES=\(value)")) {
      try order(["CUDA_VISIBLE_DEVICES": value], .hardware, on: nvidia)
    }
  }

  @Test func aNamedDeviceIsOpenedWhoeverItBelongsTo() throws {
    #expect(try order(["SLURM_JOB_GPUS": "2"], .index(0)) == [0])
    #expect(try order(["SLURM_JOB_GPUS": "2"], .pci("0000:41:00.0")) == [0])
  }

  /// In MIG mode, or if EGL tells nothing of its devices, none can be recognized: all are tried, and that is told.
  @Test(arguments: [["SLURM_JOB_GPUS": "7"], ["CUDA_VISIBLE_DEVICES": "MIG-0001-2"]])
  func whatIsNotRecognizedIsTold(_ environment: [String: String]) throws {
    #expect(try order(environment) == [0, 1, 2, 3, 4, 5, 6])
    let allocation = try #require(DeviceAllocation(environment: environment, gpus: Self.gpus))
    #expect(allocation.warning(Self.machine())?.contains("none of the devices is known to be that GPU") == true)
    // One GPU that is listed is the one that was given.
    #expect(allocation.warning(Array(Self.machine().suffix(3))) == nil)
    #expect(DeviceAllocation(environment: ["SLURM_JOB_GPUS": "2"], gpus: Self.gpus)?.warning(Self.machine()) == nil)
  }

  /// One entry of each GPU, whatever lists it again.
  @Test func distinctDevices() {
    func indices(_ candidates: [DeviceCandidate]) -> [Int] { DeviceSelection.distinct(candidates).map(\.index) }
    #expect(indices(DeviceSelectionTests.workstation) == [0, 2, 3, 5])
    #expect(indices(Array(DeviceSelectionTests.workstation.dropFirst())) == [1, 2, 3, 5])
    #expect(indices(Array(DeviceSelectionTests.workstation.suffix(1))) == [6])
    let twins = [0, 1].map {
      DeviceCandidate(index: $0, platform: .device, name: "GPU", uuid: [1, 2], eglDeviceIndex: $0)
    }
    #expect(indices(twins) == [0])
  }
}
