import Glibc
import SafelightGLES
import SafelightImage
import TestSupport
import Testing

/// Invented machines, so that results do not depend on the one that runs the tests.
@Suite struct DeviceSelectionTests {
  /// Two GPUs, the first listed by two drivers and as a node, Mesa's software device in the middle, surfaceless last.
  static let workstation = [
    DeviceCandidate(
      index: 0, platform: .device, name: "NVIDIA GPU", node: "/dev/dri/renderD128", pciAddress: "0000:41:00.0",
      cudaIndex: 1),
    DeviceCandidate(
      index: 1, platform: .device, name: "GPU", node: "/dev/dri/renderD128", pciAddress: "0000:41:00.0",
      duplicateOf: 0),
    DeviceCandidate(index: 2, platform: .device, name: "Mesa's software device", isSoftware: true),
    DeviceCandidate(
      index: 3, platform: .device, name: "NVIDIA GPU", node: "/dev/dri/renderD129", pciAddress: "0000:c1:00.0",
      cudaIndex: 0),
    DeviceCandidate(
      index: 4, platform: .gbm, name: "GBM", node: "/dev/dri/renderD128", pciAddress: "0000:41:00.0", duplicateOf: 0),
    DeviceCandidate(index: 5, platform: .gbm, name: "GBM", node: "/dev/dri/renderD130", pciAddress: "0000:e1:00.0"),
    DeviceCandidate(index: 6, platform: .surfaceless, name: "Mesa's choice"),
  ]
  /// A server without a GPU.
  static let server = [
    DeviceCandidate(index: 0, platform: .device, name: "Mesa's software device", isSoftware: true),
    DeviceCandidate(index: 1, platform: .surfaceless, name: "Mesa's choice"),
  ]

  private func order(
    _ selector: DeviceSelector, on machine: [DeviceCandidate] = workstation, platform: DevicePlatform = .auto
  ) throws -> [Int] { try DeviceSelection.order(machine, selector: selector, platform: platform).map(\.index) }

  /// Further entries of a GPU come after all first ones and before software, as the first may not work.
  @Test func autoTriesGPUsThenNodesThenOtherEntriesThenSoftwareThenMesasChoice() throws {
    #expect(try order(.auto) == [0, 3, 5, 1, 4, 2, 6])
    #expect(try order(.auto, on: Self.server) == [0, 1])
  }

  @Test func autoDoesNotDependOnTheOrderOfTheList() throws {
    #expect(try order(.auto, on: Self.workstation.reversed()) == [0, 3, 5, 1, 4, 2, 6])
  }

  @Test(arguments: [
    // Never a listed software device, and never a listed GPU.
    (DeviceSelector.hardware, DevicePlatform.auto, [0, 3, 5, 1, 4, 6]), (.software, .auto, [2, 4, 5, 6]),
    // All ways to a GPU and nothing else.
    (.node("/dev/dri/renderD128"), .auto, [0, 1, 4]), (.node("/dev/dri/renderD130"), .auto, [5]),
    (.pci("0000:c1:00.0"), .auto, [3]), (.pci("0000:C1:00.0"), .auto, [3]), (.pci("0000:41:00.0"), .auto, [0, 1, 4]),
    // A CUDA number is not a place in the list.
    (.cuda(0), .auto, [3]), (.cuda(1), .auto, [0]),
    // A platform restricts every selector.
    (.auto, .device, [0, 3, 1, 2]), (.auto, .surfaceless, [6]), (.software, .device, [2]),
    (.node("/dev/dri/renderD128"), .gbm, [4]),
    // The node of a GPU that the device platform also lists is then the only way to that GPU.
    (.auto, .gbm, [5, 4]), (.hardware, .gbm, [5, 4]), (.software, .gbm, [4, 5]),
  ])
  func aSelectorMeansItsDevicesInOrder(
    _ selector: DeviceSelector, _ platform: DevicePlatform, _ indices: [Int]
  ) throws {
    #expect(try order(selector, platform: platform) == indices)
  }

  /// It may hide a GPU, so it is checked after opening.
  @Test func theSurfacelessDisplayMayBeEither() throws {
    #expect(try order(.hardware, on: Self.server) == [1])
    #expect(try order(.software, on: Self.server) == [0, 1])
  }

