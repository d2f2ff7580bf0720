internal import Glibc
internal import SafelightImage
internal import SafelightMachine

/// The GPUs that a scheduler has given to this process, as Slurm and CUDA name them in the environment.
///
/// EGL lists every GPU that the process may open, and the first is often another job's. A pure value: tests make it of
/// invented machines.
package struct DeviceAllocation: Sendable {
  /// An NVIDIA GPU as its kernel driver lists it, in `/proc/driver/nvidia/gpus`.
  package struct NVIDIAGPU: Hashable, Sendable {
    /// The number in `/dev/nvidia0`, by which Slurm names it.
    package let minor: Int?
    /// The UUID in hexadecimal digits alone.
    package let uuid: String?
    /// The PCI address, such as `0000:41:00.0`.
    package let pciAddress: String

    /// Reads the text of a GPU's file `information`; nil if it names no address.
    package init?(information text: String) {
      func value(_ key: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(key):") }
        return line.map { $0.dropFirst(key.count + 1).filter { !$0.isWhitespace }.lowercased() }
      }
      guard let address = value("Bus Location") else { return nil }
      pciAddress = address
      minor = value("Device Minor").flatMap { Int($0) }
      uuid = value("GPU UUID").map(Self.digits)
    }

    /// Returns `GPU-6f6f…` as digits alone.
    fileprivate static func digits(_ uuid: String) -> String {
      String(uuid.lowercased().dropFirst(uuid.lowercased().hasPrefix("gpu-") ? 4 : 0).filter { $0 != "-" })
    }
  }

  /// A way to recognize a GPU among the candidates.
  private enum Handle {
    case gpu(NVIDIAGPU)
    case node(String)
    /// The first digits of a UUID, which CUDA takes too.
    case uuid(String)
    case cudaIndex(Int)
    /// A number for which the driver lists no GPU.
    case unknown
  }

  /// The variable and its value, for messages.
  package let origin: String
  private let handles: [Handle]
  private let gpus: [NVIDIAGPU]

  /// Reads the variables of `environment` in a process that may open `gpus`; nil if none is set.
  ///
  /// UUIDs are exact. Slurm's numbers are those of the device files. CUDA's are places among the GPUs that the process
  /// may open, in the order of their addresses. If both are set and CUDA names fewer, as for one of several tasks,
  /// CUDA's numbers are places in Slurm's list if the process may open no other GPUs, else Slurm's own numbers: then
  /// Slurm does not restrict devices.
  package init?(environment: [String: String], gpus: [NVIDIAGPU]) {
    self.gpus = gpus.sorted { $0.pciAddress < $1.pciAddress }
    let cuda = environment["CUDA_VISIBLE_DEVICES"].map { text in
      // CUDA ends the list at the first entry that is invalid.
      text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.prefix {
        Int($0).map { $0 >= 0 } ?? $0.contains("-")
      }
    }
    let hasUUIDs = cuda?.contains { Int($0) == nil } == true
    for name in ["SLURM_STEP_GPUS", "SLURM_JOB_GPUS"] where !hasUUIDs {
      guard let text = environment[name], !text.isEmpty else { continue }
      var numbers = text.split(separator: ",").compactMap { Int($0) }
      if let places = cuda?.compactMap({ Int($0) }), !places.isEmpty, places.count < numbers.count {
        let isRestricted = gpus.allSatisfy { $0.minor.map(numbers.contains) ?? true }
        numbers = isRestricted ? places.compactMap { numbers.indices.contains($0) ? numbers[$0] : nil } : places
      }
      origin = "\(name)=\(text)"
      handles = numbers.map { number in
        // Slurm numbers AMD's and Intel's GPUs by their render nodes, which begin at 128.
        if number >= 128 { return .node("/dev/dri/renderD\(number)") }
        return gpus.first { $0.minor == number }.map { .gpu($0) } ?? .unknown
      }
      return
    }
    guard let cuda else { return nil }
    origin = "CUDA_VISIBLE_DEVICES=\(environment["CUDA_VISIBLE_DEVICES"] ?? "")"
    let ordered = self.gpus
    handles = cuda.map { entry in
      guard let number = Int(entry) else {
        let digits = NVIDIAGPU.digits(entry)
        return ordered.first { $0.uuid?.hasPrefix(digits) == true }.map { .gpu($0) } ?? .uuid(digits)
      }
      return ordered.indices.contains(number) ? .gpu(ordered[number]) : .cudaIndex(number)
    }
  }

  /// Returns true if `candidate` is one of the GPUs.
  package func contains(_ candidate: DeviceCandidate) -> Bool {
    handles.contains { handle in
      switch handle {
      case .gpu(let gpu): isSame(candidate, gpu)
      case .node(let path): candidate.node == path
      case .uuid(let digits): candidate.uuid?.hexadecimal.hasPrefix(digits) ?? false
      case .cudaIndex(let index): candidate.cudaIndex == index
      case .unknown: false
      }
    }
  }

  /// Returns true if `candidate` is a GPU that was given to somebody else: it is known, and others of `candidates` are
  /// this process's, or it has none.
  package func excludes(_ candidate: DeviceCandidate, among candidates: [DeviceCandidate]) -> Bool {
    guard !contains(candidate), handles.isEmpty || candidates.contains(where: contains) else { return false }
    let isNVIDIA = candidate.cudaIndex != nil || gpus.contains { isSame(candidate, $0) }
    let isNode = handles.contains { if case .node = $0 { true } else { false } } && candidate.node != nil
    return isNVIDIA || isNode
  }

  /// Returns a sentence if GPUs are listed and more than were given, none of which is known to be one of them; nil if
  /// all is clear.
  package func warning(_ candidates: [DeviceCandidate]) -> String? {
    let listed = candidates.count { !$0.isSoftware && $0.platform != .surfaceless && $0.duplicateOf == nil }
    guard !handles.isEmpty, listed > handles.count, !candidates.contains(where: contains) else { return nil }
    return "\(origin): none of the devices is known to be that GPU, so the first that works is taken; "
      + "safelight devices lists them"
  }

  private func isSame(_ candidate: DeviceCandidate, _ gpu: NVIDIAGPU) -> Bool {
    candidate.pciAddress == gpu.pciAddress || candidate.uuid?.hexadecimal == gpu.uuid && gpu.uuid != nil
  }
}

extension DeviceAllocation {
  /// The GPUs that the environment of this process names; nil if none of the variables is set.
  package static var ofThisProcess: DeviceAllocation? {
    let names = ["SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES"]
    let environment = names.reduce(into: [:]) { $0[$1] = MachineReadings.ofThisProcess.variable($1) }
    return environment.isEmpty ? nil : DeviceAllocation(environment: environment, gpus: nvidiaGPUs())
  }

  /// The GPUs that this process may open: a control group denies those of other jobs.
  private static func nvidiaGPUs() -> [NVIDIAGPU] {
    var files = unsafe glob_t()
    defer { unsafe globfree(&files) }
    guard unsafe glob("/proc/driver/nvidia/gpus/*/information", 0, nil, &files) == 0 else { return [] }
    return unsafe (0..<Int(files.gl_pathc)).compactMap { index in
      let text = unsafe files.gl_pathv[index].flatMap { MachineReadings.ofThisProcess.text(unsafe String(cString: $0)) }
      let gpu = text.flatMap { NVIDIAGPU(information: $0) }
      if let minor = gpu?.minor {
        let device = unsafe open("/dev/nvidia\(minor)", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { return nil }
        close(device)
      }
      return gpu
    }
  }
}
