internal import CEGL
internal import Glibc
package import SafelightImage

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
    if unsafe access("/dev/nvidiactl", F_OK) == 0 {
      return SafelightError(
        .environment, "no EGL driver is installed", why: "an NVIDIA GPU is present, but its EGL vendor file is missing",
        remedy:
          "in a container set NVIDIA_DRIVER_CAPABILITIES=all; else install NVIDIA's 10_nvidia.json, or use the device cpu"
      )
    }
    return SafelightError(
      .environment, "no EGL driver is installed",
      why: "no vendor in /etc/glvnd/egl_vendor.d or /usr/share/glvnd/egl_vendor.d loads",
      remedy: "apt-get install libegl-mesa0 libgl1-mesa-dri, or use the device cpu")
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
  /// Whether the system lists the device as software; after opening the renderer's name decides.
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
