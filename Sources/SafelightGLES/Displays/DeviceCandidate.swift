/// One way to a device, as the system lists it, before anything of it was started.
///
/// Plain facts, so that the choice among candidates is a pure function and testable with made-up machines.
public struct DeviceCandidate: Hashable, Sendable {
  /// The number in the list of candidates; stable on one machine.
  public let index: Int
  /// The EGL platform that reaches it; never `auto`.
  public let platform: DevicePlatform
  /// What is known of its name before it is opened.
  public let name: String
  /// The DRM render node, else the primary node; nil for software and for drivers that hide it.
  public let node: String?
  /// True where the system says so beforehand; the renderer's name decides after opening.
  public let isSoftware: Bool
  /// The address on the PCI bus, lower case.
  public let pciAddress: String?
  /// CUDA's number for it (EGL_NV_device_cuda).
  public let cudaIndex: Int?
  /// The candidate of which this is another entry, as when two drivers list one GPU.
  public let duplicateOf: Int?

  /// 16 bytes that name it on every machine and after every restart (EGL_EXT_device_persistent_id).
  public let uuid: [UInt8]?

  /// Which entry of `eglQueryDevicesEXT` it is.
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
  /// A number that all its entries share, in every process, until the machine restarts; Metal's `registryID`.
  ///
  /// The number of the DRM node (`st_rdev`), else half of ``uuid``; 0 for what the system has no number for, as software renderers.
  public var registryID: UInt64 {
    if let number = node.flatMap({ RenderNode(path: $0).deviceNumber }) { return number }
    return (uuid ?? []).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
