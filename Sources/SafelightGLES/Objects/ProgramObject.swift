internal import CGLES
package import SafelightImage
internal import SafelightShaders

/// A linked program.
package final class ProgramObject {
  let gl: GLFunctions
  let name: GLName<ProgramKind>
  private let threadsPerGrid: GLint
  /// The locations of the uniforms for buffer offsets, by buffer index; filled as buffers are bound.
  private var bufferOffsets: [Int: GLint] = [:]
  private let baseInstance: GLint

  /// Takes over a linked program.
  init(_ context: Context, adopting program: consuming GLName<ProgramKind>, label: String) {
    gl = context.gl
    threadsPerGrid = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_threadsPerGrid")
    baseInstance = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_baseInstance")
    context.label(GL_PROGRAM, program.rawValue, label)
    name = program
  }

  /// Uses the program for draws and dispatches.
  package func use() throws(SafelightError) {
    try gl.call("glUseProgram") { $0.glUseProgram(name.rawValue) }
  }

  /// Sets the number of threads of a compute program's grid, with which it masks the edge; the program must be in use.
  package func setThreadsPerGrid(_ size: Size) throws(SafelightError) {
    guard threadsPerGrid >= 0 else { return }
    try gl.call("glUniform2ui") { $0.glUniform2ui(threadsPerGrid, GLuint(size.width), GLuint(size.height)) }
  }

  /// Sets the offset of the buffer at `index` within its binding, in words; returns false if the program has no such
  /// uniform. The program must be in use.
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

  /// Sets a vertex function's first instance number; the program must be in use.
  package func setBaseInstance(_ instance: Int) throws(SafelightError) {
    guard baseInstance >= 0 else { return }
    try gl.call("glUniform1i") { $0.glUniform1i(baseInstance, GLint(instance)) }
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
  private var program: GLName<ProgramKind>?
  private var shaders: [ShaderHandle] = []

  private final class ShaderHandle {
    let name: GLName<ShaderKind>

    init(_ name: consuming GLName<ShaderKind>) { self.name = name }
  }

  /// Starts compiling and linking (`glCompileShader`, `glLinkProgram`). `isRetrievable` allows
  /// ``ProgramObject/binary()``.
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
      // Some drivers keep no binary without the hint.
      try gl.call("glProgramParameteri") {
        $0.glProgramParameteri(program, GLenum(GL_PROGRAM_BINARY_RETRIEVABLE_HINT), GL_TRUE)
      }
    }
    try gl.call("glLinkProgram") { $0.glLinkProgram(program) }
  }

  /// Whether ``finish()`` will not wait; true if the driver cannot tell.
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

/// A linked program in the driver's own form (`glGetProgramBinary`), valid for that driver only.
package struct ProgramBinary: Hashable, Sendable {
  /// The driver's number of the format.
  package let format: UInt32
  package let bytes: [UInt8]

  package init(format: UInt32, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }
}

extension ProgramObject {
  /// Restores a program; nil if the driver rejects it, which it may do at any time (ES 3.1 §7.5).
  package convenience init?(_ context: Context, restoring binary: ProgramBinary, label: String) {
    let gl = context.gl
    guard let length = GLsizei(exactly: binary.bytes.count) else { return nil }
    let program = GLName<ProgramKind>(adopting: gl.table.glCreateProgram(), gl)
    unsafe binary.bytes.withUnsafeBytes {
      unsafe gl.table.glProgramBinary(program.rawValue, GLenum(binary.format), $0.baseAddress, length)
    }
    var linked: GLint = 0
    unsafe gl.table.glGetProgramiv(program.rawValue, GLenum(GL_LINK_STATUS), &linked)
    // A rejected format also raises an error, which must not be attributed to the next command.
    gl.discardErrors()
    guard linked != 0 else { return nil }
    self.init(context, adopting: program, label: label)
  }

  /// Returns the program in the driver's form; nil if the driver supports none.
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
  /// Clears the error flags. A lost context raises its own forever, so the number of attempts is limited.
  func discardErrors() {
    for _ in 0..<8 where table.glGetError() == UInt32(GL_NO_ERROR) { return }
  }
}
