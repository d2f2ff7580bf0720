internal import CGLES
package import SafelightImage

/// A GL buffer, filled with zeros when made.
@safe package final class BufferObject {
  package let length: Int

  /// The bytes as memory of the process, valid as long as this object; nil if the buffer is not mapped.
  package private(set) var mapped: UnsafeMutableRawBufferPointer?

  private let gl: GLFunctions
  let name: GLName

  /// Allocates `length` bytes (`glBufferData`).
  package init(_ context: Context, length: Int, label: String) throws(SafelightError) {
    gl = context.gl
    self.length = length
    name = GLName(.buffer, context.gl)
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    let zeros = [UInt8](repeating: 0, count: length)
    try gl.call("glBufferData") { unsafe $0.glBufferData(Self.target, length, zeros, GLenum(GL_DYNAMIC_COPY)) }
    try gl.check("buffer '\(label)' of \(length) bytes")
    context.label(GL_BUFFER, name.rawValue, label)
  }

  /// Allocates `length` bytes that stay mapped, persistent and coherent, so that neither side needs to flush
  /// (`glBufferStorageEXT`).
  package init(mapping context: Context, length: Int, label: String) throws(SafelightError) {
    gl = context.gl
    self.length = length
    name = GLName(.buffer, context.gl)
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    let access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT
    let zeros = [UInt8](repeating: 0, count: length)
    unsafe gl.table.glBufferStorageEXT?(Self.target, length, zeros, GLbitfield(access | GL_DYNAMIC_STORAGE_BIT_EXT))
    let pointer = unsafe gl.table.glMapBufferRange(Self.target, 0, length, GLbitfield(access))
    try gl.check("shared buffer '\(label)' of \(length) bytes")
    guard let pointer = unsafe pointer else {
      throw SafelightError(
        .driver, "shared buffer '\(label)'", why: "the driver could not map its memory and gave no reason",
        remedy: "give it the storage mode private, and read it with a blit encoder")
    }
    unsafe mapped = UnsafeMutableRawBufferPointer(start: pointer, count: length)
    context.label(GL_BUFFER, name.rawValue, label)
  }

  /// The target of copies and updates, which affects no indexed binding.
  private static var target: GLenum { GLenum(GL_COPY_WRITE_BUFFER) }

  /// Writes `bytes` at `offset` (`glBufferSubData`).
  package func write(_ bytes: [UInt8], at offset: Int) throws(SafelightError) {
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    try gl.call("glBufferSubData") { unsafe $0.glBufferSubData(Self.target, offset, bytes.count, bytes) }
  }

  /// Writes bytes of memory at `offset` (`glBufferSubData`).
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SafelightError) {
    guard unsafe !bytes.isEmpty else { return }
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
    try gl.call("glBufferSubData") { unsafe $0.glBufferSubData(Self.target, offset, bytes.count, bytes.baseAddress) }
  }

  /// Returns the bytes of `range` (`glMapBufferRange`); waits for earlier commands.
  package func read(_ range: Range<Int>) throws(SafelightError) -> [UInt8] {
    var failure: SafelightError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { bytes, initialized in
      do throws(SafelightError) {
        unsafe try read(range, into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: range.count))
        initialized = range.count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Copies `range` into memory of the same length (`glMapBufferRange`); waits for earlier commands.
  package func read(_ range: Range<Int>, into bytes: UnsafeMutableRawBufferPointer) throws(SafelightError) {
    guard !range.isEmpty else { return }
    // A buffer cannot be mapped twice.
    if let mapped = unsafe mapped {
      return unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: mapped[range]))
    }
    try gl.call("glBindBuffer") { $0.glBindBuffer(Self.target, name.rawValue) }
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
