internal import CEGL
internal import Glibc
public import SafelightImage

/// Selects a device; every case but ``auto`` is explicit and never falls back to another device.
public enum DeviceSelector: Hashable, Sendable, CustomStringConvertible {
  /// The first hardware GPU; else the Swift twins, where all work is known to have them; else a software renderer.
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

/// A way to reach a device, as the system lists it before anything is opened.
///
/// A plain value, so that selection is a pure function that tests can call with invented machines.
public struct DeviceCandidate: Hashable, Sendable {
  /// The position in the list of candidates; stable on one machine.
  public let index: Int
  /// The EGL platform that reaches the device; never `auto`.
  public let platform: DevicePlatform
  /// The device's name, as far as it is known before opening.
  public let name: String
  /// The path of the DRM render node, else of the primary node; nil for software and for drivers that hide it.
  public let node: String?
  /// True if the system lists the device as software; after opening the renderer's name decides.
  public let isSoftware: Bool
  /// The PCI address, in lower case, such as `0000:41:00.0`.
  public let pciAddress: String?
  /// The CUDA device number (EGL_NV_device_cuda).
  public let cudaIndex: Int?
  /// The index of the first candidate for the same device, for example if two drivers list one GPU; nil for the first
  /// itself.
  public let duplicateOf: Int?
  /// Sixteen bytes that identify the device across machines and restarts (EGL_EXT_device_persistent_id).
  public let uuid: [UInt8]?

  /// The position in the list of `eglQueryDevicesEXT`.
  let eglDeviceIndex: Int?

  package init(
    index: Int, platform: DevicePlatform, name: String, node: String? = nil, isSoftware: Bool = false,
    pciAddress: String? = nil, cudaIndex: Int? = nil, duplicateOf: Int? = nil, uuid: [UInt8]? = nil,
    eglDeviceIndex: Int? = nil
  ) {
    self.index = index
    self.platform = platform
    self.name = name
    self.node = node
    self.isSoftware = isSoftware
    self.pciAddress = pciAddress
    self.cudaIndex = cudaIndex
    self.duplicateOf = duplicateOf
    self.uuid = uuid
    self.eglDeviceIndex = eglDeviceIndex
  }

