internal import SafelightGLES
internal import SafelightImage

/// The arguments of a function, by index.
public struct Bindings: Sendable {
  /// Textures by index.
  public var textures: [Int: Texture] = [:]
  /// Buffers by index.
  public var buffers: [Int: Buffer] = [:]
  /// The offsets from which buffers are bound, by index; 0 if absent.
  public var bufferOffsets: [Int: Int] = [:]
  /// Samplers by the index of their textures.
  public var samplers: [Int: SamplerState] = [:]
  /// Bytes by index.
  public var bytes: [Int: [UInt8]] = [:]

  /// Makes an empty set.
  public init() {}

  /// Binds a buffer from `offset` on, which must be a multiple of 4.
  public mutating func setBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset < buffer.length,
      "offset \(offset) of buffer '\(buffer.label)' of \(buffer.length) bytes must be a multiple of 4 below that length"
    )
    buffers[index] = buffer
    bufferOffsets[index] = offset
    // Buffers and bytes share a table, as in Metal: the last call wins.
    bytes[index] = nil
  }

  /// Binds a copy of `value`, laid out as the function's `std140` block; at most 16 KiB.
  public mutating func setBytes<Value: BitwiseCopyable>(_ value: Value, index: Int) {
    setBytes(unsafe withUnsafeBytes(of: value) { unsafe Array($0) }, "setBytes", index: index)
  }

  mutating func setBytes(_ values: [UInt8], _ call: String, index: Int) {
    trap(
      unless: values.count <= Capabilities.minimum.maximumUniformLength,
      "\(call)(_:index: \(index)) takes at most 16384 bytes; \(values.count) were given: use a buffer")
    bytes[index] = values
    buffers[index] = nil
    bufferOffsets[index] = nil
  }

  /// Traps if an argument of `function` is not bound.
  func check(_ function: ShaderFunction) {
    for argument in function.arguments {
      let (noun, index) = (argument.noun, argument.index)
      trap(
        unless: binds(argument),
        "\(noun) \(index) of '\(function.name)' \(noun == "bytes" ? "are" : "is") not bound; "
          + "call set\(noun.prefix(1).uppercased())\(noun.dropFirst())(_:index: \(index))")
    }
  }

  /// True if something is bound where a function looks for `argument`.
  func binds(_ argument: ShaderArgument) -> Bool {
    switch argument {
    case .sampledTexture(let index), .loadedTexture(let index), .storageTexture(let index),
      .readWriteTexture(let index):
      textures[index] != nil
    case .readBuffer(let index), .storageBuffer(let index): buffers[index] != nil
    case .bytes(let index): bytes[index] != nil || buffers[index] != nil
    }
  }
}

/// A function of a command with its arguments; a draw has two.
struct BoundFunction {
  let function: ShaderFunction
  let bindings: Bindings

  var sampled: [Texture] {
    function.arguments.compactMap { if case .sampledTexture(let index) = $0 { bindings.textures[index] } else { nil } }
  }

  /// The textures that it loads from or stores to.
  var images: [Texture] { function.arguments.compactMap { $0.imageTexture.flatMap { bindings.textures[$0] } } }

  /// Throws if OpenGL ES has no image of a texture that the function loads from or stores to, or another than sampling
  /// shows.
  func checkImages(_ capabilities: Capabilities) throws(SafelightError) {
    for argument in function.arguments {
      guard let index = argument.imageTexture, let texture = bindings.textures[index] else { continue }
      let isLoaded = argument.storedTexture == nil
      try ensure(
        !isLoaded || !texture.isSwizzled, .unsupported, function.name,
        why: "it loads from texture \(index), '\(texture.label)', whose swizzle only samplers apply",
        remedy: "declare a sampler and read with texelFetch")
      // glBindImageTexture takes only textures that the driver laid out (ES 3.1 §8.22).
      try ensure(
        texture.sharedPlane == nil, .unsupported, function.name,
        why: "OpenGL ES 3.1 cannot \(isLoaded ? "load from" : "store to") texture \(index), '\(texture.label)', which "
          + "shows shared memory",
        remedy: isLoaded
          ? "declare a sampler and read with texelFetch"
          : "write it in a render pass, or store to another texture and copy")
      try ensure(
        isLoaded || !texture.isFramebufferOnly, .unsupported, function.name,
        why: "it stores to texture \(index), '\(texture.label)', which is for render passes only",
        remedy: "set framebufferOnly of the view to false, or write to it as an attachment")
      let format = texture.pixelFormat
      guard !format.isStorable, !format.isColor || !capabilities.features.contains(.storageOfAllFormats) else {
        continue
      }
      throw format.imageRefusal(of: function.name, argument)
    }
  }
}

