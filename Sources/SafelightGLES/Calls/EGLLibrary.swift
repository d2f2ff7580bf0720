internal import CEGL
internal import CGLES
internal import Glibc
package import SafelightImage

/// libEGL, opened once per process, with the table of its entry points.
///
/// `@unchecked Sendable`: the table never changes after `init`, and EGL's entry points may be called from any thread
/// (EGL 1.5 §2.1).
@safe package final class EGLLibrary: @unchecked Sendable {
  let egl: safelight_egl

  private init(egl: safelight_egl) { self.egl = egl }

  /// The library, or why it cannot be loaded.
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

  /// The client extensions (EGL_EXT_client_extensions), which need no display; empty if no driver is installed.
  package var clientExtensions: Set<Substring> { unsafe extensions(of: nil) }

  /// Returns the extensions of a display, or of the client if `display` is nil.
  func extensions(of display: EGLDisplay?) -> Set<Substring> {
    guard let text = unsafe egl.eglQueryString(display, EGL_EXTENSIONS) else { return [] }
    return Set(unsafe String(cString: text).split(separator: " "))
  }

  /// Returns and clears the EGL error of this thread; `EGL_SUCCESS` after a failed call means that the driver gave no
  /// reason.
  func takeError() -> EGLError { EGLError(code: egl.eglGetError()) }

  /// Loads the OpenGL ES entry points of the installed drivers.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if an OpenGL ES 3.1 function is missing.
  func loadGLES() throws(SafelightError) -> GLFunctions {
    let table = UnsafeMutablePointer<safelight_gles>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    // Since EGL 1.5 eglGetProcAddress also finds core functions; glvnd does so for every vendor.
    if let missing = unsafe safelight_gles_load(egl.eglGetProcAddress, table) {
      throw SafelightError(
        .environment, "OpenGL ES library too old", why: "the driver has no \(unsafe String(cString: missing))",
        remedy: "install a driver with OpenGL ES 3.1, such as Mesa's libgl1-mesa-dri, or use the device cpu")
    }
    return GLFunctions(table: unsafe table.pointee)
  }
}

/// The code of a failed EGL call (EGL 1.5 §3.1).
struct EGLError: Hashable, Sendable, CustomStringConvertible {
  let code: Int32

  static let badAccess = EGLError(code: EGL_BAD_ACCESS)
  static let badAlloc = EGLError(code: EGL_BAD_ALLOC)
  static let notInitialized = EGLError(code: EGL_NOT_INITIALIZED)

  /// The name in the EGL registry; Mesa and NVIDIA are known to fail and leave `EGL_SUCCESS`.
  var description: String {
    switch code {
    case EGL_SUCCESS: "the driver gave no reason"
    case EGL_NOT_INITIALIZED: "EGL_NOT_INITIALIZED"
    case EGL_BAD_ACCESS: "EGL_BAD_ACCESS"
    case EGL_BAD_ALLOC: "EGL_BAD_ALLOC"
    case EGL_BAD_ATTRIBUTE: "EGL_BAD_ATTRIBUTE"
    case EGL_BAD_CONFIG: "EGL_BAD_CONFIG"
    case EGL_BAD_CONTEXT: "EGL_BAD_CONTEXT"
    case EGL_BAD_DISPLAY: "EGL_BAD_DISPLAY"
    case EGL_BAD_MATCH: "EGL_BAD_MATCH"
    case EGL_BAD_NATIVE_WINDOW: "EGL_BAD_NATIVE_WINDOW"
    case EGL_BAD_PARAMETER: "EGL_BAD_PARAMETER"
    case EGL_CONTEXT_LOST: "EGL_CONTEXT_LOST"
    case EGL_BAD_DEVICE_EXT: "EGL_BAD_DEVICE_EXT"
    default: "EGL error 0x\(String(code, radix: 16))"
    }
  }
}
