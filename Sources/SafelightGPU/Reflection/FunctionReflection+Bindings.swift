internal import SafelightGLES
package import SafelightImage

extension FunctionReflection {
  /// Throws if a bound resource does not fit its declaration; called by both backends before each use.
  func check(_ bindings: Bindings, of function: String) throws(SafelightError) {
    for argument in arguments {
      switch argument.binding {
      case .sampledTexture(let index):
        if let texture = bindings.textures[index] { try argument.check(sampled: texture, of: function) }
      case .loadedTexture(let index), .storageTexture(let index), .readWriteTexture(let index):
        if let texture = bindings.textures[index] { try argument.check(image: texture, of: function) }
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

  /// Throws if a device with `capabilities` does not have the extensions or number of bindings that the function needs.
  func check(_ capabilities: Capabilities, of function: String) throws(SafelightError) {
    try checkExtensions(capabilities, of: function)
    let buffers = arguments.count { $0.binding.noun == "buffer" }
    let images = arguments.count { $0.binding.imageTexture != nil }
    for (count, limit, noun) in [
      (buffers, capabilities.maximumStorageBuffers, "buffers"),
      (images, capabilities.maximumStorageTextures, "storage textures"),
    ] where count > limit {
      throw SafelightError(
        .limit, "'\(function)'", why: "it needs \(count) \(noun); this device has \(limit) for a function",
        remedy: "combine some of them; 4 of each work everywhere")
    }
  }
}

extension FunctionReflection.Argument {
  /// The words for it in messages.
  fileprivate var words: String { "\(binding.noun) \(index) '\(name)'" }

  fileprivate func check(sampled texture: Texture, of function: String) throws(SafelightError) {
    try check(shape: texture, of: function)
    let kind = texture.pixelFormat.sampleKind
    let isInteger = kind == .integer || kind == .stencil
    // A function without GLSL has no types.
    guard !type.isEmpty, isInteger != type.hasPrefix("u") || type.hasPrefix("i") else { return }
    throw mismatch(
      texture, of: function, numbers: type.hasPrefix("u") ? "integers" : type.hasPrefix("i") ? "signed" : "floats",
      remedy: isInteger
        ? "declare a u\(type.drop { $0 == "i" || $0 == "u" }), or bind a normalized texture"
        : "declare a \(type.drop { $0 == "i" || $0 == "u" }), or bind a texture of integers such as rgba16Uint")
  }

  /// Throws unless the texture has the shape in the type's name, such as `sampler2DArray`.
  private func check(shape texture: Texture, of function: String) throws(SafelightError) {
    let textureType = texture.descriptor.textureType
    guard let shape = type.firstRange(of: "sampler")?.upperBound ?? type.firstRange(of: "image")?.upperBound,
      let needed = TextureDescriptor.TextureType(shape: type[shape...]), needed != textureType
    else { return }
    throw SafelightError(
      .usage, "\(words) of '\(function)'",
      why: "it is a \(type), but '\(texture.label)' is a texture of \(textureType.rawValue)",
      remedy: "bind a texture of \(needed.rawValue), or a view of that type")
  }

  fileprivate func check(image texture: Texture, of function: String) throws(SafelightError) {
    try check(shape: texture, of: function)
    let own = texture.pixelFormat.storageFormat
    guard let format = storageFormat, format != own else { return }
    guard texture.pixelFormat.isStorable else { throw texture.pixelFormat.imageRefusal(of: function, binding) }
    throw mismatch(
      texture, of: function, numbers: format,
      remedy: "declare layout(\(own)) \(own.hasSuffix("ui") ? "uimage2D" : "image2D"), or bind a texture of \(format)")
  }

  private func mismatch(_ texture: Texture, of function: String, numbers: String, remedy: String) -> SafelightError {
    let format = texture.pixelFormat
    return SafelightError(
      .usage, "\(words) of '\(function)'",
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
      .usage, "\(words) of '\(function)'", why: "it needs \(dataSize) bytes, but \(giver) \(length)",
      remedy: binding.noun == "bytes"
        ? "pass a value that is laid out like the block" : "bind a buffer of at least \(dataSize) bytes")
  }
}

extension TextureDescriptor.TextureType {
  /// The shape at the end of a GLSL type, as `2DMSArray`; nil for types that are not checked, as shadow samplers.
  fileprivate init?(shape: Substring) { self.init(rawValue: "type\(shape.replacing("MS", with: "Multisample"))") }
}

extension PixelFormat {
  /// The format of images: integers for normalized samples, which no driver rounds.
  package var storageFormat: String {
    // GLSL has no formats of depths and stencils, so no declaration is equal to these.
    guard isColor else { return rawValue }
    return "\("rgba".prefix(samplesPerPixel))\(8 * bytesPerSample)\(sampleKind == .float ? "f" : "ui")"
  }

  func imageRefusal(of function: String, _ argument: ShaderArgument) -> SafelightError {
    let isLoaded = argument.storedTexture == nil
    return SafelightError(
      .unsupported, function,
      why: "OpenGL ES 3.1 cannot \(isLoaded ? "load from" : "store to") texture \(argument.index) of \(rawValue)",
      remedy: isLoaded ? "declare a sampler and read with texelFetch" : "write it in a render pass")
  }
}

extension PixelFormat.SampleKind {
  fileprivate var adjective: String { self == .normalized ? "normalized" : "\(self)s" }
}

extension FunctionReflection {
  /// Throws unless the arguments that `function` states are those of its GLSL.
  func check(stated: [ShaderArgument], of function: String) throws(SafelightError) {
    for statement in stated {
      if let declared = arguments.first(where: { $0.binding.isSame(as: statement) }) {
        try check(statement, declared, of: function)
      } else {
        throw missing(statement, of: function)
      }
    }
    for declared in arguments where !stated.contains(where: { $0.isSame(as: declared.binding) }) {
      throw Self.mistake(
        function, "its GLSL declares \(declared.words), which is not among its arguments",
        remedy: "add .\(declared.binding) to the arguments, or leave all out, and they are read from the GLSL")
    }
  }

  /// Throws if the statement promises less access than the declaration, so that barriers would be missing. More access
  /// is allowed: a read-only buffer stated as written, or a write-only texture stated as read.
  private func check(_ statement: ShaderArgument, _ declared: Argument, of function: String) throws(SafelightError) {
    if case .loadedTexture = statement, declared.binding.storedTexture != nil {
      throw Self.mistake(
        function, "its arguments say that \(declared.words) is only read, but its GLSL may write it",
        remedy: "declare it readonly, or state .\(declared.binding)")
    }
    // An image of most formats is bound for reading or for writing.
    if case .loadedTexture = declared.binding, statement != declared.binding {
      throw Self.mistake(
        function, "its arguments say that \(declared.words) is written, but its GLSL declares it readonly",
        remedy: "state .loadedTexture(\(declared.index))")
    }
    if case .storageTexture = statement, case .readWriteTexture = declared.binding {
      throw Self.mistake(
        function, "its arguments say that \(declared.words) is only written, but its GLSL may read it",
        remedy: "declare it writeonly, or state .readWriteTexture(\(declared.index))")
    }
    guard case .readBuffer = statement, case .storageBuffer = declared.binding else { return }
    throw Self.mistake(
      function, "its arguments say that \(declared.words) is only read, but its GLSL may write it",
      remedy: "declare it readonly, or state .storageBuffer(\(declared.index))")
  }

  private func missing(_ statement: ShaderArgument, of function: String) -> SafelightError {
    if let other = arguments.first(where: { $0.binding.noun == statement.noun && $0.index == statement.index }) {
      return Self.mistake(
        function, "its arguments state .\(statement), but '\(other.name)' is a \(other.type)",
        remedy: "state .\(other.binding)")
    }
    return Self.mistake(
      function, "its arguments state \(statement.noun) \(statement.index), which its GLSL does not declare",
      remedy: "declare it with layout(binding = \(statement.index)), or take it out of the arguments")
  }

  private static func mistake(_ function: String, _ why: String, remedy: String) -> SafelightError {
    SafelightError(.usage, "'\(function)'", why: why, remedy: remedy)
  }

  /// Throws if the driver reports a resource that this lacks or describes differently; it omits unused ones.
  package func check(against resources: [ProgramResource], of function: String) throws(SafelightError) {
    for resource in resources where resource.kind != .uniform {
      for element in 0..<resource.count {
        let found = arguments.contains { $0.agrees(with: resource, element: element) }
        guard !found else { continue }
        let size = resource.dataSize > 0 ? " of \(resource.dataSize) bytes" : ""
        throw SafelightError(
          .driver, "'\(function)'",
          why: """
            the driver reports a \(resource.kind.rawValue) \(resource.type) '\(resource.name)' at \
            \(resource.index)\(size), which its text does not seem to declare
            """, remedy: "declare it without macros, with its layout(…); if the function is built in, report a bug")
      }
    }
  }
}

extension FunctionReflection.Argument {
  fileprivate func agrees(with resource: ProgramResource, element: Int) -> Bool {
    guard index == resource.index + element else { return false }
    switch (resource.kind, binding) {
    case (.sampler, .sampledTexture), (.image, .loadedTexture), (.image, .storageTexture), (.image, .readWriteTexture):
      return type == resource.type
    case (.uniformBlock, .bytes), (.storageBlock, .readBuffer), (.storageBlock, .storageBuffer):
      // Some drivers round up to 16.
      return name == resource.name
        && (dataSize.map { resource.dataSize == $0 || resource.dataSize == ($0 + 15) / 16 * 16 } ?? true)
    default: return false
    }
  }
}

extension ShaderArgument {
  fileprivate func isSame(as other: ShaderArgument) -> Bool { rank == other.rank && index == other.index }
}
