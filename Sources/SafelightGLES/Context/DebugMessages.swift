internal import CGLES
internal import Logging

/// Routes the messages of KHR_debug to the log.
final class DebugMessages: Sendable {
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Installs the callback, which the driver may call on any thread; with `synchronously` inside the call that provoked
  /// the message, which slows drivers with threads of their own.
  func listen(_ gl: GLFunctions, synchronously: Bool) {
    guard let install = unsafe gl.table.glDebugMessageCallback else { return }
    gl.table.glEnable(GLenum(GL_DEBUG_OUTPUT))
    if synchronously { gl.table.glEnable(GLenum(GL_DEBUG_OUTPUT_SYNCHRONOUS)) }
    unsafe install(
      { _, _, _, severity, length, text, user in
        guard let text = unsafe text, let user = unsafe user else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
        unsafe Unmanaged<DebugMessages>.fromOpaque(user).takeUnretainedValue()
          .log(String(decoding: bytes, as: UTF8.self), severity: severity)
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  /// Removes the callback, so that the driver holds no pointer to an object that is about to go.
  func stop(_ gl: GLFunctions) {
    gl.table.glDebugMessageCallback?(nil, nil)
  }

  private func log(_ text: String, severity: GLenum) {
    let level: Logger.Level =
      switch Int32(severity) {
      case GL_DEBUG_SEVERITY_HIGH: .error
      case GL_DEBUG_SEVERITY_MEDIUM: .warning
      case GL_DEBUG_SEVERITY_LOW: .info
      default: .trace
      }
    logger.log(level: level, "\(text)")
  }
}
