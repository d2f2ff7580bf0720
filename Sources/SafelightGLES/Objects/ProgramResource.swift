internal import CGLES

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
    (0..<count(interface)).map { index in
      let values = properties(interface, index, [GL_BUFFER_BINDING, GL_BUFFER_DATA_SIZE])
      return ProgramResource(kind, name: name(interface, index), index: values[0], dataSize: values[1])
    }
  }

  private var uniforms: [ProgramResource] {
    (0..<count(GL_UNIFORM)).compactMap { index in
      let values = properties(GL_UNIFORM, index, [GL_BLOCK_INDEX, GL_LOCATION, GL_TYPE, GL_ARRAY_SIZE])
      guard values[0] < 0 else { return nil }
      let resourceName = name(GL_UNIFORM, index)
      guard let opaque = Self.opaqueTypes[Int32(truncatingIfNeeded: values[2])] else {
        return ProgramResource(.uniform, name: resourceName, index: values[1], count: values[3])
      }
      var unit: GLint = 0
      unsafe gl.table.glGetUniformiv(self.name.rawValue, GLint(values[1]), &unit)
      return ProgramResource(
        opaque.contains("image") ? .image : .sampler, name: resourceName, index: Int(unit), type: opaque,
        count: values[3])
    }
  }

  private func count(_ interface: Int32) -> Int {
    var count: GLint = 0
    unsafe gl.table.glGetProgramInterfaceiv(name.rawValue, GLenum(interface), GLenum(GL_ACTIVE_RESOURCES), &count)
    return Int(count)
  }

  private func name(_ interface: Int32, _ index: Int) -> String {
    var length: GLint = 0
    unsafe gl.table.glGetProgramInterfaceiv(name.rawValue, GLenum(interface), GLenum(GL_MAX_NAME_LENGTH), &length)
    var text = [GLchar](repeating: 0, count: Int(max(1, length)))
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
