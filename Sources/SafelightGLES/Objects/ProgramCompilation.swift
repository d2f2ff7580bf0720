internal import CGLES
package import SafelightImage
internal import SafelightShaders

/// A program on its way through the driver's compiler, which may run on threads of the driver's.
///
/// Nothing is asked of the driver until ``finish()``, since every question waits for the answer
/// (GL_KHR_parallel_shader_compile).
package final class ProgramCompilation {
  private let context: Context
  private let gl: GLFunctions
  private let stages: [StageSource]
  private let label: String
  private var program: GLName<ProgramKind>?
  private var shaders: [ShaderHandle] = []

  /// Owns a shader's name inside an array, which cannot hold what cannot be copied.
  private final class ShaderHandle {
    let name: GLName<ShaderKind>

    init(_ name: consuming GLName<ShaderKind>) { self.name = name }
  }

  /// Hands texts to the compiler (`glCompileShader`, `glLinkProgram`); an archive asks for `isRetrievable` programs.
  package init(
    _ context: Context, stages: [StageSource], label: String, isRetrievable: Bool = false
  ) throws(SafelightError) {
    self.context = context
    gl = context.gl
    self.stages = stages
    self.label = label
    let program = gl.table.glCreateProgram()
    self.program = GLName(adopting: program, gl)
    for stage in stages {
      let shader = ShaderHandle(GLName(adopting: gl.table.glCreateShader(stage.stage.glValue), gl))
      shaders.append(shader)
      unsafe stage.shader.text.withCString { text in
        unsafe withUnsafePointer(to: text) {
          unsafe gl.table.glShaderSource(
            shader.name.rawValue, 1, UnsafePointer<UnsafePointer<GLchar>?>(OpaquePointer($0)), nil)
        }
      }
      try gl.call("glCompileShader") { $0.glCompileShader(shader.name.rawValue) }
      try gl.call("glAttachShader") { $0.glAttachShader(program, shader.name.rawValue) }
    }
    if isRetrievable {
      // Some drivers keep nothing without the hint.
      try gl.call("glProgramParameteri") {
        $0.glProgramParameteri(program, GLenum(GL_PROGRAM_BINARY_RETRIEVABLE_HINT), GL_TRUE)
      }
    }
    try gl.call("glLinkProgram") { $0.glLinkProgram(program) }
  }

  /// Whether ``finish()`` will not wait; true where the driver cannot tell.
  ///
  /// The driver uses as many threads as it likes: `GL_MAX_SHADER_COMPILER_THREADS_KHR` begins without a limit.
  package var isComplete: Bool {
    guard context.capabilities.compilesInParallel, let program = program?.rawValue else { return true }
    var done: GLint = GL_TRUE
    unsafe gl.table.glGetProgramiv(program, GLenum(GL_COMPLETION_STATUS_KHR), &done)
    return done != 0
  }

  /// Waits for the compiler and takes the program; an error carries the driver's log and the lines it points at.
  package func finish() throws(SafelightError) -> ProgramObject {
    guard let program = program.take() else {
      trap("program '\(label)' was taken twice")
    }
    for (stage, shader) in zip(stages, shaders) {
      var compiled: GLint = 0
      unsafe gl.table.glGetShaderiv(shader.name.rawValue, GLenum(GL_COMPILE_STATUS), &compiled)
      guard compiled != 0 else {
        let log = unsafe Self.log(shader.name.rawValue, gl.table.glGetShaderiv, gl.table.glGetShaderInfoLog)
        throw ShaderLog(log).error(for: stage)
      }
    }
    var linked: GLint = 0
    unsafe gl.table.glGetProgramiv(program.rawValue, GLenum(GL_LINK_STATUS), &linked)
    guard linked != 0 else {
      let log = unsafe Self.log(program.rawValue, gl.table.glGetProgramiv, gl.table.glGetProgramInfoLog)
      throw SafelightError(
        .driver, "program '\(label)' does not link", why: log,
        remedy: "correct the functions; built-in ones: report it with the name of the driver")
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
