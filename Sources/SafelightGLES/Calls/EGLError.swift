internal import CEGL

/// The code of a failed EGL call (EGL 1.5 §3.1).
struct EGLError: Hashable, Sendable, CustomStringConvertible {
  let code: Int32

  static let badAccess = EGLError(code: EGL_BAD_ACCESS)
  static let badAlloc = EGLError(code: EGL_BAD_ALLOC)
  static let notInitialized = EGLError(code: EGL_NOT_INITIALIZED)

  /// The registry's name; Mesa and NVIDIA are known to fail and leave `EGL_SUCCESS`.
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
