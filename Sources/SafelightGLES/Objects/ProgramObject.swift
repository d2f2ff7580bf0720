internal import CGLES
package import SafelightImage

/// A linked program.
package final class ProgramObject {
  let gl: GLFunctions
  let name: GLName
  private let threadsPerGrid: GLint
  /// The locations of the uniforms for buffer offsets, by buffer index; filled as buffers are bound.
  private var bufferOffsets: [Int: GLint] = [:]
  private let baseInstance: GLint

  /// Takes over a linked program.
  init(_ context: Context, adopting program: consuming GLName, label: String) {
    gl = context.gl
    threadsPerGrid = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_threadsPerGrid")
    baseInstance = unsafe gl.table.glGetUniformLocation(program.rawValue, "safelight_baseInstance")
    context.label(GL_PROGRAM, program.rawValue, label)
    name = program
  }

  /// Uses the program for draws and dispatches.
  package func use() throws(SafelightError) { try gl.call("glUseProgram") { $0.glUseProgram(name.rawValue) } }

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
    let program = GLName(.program, gl)
    unsafe binary.bytes.withUnsafeBytes {
      unsafe gl.table.glProgramBinary(program.rawValue, GLenum(binary.format), $0.baseAddress, length)
    }
    let isLinked = gl.property(GL_LINK_STATUS, of: program.rawValue) != 0
    // A rejected format also raises an error, which must not be attributed to the next command.
    gl.discardErrors()
    guard isLinked else { return nil }
    self.init(context, adopting: program, label: label)
  }

  /// Returns the program in the driver's form; nil if the driver supports none.
  package func binary() -> ProgramBinary? {
    let length = gl.property(GL_PROGRAM_BINARY_LENGTH, of: name.rawValue)
    guard length > 0 else { return nil }
    var format: GLenum = 0
    var written: GLsizei = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      unsafe gl.table.glGetProgramBinary(name.rawValue, GLsizei(length), &written, &format, bytes.baseAddress)
      count = max(0, min(Int(written), length))
    }
    gl.discardErrors()
    return bytes.isEmpty ? nil : ProgramBinary(format: format, bytes: bytes)
  }
}

extension GLFunctions {
  /// Returns a property of a program (`glGetProgramiv`).
  func property(_ property: Int32, of program: GLuint) -> Int {
    unsafe query { unsafe $0.glGetProgramiv(program, GLenum(property), $1) }
  }
}

/// A binding point of a linked program, as the driver reports it (ES 3.1 §7.3.1).
package struct ProgramResource: Hashable, Sendable {
  /// The kinds of binding points.
  package enum Kind: String, Sendable {
    case sampler
    case image
    case uniformBlock
    case storageBlock
    /// A uniform of the default block, such as `uniform float amount`.
    case uniform
  }

  package let kind: Kind
  /// The name in GLSL; for a block its own name, not its instance's.
  package let name: String
  /// The `binding`, or the location of a loose uniform.
  package let index: Int
  /// The GLSL type of a sampler or image; empty for others.
  package let type: String
  /// The number of array elements.
  package let count: Int
  /// The size of a block in bytes; 0 for others.
  package let dataSize: Int

  package init(_ kind: Kind, name: String, index: Int, type: String = "", count: Int = 1, dataSize: Int = 0) {
    self.kind = kind
    self.name = name
    self.index = index
    self.type = type
    self.count = count
    self.dataSize = dataSize
  }
}

extension ProgramObject {
  /// The active resources of the program; the compiler removes unused ones.
  package var resources: [ProgramResource] {
    blocks(GL_UNIFORM_BLOCK, .uniformBlock) + blocks(GL_SHADER_STORAGE_BLOCK, .storageBlock) + uniforms
  }

  private func blocks(_ interface: Int32, _ kind: ProgramResource.Kind) -> [ProgramResource] {
    (0..<property(GL_ACTIVE_RESOURCES, of: interface)).map { index in
      let values = properties(interface, index, [GL_BUFFER_BINDING, GL_BUFFER_DATA_SIZE])
      return ProgramResource(kind, name: name(interface, index), index: values[0], dataSize: values[1])
    }
  }

