internal import CEGL
internal import Synchronization

/// The last warning or error that a driver gave through EGL_KHR_debug, to be quoted when a display does not start.
enum EGLMessages {
  private static let text = Mutex<String?>(nil)
  private static let isListening = Mutex(false)

  static var last: String? { text.withLock { $0 } }

  /// Forgets what was said of another device.
  static func clear() { text.withLock { $0 = nil } }

  /// Installs the callback once in a process; without the extension nothing is quoted.
  static func listen(_ library: EGLLibrary) {
    let isFirst = isListening.withLock { listening -> Bool in
      defer { listening = true }
      return !listening
    }
    guard isFirst, library.clientExtensions.contains("EGL_KHR_debug"),
      let control = unsafe library.egl.eglDebugMessageControlKHR
    else { return }
    // Unknown or unsupported categories leave the default, critical and error messages, in force.
    _ = unsafe control(
      { _, _, _, _, _, message in
        guard let message = unsafe message else { return }
        let line = unsafe String(cString: message)
        EGLMessages.text.withLock { $0 = line }
      }, nil)
  }
}
