internal import CGLES

/// A linked program in the driver's own form (`glGetProgramBinary`), for the driver that made it and no other.
package struct ProgramBinary: Hashable, Sendable {
  /// The driver's name of the form.
  package let format: UInt32
  package let bytes: [UInt8]

  package init(format: UInt32, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }
}

extension ProgramObject {
  /// Restores a program; nil where the driver refuses, which it may at any time (ES 3.1 §7.5).
  package convenience init?(_ context: Context, restoring binary: ProgramBinary, label: String) {
    let gl = context.gl
    guard let length = GLsizei(exactly: binary.bytes.count) else { return nil }
    let program = GLName<ProgramKind>(adopting: gl.table.glCreateProgram(), gl)
    unsafe binary.bytes.withUnsafeBytes {
      unsafe gl.table.glProgramBinary(program.rawValue, GLenum(binary.format), $0.baseAddress, length)
    }
    var linked: GLint = 0
    unsafe gl.table.glGetProgramiv(program.rawValue, GLenum(GL_LINK_STATUS), &linked)
    // A refused format raises an error too, which must not be blamed on the next command.
    gl.discardErrors()
    guard linked != 0 else { return nil }
    self.init(context, adopting: program, label: label)
  }

  /// The program in the driver's form; nil where the driver keeps none.
  package func binary() -> ProgramBinary? {
    var length: GLint = 0
    unsafe gl.table.glGetProgramiv(name.rawValue, GLenum(GL_PROGRAM_BINARY_LENGTH), &length)
    guard length > 0 else { return nil }
    var format: GLenum = 0
    var written: GLsizei = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
      unsafe gl.table.glGetProgramBinary(name.rawValue, length, &written, &format, bytes.baseAddress)
      count = Int(max(0, min(written, length)))
    }
    gl.discardErrors()
    return bytes.isEmpty ? nil : ProgramBinary(format: format, bytes: bytes)
  }
}

extension GLFunctions {
  /// Empties the error flags; a lost context raises its own for ever, so not without end.
  func discardErrors() {
    for _ in 0..<8 where table.glGetError() == UInt32(GL_NO_ERROR) { return }
  }
}