  private var uniforms: [ProgramResource] {
    (0..<property(GL_ACTIVE_RESOURCES, of: GL_UNIFORM)).compactMap { index in
      let values = properties(GL_UNIFORM, index, [GL_BLOCK_INDEX, GL_LOCATION, GL_TYPE, GL_ARRAY_SIZE])
      guard values[0] < 0 else { return nil }
      let resourceName = name(GL_UNIFORM, index)
      guard let opaque = Self.opaqueTypes[Int32(truncatingIfNeeded: values[2])] else {
        return ProgramResource(.uniform, name: resourceName, index: values[1], count: values[3])
      }
      let unit = unsafe gl.query { unsafe $0.glGetUniformiv(self.name.rawValue, GLint(values[1]), $1) }
      return ProgramResource(
        opaque.contains("image") ? .image : .sampler, name: resourceName, index: unit, type: opaque, count: values[3])
    }
  }

  private func property(_ property: Int32, of interface: Int32) -> Int {
    unsafe gl.query { unsafe $0.glGetProgramInterfaceiv(name.rawValue, GLenum(interface), GLenum(property), $1) }
  }

  private func name(_ interface: Int32, _ index: Int) -> String {
    var text = [GLchar](repeating: 0, count: max(1, property(GL_MAX_NAME_LENGTH, of: interface)))
    unsafe gl.table.glGetProgramResourceName(
      name.rawValue, GLenum(interface), GLuint(index), GLsizei(text.count), nil, &text)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private func properties(_ interface: Int32, _ index: Int, _ names: [Int32]) -> [Int] {
    let names = names.map(GLenum.init)
    var values = [GLint](repeating: 0, count: names.count)
    unsafe gl.table.glGetProgramResourceiv(
      name.rawValue, GLenum(interface), GLuint(index), GLsizei(names.count), names, GLsizei(names.count), nil, &values)
    return values.map(Int.init)
  }

  private static let opaqueTypes: [Int32: String] = [
    GL_SAMPLER_2D: "sampler2D", GL_SAMPLER_3D: "sampler3D", GL_SAMPLER_CUBE: "samplerCube",
    GL_SAMPLER_2D_ARRAY: "sampler2DArray", GL_SAMPLER_2D_SHADOW: "sampler2DShadow",
    GL_SAMPLER_2D_ARRAY_SHADOW: "sampler2DArrayShadow", GL_SAMPLER_CUBE_SHADOW: "samplerCubeShadow",
    GL_SAMPLER_2D_MULTISAMPLE: "sampler2DMS", GL_SAMPLER_BUFFER: "samplerBuffer",
    GL_SAMPLER_EXTERNAL_OES: "samplerExternalOES",
    GL_INT_SAMPLER_2D: "isampler2D", GL_INT_SAMPLER_3D: "isampler3D", GL_INT_SAMPLER_CUBE: "isamplerCube",
    GL_INT_SAMPLER_2D_ARRAY: "isampler2DArray", GL_INT_SAMPLER_2D_MULTISAMPLE: "isampler2DMS",
    GL_INT_SAMPLER_BUFFER: "isamplerBuffer",
    GL_UNSIGNED_INT_SAMPLER_2D: "usampler2D", GL_UNSIGNED_INT_SAMPLER_3D: "usampler3D",
    GL_UNSIGNED_INT_SAMPLER_CUBE: "usamplerCube", GL_UNSIGNED_INT_SAMPLER_2D_ARRAY: "usampler2DArray",
    GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE: "usampler2DMS", GL_UNSIGNED_INT_SAMPLER_BUFFER: "usamplerBuffer",
    GL_IMAGE_2D: "image2D", GL_IMAGE_3D: "image3D", GL_IMAGE_CUBE: "imageCube", GL_IMAGE_2D_ARRAY: "image2DArray",
    GL_IMAGE_BUFFER: "imageBuffer",
    GL_INT_IMAGE_2D: "iimage2D", GL_INT_IMAGE_3D: "iimage3D", GL_INT_IMAGE_CUBE: "iimageCube",
    GL_INT_IMAGE_2D_ARRAY: "iimage2DArray", GL_INT_IMAGE_BUFFER: "iimageBuffer",
    GL_UNSIGNED_INT_IMAGE_2D: "uimage2D", GL_UNSIGNED_INT_IMAGE_3D: "uimage3D",
    GL_UNSIGNED_INT_IMAGE_CUBE: "uimageCube", GL_UNSIGNED_INT_IMAGE_2D_ARRAY: "uimage2DArray",
    GL_UNSIGNED_INT_IMAGE_BUFFER: "uimageBuffer",
  ]
}
