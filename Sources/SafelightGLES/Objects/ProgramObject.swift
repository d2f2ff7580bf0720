internal import CGLES
package import SafelightImage

/// A stage of a program.
package enum ShaderStage: String, Sendable {
  case compute
  case vertex
  case fragment

  var glValue: GLenum {
    switch self {
    case .compute: GLenum(GL_COMPUTE_SHADER)
    case .vertex: GLenum(GL_VERTEX_SHADER)
    case .fragment: GLenum(GL_FRAGMENT_SHADER)
    }
  }
}

/// The text of one stage, complete from its version line on.
package struct StageSource: Sendable {
  package let stage: ShaderStage
  package let name: String
  package let text: String

  package init(stage: ShaderStage, name: String, text: String) {
    self.stage = stage
    self.name = name
    self.text = text
  }
}

/// A linked program.
package final class ProgramObject {
  private let gl: GLFunctions
  private let name: GLName<ProgramKind>
  private let threadsPerGrid: GLint
  /// Where the words that are added to the indices of each buffer go; filled as buffers are bound.
  private var bufferOffsets: [Int: GLint] = [:]

  /// Compiles and links; an error carries the driver's log and the lines it points at.
  package init(_ context: Context, stages: [StageSource], label: String) throws(SafelightError) {
    let gl = context.gl
    self.gl = gl
    let program = gl.table.glCreateProgram()
    name = GLName(adopting: program, gl)
    for stage in stages {
      let shader = try Self.compile(stage, gl)
      try gl.call("glAttachShader") { $0.glAttachShader(program, shader.rawValue) }
    }
    try gl.call("glLinkProgram") { $0.glLinkProgram(program) }
    var linked: GLint = 0
    unsafe gl.table.glGetProgramiv(program, GLenum(GL_LINK_STATUS), &linked)
    guard linked != 0 else {
      let log = unsafe Self.log(program, gl.table.glGetProgramiv, gl.table.glGetProgramInfoLog)
      throw SafelightError(
        .driver, "program '\(label)' does not link", why: log, remedy: "report it with the output of safelight devices")
    }
    threadsPerGrid = unsafe gl.table.glGetUniformLocation(program, "safelight_threadsPerGrid")
    context.label(GL_PROGRAM, program, label)
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

  private static func compile(_ source: StageSource, _ gl: GLFunctions) throws(SafelightError) -> GLName<ShaderKind> {
    let shader = GLName<ShaderKind>(adopting: gl.table.glCreateShader(source.stage.glValue), gl)
    unsafe source.text.withCString { text in
      unsafe withUnsafePointer(to: text) {
        unsafe gl.table.glShaderSource(
          shader.rawValue, 1, UnsafePointer<UnsafePointer<GLchar>?>(OpaquePointer($0)), nil)
      }
    }
    try gl.call("glCompileShader") { $0.glCompileShader(shader.rawValue) }
    var compiled: GLint = 0
    unsafe gl.table.glGetShaderiv(shader.rawValue, GLenum(GL_COMPILE_STATUS), &compiled)
    guard compiled != 0 else {
      let log = unsafe log(shader.rawValue, gl.table.glGetShaderiv, gl.table.glGetShaderInfoLog)
      throw ShaderLog(log).error(for: source)
    }
    return shader
  }

  private static func log(
    _ object: GLuint, _ query: (GLuint, GLenum, UnsafeMutablePointer<GLint>?) -> Void,
    _ read: (GLuint, GLsizei, UnsafeMutablePointer<GLsizei>?, UnsafeMutablePointer<GLchar>?) -> Void
  ) -> String {
    var length: GLint = 0
    unsafe query(object, GLenum(GL_INFO_LOG_LENGTH), &length)
    guard length > 1 else { return "the driver gave no reason" }
    var text = [GLchar](repeating: 0, count: Int(length))
    unsafe read(object, length, nil, &text)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
