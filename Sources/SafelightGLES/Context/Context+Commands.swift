internal import CGLES
internal import Logging
package import SafelightImage

extension Context {
  /// Runs the program in use on `depth` layers of a grid of threadgroups (`glDispatchCompute`).
  package func dispatch(threadgroups: Size, depth: Int = 1) throws(SafelightError) {
    try flushDrawing()
    try gl.call("glDispatchCompute") {
      $0.glDispatchCompute(GLuint(threadgroups.width), GLuint(threadgroups.height), GLuint(depth))
    }
  }

  /// Runs the program in use on a grid whose size is in three words of the bound buffer, from byte `offset` on
  /// (`glDispatchComputeIndirect`).
  package func dispatchIndirect(offset: Int) throws(SafelightError) {
    try flushDrawing()
    try gl.call("glDispatchComputeIndirect") { $0.glDispatchComputeIndirect(GLintptr(offset)) }
  }

  /// Driver workaround "late drawing": flushes drawing before a dispatch.
  ///
  /// Symptom: a texture that is cleared and then written by a compute function is clear again. Driver: softpipe, Mesa
  /// 22.3.6, which keeps tiles of the render target until the target changes or a flush. Test:
  /// MatrixTests.softpipeKeepsWhatComputeFunctionsWrite. Remove it once softpipe of every supported Mesa writes in
  /// order.
  private func flushDrawing() throws(SafelightError) {
    if renderer == "softpipe" { try flush() }
  }

  /// The alignment in bytes of a uniform buffer's offset; at most 256.
  package var uniformBufferAlignment: Int { gl.uniformBufferAlignment }

  /// Orders shader writes before the uses named by `mask` (`glMemoryBarrier`).
  package func memoryBarrier(_ mask: BarrierMask) throws(SafelightError) {
    let known = unsafe mask.intersection(.known(mapsBuffers: gl.table.glBufferStorageEXT != nil))
    guard !known.isEmpty else { return }
    try gl.call("glMemoryBarrier") { $0.glMemoryBarrier(known.rawValue) }
  }

  /// Draws with the program in use into the bound render target (`glDrawArrays`); corners come from `gl_VertexID`.
  package func drawTriangleStrip(vertexStart: Int, vertexCount: Int) throws(SafelightError) {
    try gl.call("glDrawArrays") { $0.glDrawArrays(GLenum(GL_TRIANGLE_STRIP), GLint(vertexStart), GLsizei(vertexCount)) }
  }

  /// Labels an object for debuggers, cut to the driver's limit; does nothing without KHR_debug.
  func label(_ kind: Int32, _ name: GLuint, _ label: String) {
    unsafe gl.table.glObjectLabel?(GLenum(kind), name, -1, label.cut(toBytes: gl.maximumLabelLength))
  }

  /// Opens a named group of commands for debuggers (`glPushDebugGroup`).
  package func pushDebugGroup(_ label: String) {
    unsafe gl.table.glPushDebugGroup?(
      GLenum(GL_DEBUG_SOURCE_APPLICATION), 0, -1, label.cut(toBytes: gl.maximumGroupLength))
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  package func popDebugGroup() {
    gl.table.glPopDebugGroup?()
  }
}

extension Context {
  /// Inserts a message between commands for debuggers (`glDebugMessageInsert`).
  package func insertDebugSignpost(_ text: String) {
    unsafe gl.table.glDebugMessageInsert?(
      GLenum(GL_DEBUG_SOURCE_APPLICATION), GLenum(GL_DEBUG_TYPE_MARKER), 0, GLenum(GL_DEBUG_SEVERITY_NOTIFICATION), -1,
      text.cut(toBytes: gl.maximumGroupLength))
  }

  /// Submits all commands so far to the GPU without waiting for it (`glFlush`).
  package func flush() throws(SafelightError) { try gl.call("glFlush") { $0.glFlush() } }
}

extension String {
  /// Returns the longest prefix of whole characters with fewer than `count` UTF-8 bytes: lengths in KHR_debug include
  /// the final zero.
  func cut(toBytes count: Int) -> String {
    guard utf8.count >= count else { return self }
    var length = 0
    return String(
      prefix { character in
        length += character.utf8.count
        return length < count
      })
  }
}

/// Routes the messages of KHR_debug to the log.
final class DebugMessages: Sendable {
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Installs the callback, which the driver may call on any thread. With `synchronously` it is called inside the call
  /// that caused the message, which slows drivers with threads of their own.
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

  /// Removes the callback, so that the driver keeps no pointer to this object.
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
