internal import SafelightGLES
internal import SafelightImage

extension FunctionReflection {
  /// Throws where what is bound does not fit its declaration; asked by both executors before each use.
  func check(_ bindings: Bindings, of function: String) throws(SafelightError) {
    for argument in arguments {
      switch argument.binding {
      case .sampledTexture(let index):
        if let texture = bindings.textures[index] { try argument.check(sampled: texture, of: function) }
      case .storageTexture(let index), .readWriteTexture(let index):
        if let texture = bindings.textures[index] { try argument.check(stored: texture, of: function) }
      case .readBuffer, .storageBuffer:
        try argument.check(buffer: bindings, of: function)
      case .bytes(let index):
        if let bytes = bindings.bytes[index] {
          try argument.check(length: bytes.count, "setBytes gives", of: function)
        } else {
          try argument.check(buffer: bindings, of: function)
        }
      }
    }
  }

  /// Throws where a device of `capabilities` has not as many bindings as the function needs.
  func check(_ capabilities: Capabilities, of function: String) throws(SafelightError) {
    try checkExtensions(capabilities, of: function)
    let buffers = arguments.count { $0.binding.noun == "buffer" }
    let images = arguments.count { $0.binding.storedTexture != nil }
    for (count, limit, noun) in [
      (buffers, capabilities.maximumStorageBuffers, "buffers"),
      (images, capabilities.maximumStorageTextures, "storage textures"),
    ] where count > limit {
      throw SafelightError(
        .limit, "'\(function)'", why: "it needs \(count) \(noun); this device has \(limit) for a function",
        remedy: "join some of them; 4 of each work everywhere")
    }
  }
}

extension FunctionReflection.Argument {
  /// Whether a sampler of this type reads numbers of `kind`.
  fileprivate func check(sampled texture: Texture, of function: String) throws(SafelightError) {
    try check(shape: texture, of: function)
    let kind = texture.pixelFormat.sampleKind
    let isInteger = kind == .integer || kind == .stencil
    // A function without GLSL has no types.
    guard !type.isEmpty, isInteger != type.hasPrefix("u") || type.hasPrefix("i") else { return }
    throw mismatch(
      texture, of: function, numbers: type.hasPrefix("u") ? "integers" : type.hasPrefix("i") ? "signed" : "floats",
      remedy: isInteger
        ? "declare a u\(type.drop { $0 == "i" || $0 == "u" }), or bind a normalised texture"
        : "declare a \(type.drop { $0 == "i" || $0 == "u" }), or bind a texture of integers such as rgba16Uint")
  }

  /// Whether the texture has the shape in the type's name, such as `sampler2DArray`.
  private func check(shape texture: Texture, of function: String) throws(SafelightError) {
    let textureType = texture.descriptor.textureType
    guard let shape = type.firstRange(of: "sampler")?.upperBound ?? type.firstRange(of: "image")?.upperBound,
      let needed = TextureDescriptor.TextureType(shape: type[shape...]), needed != textureType
    else { return }
    throw SafelightError(
      .usage, "texture \(index) '\(name)' of '\(function)'",
      why: "it is a \(type), but '\(texture.label)' is a texture of \(textureType.rawValue)",
      remedy: "bind a texture of \(needed.rawValue), or a view of that type")
  }

  fileprivate func check(stored texture: Texture, of function: String) throws(SafelightError) {
    try check(shape: texture, of: function)
    let own = texture.pixelFormat.storageFormat
    guard let format = storageFormat, format != own else { return }
    guard texture.pixelFormat.isStorable else { throw texture.pixelFormat.storageRefusal(of: function, index) }
    throw mismatch(
      texture, of: function, numbers: format,
      remedy: "declare layout(\(own)) \(own.hasSuffix("ui") ? "uimage2D" : "image2D"), or bind a texture of \(format)")
  }

  private func mismatch(
    _ texture: Texture, of function: String, numbers: String, remedy: String
  ) -> SafelightError {
    let format = texture.pixelFormat
    return SafelightError(
      .usage, "texture \(index) '\(name)' of '\(function)'",
      why:
        "it is a \(type) (\(numbers)), but '\(texture.label)' is \(format.rawValue) (\(format.sampleKind.adjective))",
      remedy: remedy)
  }

  fileprivate func check(buffer bindings: Bindings, of function: String) throws(SafelightError) {
    guard let buffer = bindings.buffers[index] else { return }
    let offset = bindings.bufferOffsets[index] ?? 0
    let place = offset == 0 ? "" : " from offset \(offset)"
    try check(length: buffer.length - offset, "'\(buffer.label)'\(place) gives", of: function)
  }

  fileprivate func check(length: Int, _ giver: String, of function: String) throws(SafelightError) {
    guard let dataSize, length < dataSize else { return }
    throw SafelightError(
      .usage, "\(binding.noun) \(index) '\(name)' of '\(function)'",
      why: "it needs \(dataSize) bytes, \(giver) \(length)",
      remedy: binding.noun == "bytes"
        ? "pass a value laid out as the block" : "bind a buffer of at least \(dataSize) bytes"
    )
  }
}

extension TextureDescriptor.TextureType {
  /// The shape at the end of a GLSL type; nil for those that need no check here, such as shadows.
  fileprivate init?(shape: Substring) {
    switch shape {
    case "2D": self = .type2D
    case "2DArray": self = .type2DArray
    case "3D": self = .type3D
    case "Cube": self = .typeCube
    case "2DMS": self = .type2DMultisample
    case "2DMSArray": self = .type2DMultisampleArray
    default: return nil
    }
  }
}

extension PixelFormat {
  /// The format under which kernels store into it: normalised samples as integers, which no driver rounds.
  fileprivate var storageFormat: String {
    switch self {
    case .r8Unorm: "r8ui"
    case .rg8Unorm: "rg8ui"
    case .rgba8Unorm, .bgra8Unorm: "rgba8ui"
    case .r16Uint, .r16Unorm: "r16ui"
    case .rg16Uint, .rg16Unorm: "rg16ui"
    case .rgba16Uint, .rgba16Unorm: "rgba16ui"
    case .r32Uint: "r32ui"
    case .r16Float: "r16f"
    case .rg16Float: "rg16f"
    case .rgba16Float: "rgba16f"
    case .r32Float: "r32f"
    case .rg32Float: "rg32f"
    case .rgba32Float: "rgba32f"
    // No layout says so: nobody stores depths and stencils.
    case .depth16Unorm, .depth32Float, .stencil8, .depth32Float_stencil8: rawValue
    }
  }
}

extension PixelFormat {
  /// Why `function` cannot store to the texture at `index`.
  func storageRefusal(of function: String, _ index: Int) -> SafelightError {
    SafelightError(
      .unsupported, function, why: "OpenGL ES 3.1 cannot store to texture \(index) of \(rawValue)",
      remedy: "write it in a render pass")
  }
}

extension PixelFormat.SampleKind {
  fileprivate var adjective: String {
    switch self {
    case .normalized: "normalised"
    case .integer: "integers"
    case .float: "floats"
    case .depth: "depths"
    case .stencil: "stencils"
    }
  }
}