extension [BoundFunction] {
  /// Throws if the functions of one command cannot use these views of textures together.
  ///
  /// Without texture views OpenGL ES has one range of levels for each texture (`GL_TEXTURE_BASE_LEVEL`), and accepts
  /// images only inside it (ES 3.1 §8.22).
  func checkViews(_ capabilities: Capabilities) throws(SafelightError) {
    for texture in flatMap({ $0.sampled + $0.images }) { try texture.checkView(capabilities) }
    guard !capabilities.features.contains(.textureViews) else { return }
    var sampled: [ResourceID: Texture] = [:]
    for bound in self {
      for texture in bound.sampled {
        if let other = sampled[texture.hazard], other.levelsOfRoot != texture.levelsOfRoot {
          throw Self.conflict(bound.function, "samples", texture, other)
        }
        sampled[texture.hazard] = texture
      }
    }
    for bound in self {
      for texture in bound.images {
        guard let other = sampled[texture.hazard], !other.levelsOfRoot.contains(texture.levelsOfRoot.lowerBound) else {
          continue
        }
        throw Self.conflict(bound.function, "has an image of", texture, other)
      }
    }
  }

  private static func conflict(
    _ function: ShaderFunction, _ verb: String, _ texture: Texture, _ other: Texture
  ) -> SafelightError {
    SafelightError(
      .unsupported, function.name,
      why:
        "it \(verb) '\(texture.label)' and samples '\(other.label)', different levels of one texture; that needs "
        + "GL_EXT_texture_view, which this device lacks",
      remedy: "copy one of them to a texture of its own, or bind the whole texture and name the level in the function")
  }
}

extension Texture {
  /// Its levels, numbered as in the texture that owns the pixels.
  fileprivate var levelsOfRoot: Range<Int> {
    let first = parent.map { $0.levelsOfRoot.lowerBound + parentLevels.lowerBound } ?? 0
    return first..<first + descriptor.mipmapLevelCount
  }
}

extension Bindings {
  /// Throws if a sampler needs a feature that a device of `capabilities` lacks, or filters a format that the device
  /// cannot filter, for which OpenGL ES reads black (ES 3.1 §8.17).
  func checkFilters(of function: ShaderFunction, _ capabilities: Capabilities) throws(SafelightError) {
    for sampler in samplers.sorted(by: { $0.key < $1.key }).map(\.value) {
      try sampler.descriptor.check(capabilities.features, label: sampler.label)
    }
    for case .sampledTexture(let index) in function.arguments {
      guard let texture = textures[index], let sampler = samplers[index], sampler.descriptor.isFiltering else {
        continue
      }
      let format = texture.pixelFormat
      let isFloat32 = format.sampleKind == .float && format.bytesPerSample == 4
      let canFilter =
        isFloat32 ? capabilities.features.contains(.linearFloat32) : format.sampleKind != .integer && format.isColor
      try ensure(
        canFilter, .unsupported, function.name,
        why:
          "sampler '\(sampler.label)' filters texture \(index) of \(format.rawValue), but this device cannot filter "
          + "that format",
        remedy: isFloat32
          ? "use the half-float format, or a sampler with nearest filters"
          : "use a normalized format, or a sampler with nearest filters")
    }
  }
}

extension SamplerDescriptor {
  fileprivate var isFiltering: Bool { minFilter == .linear || magFilter == .linear || mipFilter == .linear }
}
