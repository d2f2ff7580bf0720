internal import CGLES
package import SafelightImage

/// A linked program.
package final class ProgramObject {
  let gl: GLFunctions
  let name: GLName<ProgramKind>
  private let threadsPerGrid: GLint
  /// Where the words that are added to the indices of each buffer go; filled as buffers are bound.
  private var bufferOffsets: [Int: GLint] = [:]
  private let baseInstance: GLint

  /// Takes a program that was linked.
  init(_ context: Context, adopting program: consuming GLName<ProgramKind>, label: String) {
    gl = context.gl
    threadsPerGrid = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_threadsPerGrid")
    baseInstance = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_baseInstance")
    context.label(GL_PROGRAM, program.rawValue, label)
    name = program
  }

  /// Makes the program the one that draws and dispatches use.
  package func use() throws(SafelightError) {
    try gl.call("glUseProgram") { $0.glUseProgram(name.rawValue) }
  }

  /// Tells a compute program how many threads the grid has, for the mask at its edge; the program must be in use.
  package func setThreadsPerGrid(_ size: Size) throws(SafelightError) {
    guard threadsPerGrid >= 0 else { return }
    try gl.call("glUniform2ui") { $0.glUniform2ui(threadsPerGrid, GLuint(size.width), GLuint(size.height)) }
  }

  /// Tells the program how many words into what is bound at `index` the buffer begins; false where it does not ask. It must be in
  /// use.
  package func setBufferOffset(words: Int, index: Int) throws(SafelightError) -> Bool {
    let location: GLint
    if let known = bufferOffsets[index] {
      location = known
    } else {
      location = unsafe gl.table.glGetUniformLocation(name.rawValue, "safelight_bufferOffsets[\(index)]")
      bufferOffsets[index] = location
    }
    guard location >= 0 else { return false }
    try gl.call("glUniform1ui") { $0.glUniform1ui(location, GLuint(words)) }
    return true
  }

  /// Tells a vertex function the number of its first instance; the program must be in use.
  package func setBaseInstance(_ instance: Int) throws(SafelightError) {
    guard baseInstance >= 0 else { return }
    try gl.call("glUniform1i") { $0.glUniform1i(baseInstance, GLint(instance)) }
  }
}
