internal import CGLES
package import SafelightImage

/// A GL buffer, filled with zeros when made.
@safe package final class BufferObject {
  package let length: Int

  /// The bytes as memory of the process, valid as long as this object; nil if the buffer is not mapped.
  package private(set) var mapped: UnsafeMutableRawBufferPointer?

  private let gl: GLFunctions
  let name: GLName

  /// Allocates `length` bytes (`glBufferData`); if `isMapped`, they stay mapped, persistent and coherent, so that
  /// neither side needs to flush (`glBufferStorageEXT`).
  package init(_ context: Context, length: Int, isMapped: Bool = false, label: String) throws(SafelightError) {
    gl = context.gl
    self.length = length
    name = GLName(.buffer, context.gl)
    try bind(Self.target)
    let what = isMapped ? "shared buffer '\(label)'" : "buffer '\(label)'"
    let zeros = [UInt8](repeating: 0, count: length)
    if isMapped {
      let access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT
      unsafe gl.table.glBufferStorageEXT?(Self.target, length, zeros, GLbitfield(access | GL_DYNAMIC_STORAGE_BIT_EXT))
      let pointer = unsafe gl.table.glMapBufferRange(Self.target, 0, length, GLbitfield(access))
      unsafe mapped = unsafe pointer.map { unsafe UnsafeMutableRawBufferPointer(start: $0, count: length) }
    } else {
      try gl.call("glBufferData") { unsafe $0.glBufferData(Self.target, length, zeros, GLenum(GL_DYNAMIC_COPY)) }
    }
    try gl.check("\(what) of \(length) bytes")
    try ensure(
      unsafe mapped != nil || !isMapped, .driver, what, why: "the driver could not map its memory and gave no reason",
      remedy: "give it the storage mode private, and read it with a blit encoder")
    context.label(GL_BUFFER, name.rawValue, label)
  }

  /// The target of copies and updates, which affects no indexed binding.
  private static var target: GLenum { GLenum(GL_COPY_WRITE_BUFFER) }

  /// Writes `bytes` at `offset` (`glBufferSubData`).
  package func write(_ bytes: [UInt8], at offset: Int) throws(SafelightError) {
    try bind(Self.target)
    try gl.call("glBufferSubData") { unsafe $0.glBufferSubData(Self.target, offset, bytes.count, bytes) }
  }

  /// Writes bytes of memory at `offset` (`glBufferSubData`).
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SafelightError) {
    guard unsafe !bytes.isEmpty else { return }
    try bind(Self.target)
    try gl.call("glBufferSubData") { unsafe $0.glBufferSubData(Self.target, offset, bytes.count, bytes.baseAddress) }
  }

  /// Returns the bytes of `range` (`glMapBufferRange`); waits for earlier commands.
  package func read(_ range: Range<Int>) throws(SafelightError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      unsafe try read(range, into: UnsafeMutableRawBufferPointer(bytes))
    }
    return bytes
  }

  /// Copies `range` into memory of the same length (`glMapBufferRange`); waits for earlier commands.
  package func read(_ range: Range<Int>, into bytes: UnsafeMutableRawBufferPointer) throws(SafelightError) {
    guard !range.isEmpty else { return }
    // A buffer cannot be mapped twice.
    if let mapped = unsafe mapped {
      return unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: mapped[range]))
    }
    try bind(Self.target)
    let mapped = unsafe gl.table.glMapBufferRange(
      Self.target, range.lowerBound, range.count, GLbitfield(GL_MAP_READ_BIT))
    guard let mapped = unsafe mapped else {
      try gl.check("glMapBufferRange")
      throw SafelightError(
        .driver, "glMapBufferRange", why: "the driver mapped no memory and gave no reason",
        remedy: "report it with the name of the driver")
    }
    unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: mapped, count: range.count))
    try ensure(
      gl.table.glUnmapBuffer(Self.target) != 0, .driver, "glUnmapBuffer",
      why: "the buffer's contents were lost while it was mapped", remedy: "run again")
  }

  /// Copies bytes into another buffer, or elsewhere in this one (`glCopyBufferSubData`).
  package func copy(_ range: Range<Int>, to other: BufferObject, at offset: Int) throws(SafelightError) {
    try bind(GLenum(GL_COPY_READ_BUFFER))
    try other.bind(Self.target)
    try gl.call("glCopyBufferSubData") {
      $0.glCopyBufferSubData(GLenum(GL_COPY_READ_BUFFER), Self.target, range.lowerBound, offset, range.count)
    }
  }

  /// Runs `body` while texture uploads read from this buffer (`GL_PIXEL_UNPACK_BUFFER`).
  package func asUploadSource(_ body: () throws(SafelightError) -> Void) throws(SafelightError) {
    try bind(GLenum(GL_PIXEL_UNPACK_BUFFER))
    defer { gl.table.glBindBuffer(GLenum(GL_PIXEL_UNPACK_BUFFER), 0) }
    try body()
  }

  /// Binds the buffer to `target`.
  func bind(_ target: GLenum) throws(SafelightError) {
    try gl.call("glBindBuffer") { $0.glBindBuffer(target, name.rawValue) }
  }

  /// Makes the buffer the source of arguments for indirect dispatches.
  package func bindIndirect() throws(SafelightError) { try bind(GLenum(GL_DISPATCH_INDIRECT_BUFFER)) }

  /// Binds the buffer from `offset` on as storage at `index`. The offset must be a multiple of
  /// ``Capabilities/bufferOffsetAlignment``.
  package func bindStorage(index: Int, offset: Int = 0) throws(SafelightError) {
    try bindRange(GL_SHADER_STORAGE_BUFFER, index: index, offset..<length)
  }

  /// Binds `range`, by default all bytes, as uniforms at `index`. The range must begin at a multiple of
  /// ``Context/uniformBufferAlignment``.
  package func bindUniform(index: Int, range: Range<Int>? = nil) throws(SafelightError) {
    try bindRange(GL_UNIFORM_BUFFER, index: index, range ?? 0..<length)
  }

  private func bindRange(_ target: Int32, index: Int, _ range: Range<Int>) throws(SafelightError) {
    if range == 0..<length {
      try gl.call("glBindBufferBase") { $0.glBindBufferBase(GLenum(target), GLuint(index), name.rawValue) }
    } else {
      try gl.call("glBindBufferRange") {
        $0.glBindBufferRange(GLenum(target), GLuint(index), name.rawValue, range.lowerBound, range.count)
      }
    }
  }
}