  /// A number shared by all candidates of a device in every process until the machine restarts: Metal's `registryID`.
  ///
  /// The number of the DRM node (`st_rdev`), else the first half of ``uuid``; 0 if there is neither, as for software
  /// renderers.
  public var registryID: UInt64 {
    if let number = node.flatMap({ RenderNode(path: $0).deviceNumber }) { return number }
    return (uuid ?? []).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The choice among candidates; pure functions of their list.
package enum DeviceSelection {
  /// Returns the matching candidates in the order in which to try them.
  ///
  /// If `allocation` says which GPUs are this process's, `auto` and `hardware` try those first and leave out GPUs that
  /// were given to others.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` that lists the candidates if none matches.
  package static func order(
    _ candidates: [DeviceCandidate], selector: DeviceSelector, platform: DevicePlatform,
    allocation: DeviceAllocation? = nil
  ) throws(SafelightError) -> [DeviceCandidate] {
    let reachable = candidates.filter { platform == .auto || $0.platform == platform }
    let allocation = selector == .auto || selector == .hardware ? allocation : nil
    let matching = reachable.filter { candidate in
      matches(candidate, selector) && allocation?.excludes(candidate, among: candidates) != true
    }
    guard !matching.isEmpty else { throw noMatch(selector, platform, candidates, allocation) }
    // Without a list of devices the surfaceless platform may be the only way to a GPU.
    let hasList = reachable.contains { $0.platform == .device }
    func place(_ candidate: DeviceCandidate) -> (Int, Int, Int) {
      (allocation?.contains(candidate) == true ? 0 : 1, rank(candidate, hasList), candidate.index)
    }
    return switch selector {
    case .software: matching.filter(\.isSoftware) + matching.filter { !$0.isSoftware }
    default: matching.sorted { place($0) < place($1) }
    }
  }

  /// Returns the first of `candidates` for each device; those that are known to be the same device by their entry, PCI
  /// address or UUID count once. Mesa's choice without a surface counts if there is no other.
  package static func distinct(_ candidates: [DeviceCandidate]) -> [DeviceCandidate] {
    var found: [DeviceCandidate] = []
    for candidate in candidates where candidate.platform != .surfaceless || candidates.count == 1 {
      let isKnown = found.contains { other in
        (candidate.duplicateOf ?? candidate.index) == (other.duplicateOf ?? other.index)
          || candidate.pciAddress != nil && candidate.pciAddress == other.pciAddress
          || candidate.uuid != nil && candidate.uuid == other.uuid
      }
      if !isKnown { found.append(candidate) }
    }
    return found
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
        .environment, candidate.name, why: "its driver renders in software (\(renderer)), not on a GPU",
        remedy: "use the device 'software', or give this machine or container a GPU")
    case .software where !isSoftware:
      return SafelightError(
        .environment, candidate.name, why: "it renders on a GPU (\(renderer)), not in software",
        remedy: "use the device 'hardware'")
    case .node, .pci, .cuda, .index:
      // Without a driver for a node Mesa silently falls back to software.
      guard isSoftware, !candidate.isSoftware, candidate.platform != .surfaceless, !softwareIsForced else { return nil }
      return SafelightError(
        .environment, candidate.name, why: "the driver fell back to a software renderer (\(renderer))",
        remedy:
          "install the GPU's driver, use the device 'software', or set GBM_ALWAYS_SOFTWARE=1 to allow software on "
          + "this node"
      )
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
    _ selector: DeviceSelector, _ platform: DevicePlatform, _ candidates: [DeviceCandidate],
    _ allocation: DeviceAllocation?
  ) -> SafelightError {
    let asked = platform == .auto ? "\(selector)" : "\(selector) on platform \(platform.rawValue)"
    let listed = candidates.map {
      "\($0.index): \($0.name) (\($0.platform.rawValue)\($0.node.map { ", " + $0 } ?? ""))"
    }
    let others = allocation.map { " (GPUs of other jobs are left out: \($0.origin))" } ?? ""
    let found = listed.isEmpty ? "EGL lists no device" : "there are \(listed.joined(separator: "; "))\(others)"
    return SafelightError(
      .environment, "no device matches \(asked)", why: found,
      remedy: selector == .hardware
        ? "give this machine or container a GPU (docker --device /dev/dri or --gpus all), "
          + "or use the device 'software' or 'cpu'"
        : "choose one of the devices listed, or use the device 'auto'")
  }
}

/// The devices of this machine: EGL's devices, DRM nodes for GBM, and Mesa's surfaceless platform.
package enum DeviceEnumeration {
  /// Returns every candidate: those of the device platform first, in EGL's order, then GBM's, then the surfaceless
  /// platform.
  ///
  /// A node that `selector` names is listed for GBM even if it is outside `/dev/dri`.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if libEGL or its drivers are missing.
  package static func candidates(for selector: DeviceSelector = .auto) throws(SafelightError) -> [DeviceCandidate] {
    let library = try EGLLibrary.shared.get()
    let extensions = library.clientExtensions
    guard !extensions.isEmpty else { throw noDriver }
    var found: [DeviceCandidate] = []
    if extensions.contains("EGL_EXT_platform_device") {
      let devices = unsafe library.deviceHandles()
      for number in unsafe devices.indices {
        found.append(unsafe library.candidate(devices[number], number: number, after: found))
      }
    }
    if extensions.contains("EGL_KHR_platform_gbm") || extensions.contains("EGL_MESA_platform_gbm") {
      for node in gbmNodes(selector) {
        found.append(
          DeviceCandidate(
            index: found.count, platform: .gbm, name: "GBM on \(node.path)", node: node.path,
            pciAddress: node.pciAddress, duplicateOf: found.first { $0.node == node.path }?.index))
      }
    }
    if extensions.contains("EGL_MESA_platform_surfaceless") {
      found.append(DeviceCandidate(index: found.count, platform: .surfaceless, name: "Mesa's choice without a surface"))
    }
    return found
  }

  private static func gbmNodes(_ selector: DeviceSelector) -> [RenderNode] {
    let nodes = RenderNode.all()
    if case .node(let path) = selector, !nodes.contains(RenderNode(path: path)), RenderNode(path: path).exists {
      return nodes + [RenderNode(path: path)]
    }
    return nodes
  }

  /// The error for missing client extensions, the only sign that glvnd found no vendor.
  private static var noDriver: SafelightError {
    if let hiding = DriverVariables.hiding { return hiding }
    if unsafe access("/dev/nvidiactl", F_OK) == 0 {
      return SafelightError(
        .environment, "no EGL driver is installed", why: "an NVIDIA GPU is present, but its EGL vendor file is missing",
        remedy: "in a container set NVIDIA_DRIVER_CAPABILITIES=all; else install NVIDIA's 10_nvidia.json, "
          + "or use the device 'cpu'")
    }
    return SafelightError(
      .environment, "no EGL driver is installed",
      why: "no library listed in /etc/glvnd/egl_vendor.d or /usr/share/glvnd/egl_vendor.d can be loaded",
      remedy: "apt-get install libegl-mesa0 libgl1-mesa-dri, or use the device 'cpu'")
  }
}

extension EGLLibrary {
  /// Returns the handles of `eglQueryDevicesEXT`, in its order.
  func deviceHandles() -> [EGLDeviceEXT?] {
    guard let query = unsafe egl.eglQueryDevicesEXT else { return unsafe [] }
    var count: EGLint = 0
    guard unsafe query(0, nil, &count) != 0, count > 0 else { return unsafe [] }
    var handles = unsafe [EGLDeviceEXT?](repeating: nil, count: Int(count))
    guard unsafe query(count, &handles, &count) != 0 else { return unsafe [] }
    return unsafe Array(handles.prefix(Int(count)))
  }

