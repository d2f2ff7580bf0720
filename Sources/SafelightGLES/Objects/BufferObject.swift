internal import CGLES
package import SafelightImage

/// A buffer of the context, zero when made.
package final class BufferObject {
  package let length: Int

  private let gl: GLFunctions
  private let name: GLName<BufferKind>

  /// Allocates `length` bytes (`glBufferData`).
  package init(_ context: Context, length: Int, label: String) throws(SafelightError) {
    gl = context.gl
    self.length = length
    name = unsafe context.gl.makeName(BufferKind.self, context.gl.table.glGenBuffers)
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    let zeros = [UInt8](repeating: 0, count: length)
    try gl.call("glBufferData") { unsafe $0.glBufferData(Self.target, length, zeros, GLenum(GL_DYNAMIC_COPY)) }
    try gl.check("buffer '\(label)' of \(length) bytes")
    context.label(GL_BUFFER, name.rawValue, label)
  }

  /// Any target serves for copies; this one disturbs no indexed binding.
  private static var target: GLenum { GLenum(GL_COPY_WRITE_BUFFER) }

  /// Writes `bytes` at `offset` (`glBufferSubData`).
  package func write(_ bytes: [UInt8], at offset: Int) throws(SafelightError) {
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    try gl.call("glBufferSubData") { unsafe $0.glBufferSubData(Self.target, offset, bytes.count, bytes) }
  }

  /// Copies `range` out (`glMapBufferRange`); waits for the commands before it.
  package func read(_ range: Range<Int>) throws(SafelightError) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    let mapped = unsafe gl.table.glMapBufferRange(
      Self.target, range.lowerBound, range.count, GLbitfield(GL_MAP_READ_BIT))
    guard let mapped = unsafe mapped else {
      try gl.check("glMapBufferRange")
      throw SafelightError(.driver, "glMapBufferRange", why: "the driver gave no reason", remedy: "report it")
    }
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: mapped, count: range.count))
    guard gl.table.glUnmapBuffer(Self.target) != 0 else {
      throw SafelightError(
        .driver, "glUnmapBuffer", why: "the buffer's contents were lost while it was mapped", remedy: "run again")
    }
    return bytes
  }

  /// Binds the whole buffer as storage at `index`; kernels add their offset themselves, since
  /// `GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT` may be as large as 256.
  package func bindStorage(index: Int) throws(SafelightError) {
    try gl.call("glBindBufferBase") {
      $0.glBindBufferBase(GLenum(GL_SHADER_STORAGE_BUFFER), GLuint(index), name.rawValue)
    }
  }

  /// Binds the whole buffer as uniforms at `index`.
  package func bindUniform(index: Int) throws(SafelightError) {
    try gl.call("glBindBufferBase") { $0.glBindBufferBase(GLenum(GL_UNIFORM_BUFFER), GLuint(index), name.rawValue) }
  }
}
