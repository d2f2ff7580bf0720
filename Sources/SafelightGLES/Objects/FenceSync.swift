internal import CGLES
package import SafelightImage

/// A point in the stream of GL commands that can be waited for.
package enum FenceSync {
  /// Waits until the GPU has done everything before this call (`glFenceSync`, `glClientWaitSync`).
  ///
  /// Throws when it does not answer within `seconds`: a hung GPU must not hang its caller for ever.
  package static func wait(_ context: Context, seconds: Int, during work: String) throws(SafelightError) {
    let gl = context.gl
    guard let fence = unsafe gl.table.glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0) else {
      try gl.check("glFenceSync")
      throw SafelightError(.driver, work, why: "the driver gave no fence to wait for", remedy: "use the device cpu")
    }
    defer { unsafe gl.table.glDeleteSync(fence) }
    let status = unsafe gl.table.glClientWaitSync(
      fence, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), GLuint64(seconds) * 1_000_000_000)
    switch Int32(status) {
    case GL_ALREADY_SIGNALED, GL_CONDITION_SATISFIED: break
    case GL_TIMEOUT_EXPIRED:
      throw SafelightError(
        .driver, work, why: "the GPU did not answer for \(seconds) s",
        remedy: "see dmesg; the GPU may hang or be busy with other work")
    default:
      try gl.check("glClientWaitSync")
      throw SafelightError(.driver, work, why: "waiting for the GPU failed", remedy: "run again")
    }
  }
}
