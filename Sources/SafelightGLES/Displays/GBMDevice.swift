internal import CGBM
internal import Glibc
internal import SafelightImage
internal import Synchronization

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