  @Test(arguments: 0..<7)
  func anIndexMeansThatEntryAlone(_ index: Int) throws { #expect(try order(.index(index)) == [index]) }

  @Test func anotherPlatformsDeviceIsNotMeant() {
    #expect(throws: SafelightError.self) { try order(.index(0), platform: .gbm) }
    #expect(throws: SafelightError.self) { try order(.cuda(0), platform: .surfaceless) }
  }

  @Test(arguments: [
    DeviceSelector.index(7), .index(-1), .node("/dev/dri/renderD12"), .node("/dev/dri/card0"), .pci("0000:41:00.1"),
    .cuda(2), .cpu,
  ])
  func anExplicitSelectorNeverYieldsAnotherDevice(_ selector: DeviceSelector) {
    expectError(.environment, what: .containing(selector.description)) { try order(selector) }
  }

  @Test func theRefusalNamesEveryCandidate() {
    let error = #expect(throws: SafelightError.self) { try order(.index(9), platform: .gbm) }
    #expect(error?.what == "no device matches index:9 on platform gbm")
    for part in [
      "0: NVIDIA GPU (device, /dev/dri/renderD128)", "2: Mesa's software device (device)",
      "6: Mesa's choice (surfaceless)",
    ] {
      #expect(error?.why.contains(part) == true, "\(part) is missing")
    }
    #expect(error?.remedy != nil)
  }

  @Test func aMachineWithoutDevicesSaysSo() {
    expectError(why: "EGL lists no device") { try order(.auto, on: []) }
    let software = [Self.server[0]]
    expectError(
      why: .containing("0: Mesa's software device (device)"), remedy: .containing("use the device 'software'")
    ) { try order(.hardware, on: software) }
  }
}

@Suite struct DeviceSelectorTests {
  @Test(arguments: [
    ("auto", DeviceSelector.auto), ("hardware", .hardware), ("software", .software), ("cpu", .cpu),
    ("index:0", .index(0)),
    ("index:12", .index(12)), ("cuda:3", .cuda(3)), ("node:/dev/dri/renderD128", .node("/dev/dri/renderD128")),
    ("node:/dev/dri/by-path/pci-0000:41:00.0-render", .node("/dev/dri/by-path/pci-0000:41:00.0-render")),
    ("pci:0000:41:00.0", .pci("0000:41:00.0")),
  ])
  func textAndValueMeanTheSame(_ text: String, _ selector: DeviceSelector) throws {
    #expect(try DeviceSelector(parsing: text) == selector)
    #expect(selector.description == text)
    #expect(try DeviceSelector(parsing: selector.description) == selector)
  }

  @Test func addressesAreReadInEitherCase() throws {
    #expect(try DeviceSelector(parsing: "pci:0000:C1:00.0") == .pci("0000:c1:00.0"))
  }

  @Test(arguments: [
    "", ":", "gpu", "Auto", " auto", "auto ", "auto:", "cpu:0", "hardware:1", "software:", "index", "index:", "index:x",
    "index:-1", "index:1.5", "index: 1", "index:0x10", "index:99999999999999999999", "cuda:", "cuda:-2", "node",
    "node:",
    "node:renderD128", "pci", "pci:", "0", "/dev/dri/renderD128",
  ])
  func anythingElseIsRefusedWithTheForms(_ text: String) {
    let error = #expect(throws: SafelightError.self) { try DeviceSelector(parsing: text) }
    #expect(error?.kind == .usage)
    #expect(error?.what == "device '\(text)'")
    for form in ["auto", "hardware", "software", "cpu", "index:N", "node:/", "pci:", "cuda:N"] {
      #expect(error?.remedy?.contains(form) == true, "the remedy for '\(text)' lacks \(form)")
    }
  }

  @Test func platformsHaveNames() {
    #expect(DevicePlatform.allCases.map(\.rawValue) == ["auto", "device", "gbm", "surfaceless"])
  }
}

/// All entries of a device have one number.
@Suite struct RegistryIDTests {
  /// A character device stands for a GPU here: `/dev/null` is 1:3 on every Linux (admin-guide/devices.txt).
  @Test func theNodesNumberComesFirst() {
    let uuid = (0..<16).map { UInt8($0) }
    let first = DeviceCandidate(index: 0, platform: .device, name: "GPU", node: "/dev/null", uuid: uuid)
    let second = DeviceCandidate(index: 3, platform: .gbm, name: "GBM", node: "/dev/null")
    #expect(first.registryID == 0x103)
    #expect(second.registryID == first.registryID)
    #expect(DeviceCandidate(index: 1, platform: .gbm, name: "GBM", node: "/dev/zero").registryID == 0x105)
  }

  @Test(arguments: [nil, "/dev/dri/no such node", "/tmp"])
  func elseTheDriversOwn(_ node: String?) {
    let uuid: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8]
    let candidate = DeviceCandidate(index: 0, platform: .device, name: "GPU", node: node, uuid: uuid)
    #expect(candidate.registryID == 0x1234_5678_9abc_def0)
  }

  @Test func aSoftwareRendererWithoutANodeHasNone() {
    #expect(DeviceCandidate(index: 0, platform: .surfaceless, name: "Mesa's choice").registryID == 0)
  }
}
