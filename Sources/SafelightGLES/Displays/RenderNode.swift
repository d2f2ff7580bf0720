internal import CGBM
internal import Glibc
internal import SafelightImage
internal import Synchronization

/// A DRM node in the file system, such as `/dev/dri/renderD128`.
struct RenderNode: Hashable {
  let path: String

  /// Returns the render nodes of this machine, by number; DRM numbers them from 128.
  static func all() -> [RenderNode] {
    (128...191).map { RenderNode(path: "/dev/dri/renderD\($0)") }.filter(\.exists)
  }

  /// Whether the path is a render node's rather than a primary node's, such as `/dev/dri/card0`.
  var isRenderNode: Bool { path.split(separator: "/").last?.hasPrefix("renderD") == true }

  var exists: Bool { unsafe access(path, F_OK) == 0 }

  /// The kernel's number of the device; nil if the path is not a character device.
  var deviceNumber: UInt64? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
    return UInt64(status.st_rdev)
  }

  /// The PCI address of the device, from the last part of its link in sysfs; nil if it is not on a PCI bus.
  var pciAddress: String? {
    guard let name = path.split(separator: "/").last else { return nil }
    var buffer = [CChar](repeating: 0, count: 4096)
    guard unsafe realpath("/sys/class/drm/\(name)/device", &buffer) != nil else { return nil }
    let target = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let address = target.split(separator: "/").last, address.split(separator: ":").count == 3 else { return nil }
    return address.lowercased()
  }

  /// Opens the node for reading and writing.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` that explains missing permissions.
  func open() throws(SafelightError) -> Int32 {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    let code = errno
    let reason = unsafe String(cString: strerror(code))
    guard code == EACCES || code == EPERM else {
      throw SafelightError(
        .environment, path, why: reason, remedy: "name a node that exists")
    }
    throw SafelightError(
      .environment, path, why: "\(reason)\(ownership)",
      remedy: "usermod -aG render $USER and log in again; in a container --group-add $(stat -c %g \(path))")
  }

  /// The owner and mode of the node, such as ` (owner 0, group 105, mode 660)`.
  private var ownership: String {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return "" }
    return " (owner \(status.st_uid), group \(status.st_gid), mode \(String(status.st_mode & 0o777, radix: 8)))"
  }
}

/// A GBM device on a DRM node; kept for the life of the process, as the EGL display on it is.
///
/// With `GBM_ALWAYS_SOFTWARE=1` Mesa accepts any descriptor, even that of `/dev/null`, and renders in software.
///
/// `@unchecked Sendable`: the pointer never changes after `init`, and only `eglGetPlatformDisplay` reads behind it.
@safe final class GBMDevice: @unchecked Sendable {
  let pointer: OpaquePointer

  private static let opened = Mutex<[String: GBMDevice]>([:])

  private init(pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// The device on the node at `path`, opened at the first call for it.
  static func device(at path: String) throws(SafelightError) -> GBMDevice {
    try opened.withLock { devices throws(SafelightError) in
      if let device = devices[path] { return device }
      let device = try open(RenderNode(path: path))
      devices[path] = device
      return device
    }
  }

  /// Opens another device on `node`, apart from the one of its display.
  static func open(_ node: RenderNode) throws(SafelightError) -> GBMDevice {
    let gbm = try library.get()
    let descriptor = try node.open()
    guard let pointer = unsafe gbm.gbm_create_device(descriptor) else {
      let reason = unsafe String(cString: strerror(errno))
      close(descriptor)
      throw SafelightError(
        .environment, node.path, why: "gbm_create_device refused it: \(reason)",
        remedy: "name a DRM render node, or set GBM_ALWAYS_SOFTWARE=1 to render in software through any node")
    }
    return unsafe GBMDevice(pointer: pointer)
  }

  /// libgbm, opened once in a process.
  static let library: Result<safelight_gbm, SafelightError> = {
    guard let library = unsafe dlopen("libgbm.so.1", RTLD_NOW | RTLD_LOCAL) else {
      return .failure(
        SafelightError(
          .environment, "GBM library not found", why: "libgbm.so.1 does not load",
          remedy: "apt-get install libgbm1, or use the platform device or surfaceless"))
    }
    let table = UnsafeMutablePointer<safelight_gbm>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    if let missing = unsafe safelight_gbm_load(library, table) {
      return .failure(
        SafelightError(
          .environment, "GBM library too old", why: "libgbm.so.1 lacks \(unsafe String(cString: missing))",
          remedy: "upgrade libgbm1"))
    }
    return .success(unsafe table.pointee)
  }()
}
