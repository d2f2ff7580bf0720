public import SafelightImage

/// The choice among candidates; pure functions of their list.
package enum DeviceSelection {
  /// Returns the matching candidates in the order in which to try them.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` that lists the candidates if none matches.
  package static func order(
    _ candidates: [DeviceCandidate], selector: DeviceSelector, platform: DevicePlatform
  ) throws(SafelightError) -> [DeviceCandidate] {
    let reachable = candidates.filter { platform == .auto || $0.platform == platform }
    let matching = reachable.filter { matches($0, selector) }
    guard !matching.isEmpty else { throw noMatch(selector, platform: platform, candidates: candidates) }
    // Without a list of devices the surfaceless platform may be the only way to a GPU.
    let hasList = reachable.contains { $0.platform == .device }
    return switch selector {
    case .software: matching.filter(\.isSoftware) + matching.filter { !$0.isSoftware }
    default: matching.sorted { (rank($0, hasList), $0.index) < (rank($1, hasList), $1.index) }
    }
  }

  /// Returns why an opened candidate is not what `selector` requested; nil if it is. `renderer` and `isSoftware`
  /// describe the opened device.
  ///
  /// `softwareIsForced` tells whether the environment makes Mesa render in software on any device.
  package static func refusal(
    _ candidate: DeviceCandidate, renderer: String, isSoftware: Bool, selector: DeviceSelector, softwareIsForced: Bool
  ) -> SafelightError? {
    switch selector {
    case .hardware where isSoftware:
      return SafelightError(
        .environment, candidate.name, why: "only a software renderer (\(renderer)) is behind it",
        remedy: "use the device software, or give this machine or container a GPU")
    case .software where !isSoftware:
      return SafelightError(
        .environment, candidate.name, why: "a GPU (\(renderer)) is behind it, not a software renderer",
        remedy: "use the device hardware")
    case .node, .pci, .cuda, .index:
      // Without a driver for a node Mesa silently falls back to software.
      guard isSoftware, !candidate.isSoftware, candidate.platform != .surfaceless, !softwareIsForced else { return nil }
      return SafelightError(
        .environment, candidate.name, why: "the driver fell back to a software renderer (\(renderer))",
        remedy: "install the GPU's driver, or use the device software; GBM_ALWAYS_SOFTWARE=1 allows it on this node")
    default: return nil
    }
  }

  /// The rank of a candidate: GPUs that EGL lists, then nodes, then further entries of the same GPUs, as the first may
  /// not work, then software, and last the surfaceless platform, where Mesa chooses among the same devices.
  private static func rank(_ candidate: DeviceCandidate, _ hasList: Bool) -> Int {
    switch candidate.platform {
    case .device where candidate.isSoftware: 3
    case .surfaceless: hasList ? 4 : 2
    case _ where candidate.duplicateOf != nil: 2
    case .gbm: 1
    case .device, .auto: 0
    }
  }

  private static func matches(_ candidate: DeviceCandidate, _ selector: DeviceSelector) -> Bool {
    switch selector {
    case .auto: true
    case .hardware: !candidate.isSoftware
    // An unlisted display may turn out to be software; a listed GPU cannot.
    case .software: candidate.isSoftware || candidate.platform != .device
    case .cpu: false
    case .index(let number): candidate.index == number
    case .node(let path): candidate.node == path
    case .pci(let address): candidate.pciAddress == address.lowercased()
    case .cuda(let number): candidate.cudaIndex == number
    }
  }

  private static func noMatch(
    _ selector: DeviceSelector, platform: DevicePlatform, candidates: [DeviceCandidate]
  ) -> SafelightError {
    let asked = platform == .auto ? "\(selector)" : "\(selector) on platform \(platform.rawValue)"
    let listed = candidates.map {
      "\($0.index): \($0.name) (\($0.platform.rawValue)\($0.node.map { ", " + $0 } ?? ""))"
    }
    let found = listed.isEmpty ? "EGL lists no device" : "there are \(listed.joined(separator: "; "))"
    return SafelightError(
      .environment, "no device matches \(asked)", why: found,
      remedy: selector == .hardware
        ? "give this machine or container a GPU (docker --device /dev/dri or --gpus all), or use the device software or cpu"
        : "choose one of these, or use the device auto")
  }
}

/// Selects a device; every case but ``auto`` is explicit and never falls back to another device.
public enum DeviceSelector: Hashable, Sendable, CustomStringConvertible {
  /// The first hardware GPU, else a software renderer.
  case auto
  /// The first hardware GPU.
  case hardware
  /// A software renderer, such as Mesa's llvmpipe.
  case software
  /// No GPU: the Swift twins of the kernels.
  case cpu
  /// The device with this number in the list of `safelight devices`.
  case index(Int)
  /// The device behind a DRM node, such as `/dev/dri/renderD128`.
  case node(String)
  /// The device at a PCI address, such as `0000:41:00.0`.
  case pci(String)
  /// The device with this CUDA device number.
  case cuda(Int)

  /// Parses `auto`, `hardware`, `software`, `cpu`, `index:N`, `node:PATH`, `pci:ADDR` or `cuda:N`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for other text.
  public init(parsing text: String) throws(SafelightError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count > 1 ? parts[1] : nil) {
    case ("auto", nil): self = .auto
    case ("hardware", nil): self = .hardware
    case ("software", nil): self = .software
    case ("cpu", nil): self = .cpu
    case ("index", let number?): self = .index(try Self.number(number, in: text))
    case ("cuda", let number?): self = .cuda(try Self.number(number, in: text))
    case ("node", let path?) where path.hasPrefix("/"): self = .node(path)
    case ("pci", let address?) where !address.isEmpty: self = .pci(address.lowercased())
    default: throw Self.malformed(text, why: "not a device selector")
    }
  }

  private static func number(_ digits: String, in text: String) throws(SafelightError) -> Int {
    guard let number = Int(digits), number >= 0 else {
      throw malformed(text, why: "'\(digits)' is not a number from 0")
    }
    return number
  }

  private static func malformed(_ text: String, why: String) -> SafelightError {
    SafelightError(
      .usage, "device '\(text)'", why: why,
      remedy: "use auto, hardware, software, cpu, index:N, node:/dev/dri/renderD128, pci:0000:41:00.0 or cuda:N")
  }

  /// The text form, which ``init(parsing:)`` reads.
  public var description: String {
    switch self {
    case .auto: "auto"
    case .hardware: "hardware"
    case .software: "software"
    case .cpu: "cpu"
    case .index(let number): "index:\(number)"
    case .node(let path): "node:\(path)"
    case .pci(let address): "pci:\(address)"
    case .cuda(let number): "cuda:\(number)"
    }
  }
}

/// The EGL platform that reaches a device.
public enum DevicePlatform: String, Sendable, CaseIterable {
  /// `device`, else `gbm`, else `surfaceless`.
  case auto
  /// `EGL_EXT_platform_device`, which identifies a GPU exactly.
  case device
  /// `EGL_KHR_platform_gbm`, which reaches a GPU through its DRM node.
  case gbm
  /// `EGL_MESA_platform_surfaceless`, which leaves the choice of GPU to Mesa.
  case surfaceless
}
