internal import CEGL
internal import CGLES
internal import Glibc
package import SafelightImage

/// libEGL, opened once in a process, and the table of its entry points.
///
/// `@unchecked Sendable`: the table is filled before the instance is published and never written again, and EGL's own
/// entry points may be called from any thread (EGL 1.5 §2.1).
@safe package final class EGLLibrary: @unchecked Sendable {
  let egl: safelight_egl

  private init(egl: safelight_egl) { self.egl = egl }

  /// The library, or why it cannot be had.
  package static let shared: Result<EGLLibrary, SafelightError> = open()

  private static func open() -> Result<EGLLibrary, SafelightError> {
    guard let library = unsafe dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL) else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
      return .failure(
        SafelightError(
          .environment, "EGL library not found", why: reason,
          remedy: "apt-get install libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri, or use the device cpu"))
    }
    let table = UnsafeMutablePointer<safelight_egl>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    if let missing = unsafe safelight_egl_load(library, table) {
      return .failure(
        SafelightError(
          .environment, "EGL library too old", why: "libEGL.so.1 lacks \(unsafe String(cString: missing))",
          remedy: "upgrade libegl1"))
    }
    return .success(EGLLibrary(egl: unsafe table.pointee))
  }

  /// Extensions that need no display (EGL_EXT_client_extensions); empty where no driver is installed.
  package var clientExtensions: Set<Substring> { unsafe extensions(of: nil) }

  /// The extensions of a display, or of the client where `display` is nil.
  func extensions(of display: EGLDisplay?) -> Set<Substring> {
    guard let text = unsafe egl.eglQueryString(display, EGL_EXTENSIONS) else { return [] }
    return Set(unsafe String(cString: text).split(separator: " "))
  }

  /// EGL's error of this thread; a failing call that leaves `EGL_SUCCESS` gave no reason.
  func takeError() -> EGLError { EGLError(code: egl.eglGetError()) }

  /// Fills the table of OpenGL ES for the drivers behind this library.
  func loadGLES() throws(SafelightError) -> GLFunctions {
    let table = UnsafeMutablePointer<safelight_gles>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    // Since EGL 1.5 eglGetProcAddress finds core functions too; glvnd does so for every vendor.
    if let missing = unsafe safelight_gles_load(egl.eglGetProcAddress, table) {
      throw SafelightError(
        .environment, "OpenGL ES library too old", why: "the driver has no \(unsafe String(cString: missing))",
        remedy: "install a driver with OpenGL ES 3.1, such as Mesa's libgl1-mesa-dri, or use the device cpu")
    }
    return GLFunctions(table: unsafe table.pointee)
  }
}
