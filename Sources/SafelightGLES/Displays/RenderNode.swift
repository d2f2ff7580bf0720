internal import CGBM
internal import Glibc
package import SafelightImage
internal import Synchronization

/// A DRM node in the file system, such as `/dev/dri/renderD128`.
struct RenderNode: Hashable {
  let path: String

  /// Returns the render nodes of this machine, by number; DRM numbers them from 128.
  static func all() -> [RenderNode] { (128...191).map { RenderNode(path: "/dev/dri/renderD\($0)") }.filter(\.exists) }

  /// True if the path is a render node's rather than a primary node's, such as `/dev/dri/card0`.
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
      throw SafelightError(.environment, path, why: reason, remedy: "name a node that exists")
    }
    var status = stat()
    var ownership = ""
    if unsafe stat(path, &status) == 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      ownership = " (owner \(status.st_uid), group \(status.st_gid), mode \(mode))"
    }
    throw SafelightError(
      .environment, path, why: "\(reason)\(ownership)",
      remedy:
        "join its group (sudo usermod -aG render $USER) and log in again; start a container with docker run "
        + "--group-add $(stat -c %g \(path))"
    )
  }
}

/// A GBM device on a DRM node; kept for the life of the process.
///
/// Displays and buffers use separate devices: Mesa's are for one thread at a time, and the one behind an EGL display
/// belongs to its context's thread. With `GBM_ALWAYS_SOFTWARE=1` Mesa accepts any descriptor, even that of `/dev/null`,
/// and renders in software.
///
/// `@unchecked Sendable`: the pointer never changes. Only `eglGetPlatformDisplay` uses that of a display, and those of
/// buffers are used inside ``withPointer(_:)``, under the lock.
@safe package final class GBMDevice: @unchecked Sendable {
  /// The uses of a device.
  enum Use { case display, buffers }

  let pointer: OpaquePointer
  private let gbm: safelight_gbm
  private let lock = Mutex<Void>(())

  private static let opened = Mutex<[Use: [String: GBMDevice]]>([:])

  private init(_ gbm: safelight_gbm, _ pointer: OpaquePointer) {
    self.gbm = gbm
    unsafe self.pointer = pointer
  }

  /// Returns the device on the node at `path`, which the first call for each use opens.
  static func device(at path: String, for use: Use) throws(SafelightError) -> GBMDevice {
    try opened.withLock { devices throws(SafelightError) in
      if let device = devices[use]?[path] { return device }
      let gbm = try library.get()
      let descriptor = try RenderNode(path: path).open()
      guard let pointer = unsafe gbm.gbm_create_device(descriptor) else {
        let reason = unsafe String(cString: strerror(errno))
        close(descriptor)
        throw SafelightError(
          .environment, path, why: "gbm_create_device refused it: \(reason)",
          remedy: "name a DRM render node, or set GBM_ALWAYS_SOFTWARE=1 to render in software through any node")
      }
      let device = unsafe GBMDevice(gbm, pointer)
      devices[use, default: [:]][path] = device
      return device
    }
  }

  /// Calls `body` with exclusive use of the device.
  private func withPointer<Result>(
    _ body: (borrowing safelight_gbm, OpaquePointer) throws(SafelightError) -> Result
  ) throws(SafelightError) -> Result {
    try lock.withLock { _ throws(SafelightError) in unsafe try body(gbm, pointer) }
  }

  /// libgbm, opened once per process.
  private static let library: Result<safelight_gbm, SafelightError> = {
    guard let library = unsafe dlopen("libgbm.so.1", RTLD_NOW | RTLD_LOCAL) else {
      return .failure(
        SafelightError(
          .environment, "GBM library not found", why: "libgbm.so.1 does not load",
          remedy: "apt-get install libgbm1, or use the platform 'device' or 'surfaceless'"))
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

extension GBMDevice {
  /// Allocates linear memory of `size` pixels, of a format with one plane, on the node at `path` (`gbm_bo_create`).
  ///
  /// The caller must close the plane's descriptor, which keeps the memory alive. The modifier is nil if the driver does
  /// not report it.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the node's driver cannot allocate it, else `environment`.
  package static func allocate(
    _ size: Size, _ format: DRMFormat, onNode path: String
  ) throws(SafelightError) -> (plane: DMABuffer.Plane, modifier: UInt64?) {
    trap(unless: format.planeCount == 1, "GBM makes only buffers of one plane; make one for each plane of \(format)")
    return unsafe try device(at: path, for: .buffers).withPointer { gbm, device throws(SafelightError) in
      let flags = GBM_BO_USE_RENDERING.rawValue | GBM_BO_USE_LINEAR.rawValue
      guard
        let buffer = unsafe gbm.gbm_bo_create(
          device, UInt32(clamping: size.width), UInt32(clamping: size.height), format.rawValue, flags)
      else { throw refused(size, format, path, code: errno) }
      defer { unsafe gbm.gbm_bo_destroy(buffer) }
      // Unlike that of gbm_bo_get_fd in Mesa before 23, this descriptor can be mapped for writing too.
      // struct drm_prime_handle: handle, flags, descriptor; DRM_IOCTL_PRIME_HANDLE_TO_FD with DRM_RDWR.
      var request: (UInt32, UInt32, Int32) = (
        unsafe gbm.gbm_bo_get_handle(buffer).u32, UInt32(O_CLOEXEC | O_RDWR), -1
      )
      let isShared = unsafe ioctl(gbm.gbm_device_get_fd(device), 0xC00C_642D, &request) == 0
      let descriptor = unsafe isShared ? request.2 : gbm.gbm_bo_get_fd(buffer)
      guard descriptor >= 0 else {
        throw SafelightError(
          .driver, "GBM buffer of \(size) \(format)",
          why: "the driver gave no descriptor: \(unsafe String(cString: strerror(errno)))",
          remedy: "upload pictures instead of sharing their memory")
      }
      let modifier = unsafe gbm.gbm_bo_get_modifier(buffer)
      return (
        DMABuffer.Plane(descriptor: descriptor, stride: Int(unsafe gbm.gbm_bo_get_stride(buffer))),
        modifier == DMABuffer.unknownModifier ? nil : modifier
      )
    }
  }

  /// The error for a refused allocation.
  package static func refused(_ size: Size, _ format: DRMFormat, _ path: String, code: Int32) -> SafelightError {
    let what = "GBM buffer of \(size) \(format) on \(path)"
    let reason = "gbm_bo_create refused it: \(unsafe String(cString: strerror(code)))"
    switch code {
    case EACCES:
      // Drivers without memory of their own allocate dumb buffers, which render nodes do not (drm_ioctl.c).
      return SafelightError(
        .unsupported, what,
        why: "\(reason): a software driver needs dumb buffers, which a render node does not give",
        remedy: "use the primary node (/dev/dri/card0), or upload pictures instead of sharing their memory")
    case ENOTTY, EINVAL, ENOSYS, EOPNOTSUPP:
      return SafelightError(
        .unsupported, what, why: reason,
        remedy: "name a DRM node whose driver makes such buffers, or upload pictures instead of sharing their memory")
    default:
      return SafelightError(
        .environment, what, why: reason, remedy: "ask for fewer pixels, or free memory of the device")
    }
  }
}
