internal import CGLES
package import SafelightImage
package import SafelightShaders

/// A stage of a program.
package enum ShaderStage: String, Codable, Sendable {
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

/// The source of one stage, complete from its version line on.
package struct StageSource: Sendable {
  package let stage: ShaderStage
  package let name: String
  package let shader: AssembledShader

  package init(stage: ShaderStage, name: String, shader: AssembledShader) {
    self.stage = stage
    self.name = name
    self.shader = shader
  }
}

/// A program being compiled, possibly on threads of the driver.
///
/// The driver is not queried until ``finish()``, because every query waits for the result
/// (GL_KHR_parallel_shader_compile).
package final class ProgramCompilation {
  private let context: Context
  private let gl: GLFunctions
  private let stages: [StageSource]
  private let label: String
  private var program: GLName?
  private var shaders: [GLObject] = []

  /// Starts compiling and linking (`glCompileShader`, `glLinkProgram`). `isRetrievable` allows
  /// ``ProgramObject/binary()``.
  package init(
    _ context: Context, stages: [StageSource], label: String, isRetrievable: Bool = false
  ) throws(SafelightError) {
    self.context = context
    gl = context.gl
    self.stages = stages
    self.label = label
    let owner = GLName(.program, gl)
    let program = owner.rawValue
    self.program = consume owner
    for stage in stages {
      let shader = GLObject(GLName(.shader(stage.stage.glValue), gl))
      shaders.append(shader)
      unsafe stage.shader.text.withCString { text in
        unsafe withUnsafePointer(to: text) {
          unsafe gl.table.glShaderSource(
            shader.rawValue, 1, UnsafePointer<UnsafePointer<GLchar>?>(OpaquePointer($0)), nil)
        }
      }
      try gl.call("glCompileShader") { $0.glCompileShader(shader.rawValue) }
      try gl.call("glAttachShader") { $0.glAttachShader(program, shader.rawValue) }
    }
    if isRetrievable {
      // Some drivers keep no binary without the hint.
      try gl.call("glProgramParameteri") {
        $0.glProgramParameteri(program, GLenum(GL_PROGRAM_BINARY_RETRIEVABLE_HINT), GL_TRUE)
      }
    }
    try gl.call("glLinkProgram") { $0.glLinkProgram(program) }
  }

  /// True if ``finish()`` will not wait; true if the driver cannot tell.
  ///
  /// The driver uses any number of threads: `GL_MAX_SHADER_COMPILER_THREADS_KHR` is initially unlimited.
  package var isComplete: Bool {
    guard context.capabilities.compilesInParallel, let program = program?.rawValue else { return true }
    var done: GLint = GL_TRUE
    unsafe gl.table.glGetProgramiv(program, GLenum(GL_COMPLETION_STATUS_KHR), &done)
    return done != 0
  }

  /// Waits for the compiler and returns the program; call it once.
  ///
  /// - Throws: ``SafelightError`` of kind `driver` with the driver's log and the lines that it refers to.
  package func finish() throws(SafelightError) -> ProgramObject {
    guard let program = program.take() else { trap("program '\(label)' was taken twice") }
    for (stage, shader) in zip(stages, shaders) {
      let isCompiled = unsafe gl.query { unsafe $0.glGetShaderiv(shader.rawValue, GLenum(GL_COMPILE_STATUS), $1) }
      guard isCompiled != 0 else {
        let log = unsafe Self.log(shader.rawValue, gl.table.glGetShaderiv, gl.table.glGetShaderInfoLog)
        throw ShaderLog(log).error(for: stage)
      }
    }
    guard gl.property(GL_LINK_STATUS, of: program.rawValue) != 0 else {
      let log = unsafe Self.log(program.rawValue, gl.table.glGetProgramiv, gl.table.glGetProgramInfoLog)
      throw SafelightError(
        .driver, "program '\(label)' does not link", why: log,
        remedy: "correct the functions; if they are built in, report it with the name of the driver")
    }
    return ProgramObject(context, adopting: program, label: label)
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

/// A driver's compile log, and the source lines that it refers to.
package struct ShaderLog {
  let text: String

  package init(_ text: String) {
    self.text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The line of the first error.
  package var line: Int? {
    let rows = text.split(separator: "\n").map(Row.init)
    let said = rows.first { $0.text.lowercased().contains("error") && $0.line != nil }
    // ARM's log does not contain "error".
    return (said ?? rows.first { $0.line != nil && !$0.text.lowercased().contains("warning") })?.line
  }

  /// Returns an error with the stage's name, the log in terms of the author's own lines, and three of these around the
  /// first error.
  package func error(for source: StageSource) -> SafelightError {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
      let row = Row(row)
      guard let line = row.line, let origin = source.shader.origin(ofLine: line) else { return String(row.text) }
      return "\(row.beginning)\(origin.place)\(row.rest)"
    }
    var why = rows.joined(separator: "\n")
    if let line, let origin = source.shader.origin(ofLine: line) {
      why += "\nat \(origin)"
      why += origin.excerpt.map { "\n  \($0)" }.joined()
    }
    return SafelightError(
      .driver, "\(source.stage.rawValue) function '\(source.name)' does not compile", why: why,
      remedy: "correct the function; if it is built in, report it with the name of the driver")
  }

  /// A row of the log, split around the place it refers to: Mesa writes `0:17(5): error`, NVIDIA `0(17) : error`, most
  /// others `ERROR: 0:17:` and ARM `0:17: L0001:`. The number before the line is that of the source string, of which
  /// there is one.
  private struct Row {
    let text: Substring
    var beginning: Substring = ""
    var line: Int?
    var rest: Substring

    init(_ text: Substring) {
      self.text = text
      rest = text
      for word in ["", "ERROR: ", "WARNING: "] where text.hasPrefix(word) {
        let place = text.dropFirst(word.count)
        let afterString = place.drop { $0.isNumber }
        guard afterString.startIndex > place.startIndex, let mark = afterString.first, mark == ":" || mark == "(" else {
          continue
        }
        let digits = afterString.dropFirst().prefix { $0.isNumber }
        guard let number = Int(digits) else { continue }
        beginning = text.prefix(word.count)
        line = number
        rest = afterString[digits.endIndex...]
        if mark == "(" { rest = rest.dropFirst() }
      }
    }
  }
}