  /// Describes entry `number` of `eglQueryDevicesEXT`, to follow the candidates in `found`.
  fileprivate func candidate(_ device: EGLDeviceEXT?, number: Int, after found: [DeviceCandidate]) -> DeviceCandidate {
    // The string query comes first: for a GPU hidden by a cgroup NVIDIA 450 crashes on an attribute query, while the
    // string query fails cleanly with EGL_BAD_DEVICE_EXT.
    guard let text = unsafe string(EGL_EXTENSIONS, of: device) else {
      return DeviceCandidate(
        index: found.count, platform: .device, name: "a device hidden from this process", eglDeviceIndex: number)
    }
    let extensions = Set(text.split(separator: " "))
    let isSoftware = extensions.contains("EGL_MESA_device_software")
    var node: String?
    if extensions.contains("EGL_EXT_device_drm_render_node"), !isSoftware {
      node = unsafe string(EGL_DRM_RENDER_NODE_FILE_EXT, of: device)
    }
    if node == nil, extensions.contains("EGL_EXT_device_drm") {
      node = unsafe string(EGL_DRM_DEVICE_FILE_EXT, of: device)
    }
    var cudaIndex: Int?
    if extensions.contains("EGL_NV_device_cuda"), let query = unsafe egl.eglQueryDeviceAttribEXT {
      var value: EGLAttrib = 0
      if unsafe query(device, EGL_CUDA_DEVICE_NV, &value) != 0 { cudaIndex = Int(value) }
    }
    let name = isSoftware ? "Mesa's software device" : cudaIndex != nil ? "NVIDIA GPU" : "GPU"
    let pciAddress = node.flatMap { RenderNode(path: $0).pciAddress }
    let twin = found.first { other in
      (node != nil && other.node == node) || (pciAddress != nil && other.pciAddress == pciAddress)
    }
    return DeviceCandidate(
      index: found.count, platform: .device, name: name, node: node, isSoftware: isSoftware, pciAddress: pciAddress,
      cudaIndex: cudaIndex, duplicateOf: twin?.index,
      uuid: extensions.contains("EGL_EXT_device_persistent_id") ? unsafe uuid(of: device) : nil, eglDeviceIndex: number)
  }

  private func uuid(of device: EGLDeviceEXT?) -> [UInt8]? {
    guard let query = unsafe egl.eglQueryDeviceBinaryEXT else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    var count: EGLint = 0
    let isKnown = unsafe query(device, EGL_DEVICE_UUID_EXT, EGLint(bytes.count), &bytes, &count) != 0
    return isKnown && count == bytes.count ? bytes : nil
  }

  private func string(_ name: Int32, of device: EGLDeviceEXT?) -> String? {
    guard let query = unsafe egl.eglQueryDeviceStringEXT, let text = unsafe query(device, name) else { return nil }
    return unsafe String(cString: text)
  }
}
