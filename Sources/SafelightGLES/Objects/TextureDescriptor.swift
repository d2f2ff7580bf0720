public import SafelightImage

/// What a texture consists of; Metal's `MTLTextureDescriptor`.
public struct TextureDescriptor: Codable, Hashable, Sendable {
  /// The shapes of textures; Metal's values.
  public enum TextureType: String, Codable, Hashable, Sendable, CaseIterable {
    /// One image with its mipmap levels: `GL_TEXTURE_2D`.
    case type2D
    /// Several images of one size: `GL_TEXTURE_2D_ARRAY`.
    case type2DArray
    /// A block of planes: `GL_TEXTURE_3D`.
    case type3D
    /// Six square faces: `GL_TEXTURE_CUBE_MAP`.
    case typeCube
    /// Several samples a pixel; drawn into and resolved, never copied: `GL_TEXTURE_2D_MULTISAMPLE`.
    case type2DMultisample
    /// Several of those of one size, where the device has ``DeviceFeatures/multisampleArrays``:
    /// `GL_TEXTURE_2D_MULTISAMPLE_ARRAY`.
    case type2DMultisampleArray

    /// Whether a pixel has several samples.
    package var isMultisample: Bool { self == .type2DMultisample || self == .type2DMultisampleArray }

    /// Whether it has as many images as `arrayLength` says.
    package var isArray: Bool { self == .type2DArray || self == .type2DMultisampleArray }
  }

  /// Where a shader finds a channel; Metal's `MTLTextureSwizzle` (`GL_TEXTURE_SWIZZLE_R` and so on).
  public enum Swizzle: String, Codable, Hashable, Sendable {
    case red, green, blue, alpha, zero, one
  }

  /// The shape.
  public var textureType = TextureType.type2D
  /// How a pixel lies in memory.
  public var pixelFormat: PixelFormat
  /// Columns and rows of the first level.
  public var size: Size
  /// Planes of the first level of a 3-D texture; 1 for all others.
  public var depth = 1
  /// Images of an array; 1 for all others.
  public var arrayLength = 1
  /// Levels, each half the size of the one before; at least 1.
  public var mipmapLevelCount = 1
  /// Samples of a pixel; 1 but for multisample textures.
  public var sampleCount = 1
  /// Where a shader that samples the texture finds red, green, blue and alpha; storing and drawing take no notice.
  public var swizzle: [Swizzle] = [.red, .green, .blue, .alpha]

  /// Describes one image; `mipmapped` gives it all levels down to 1×1.
  public init(_ size: Size, _ pixelFormat: PixelFormat, mipmapped: Bool = false) {
    self.size = size
    self.pixelFormat = pixelFormat
    if mipmapped { mipmapLevelCount = fullLevelCount }
  }

  /// Levels from the first down to 1×1.
  public var fullLevelCount: Int {
    let longest = max(size.width, size.height, textureType == .type3D ? depth : 1)
    return longest.bitWidth - max(1, longest).leadingZeroBitCount
  }

  /// Images at a level: the planes of a 3-D texture, six faces, or the images of an array.
  public func sliceCount(atLevel level: Int = 0) -> Int {
    switch textureType {
    case .type2D, .type2DMultisample: 1
    case .type2DArray, .type2DMultisampleArray: arrayLength
    case .typeCube: 6
    case .type3D: max(1, depth >> level)
    }
  }

  /// Columns and rows of a level.
  public func size(atLevel level: Int) -> Size { Size(max(1, size.width >> level), max(1, size.height >> level)) }

  /// Bytes of all levels and images; samples of a multisample texture count.
  public var byteCount: Int {
    (0..<mipmapLevelCount).reduce(0) {
      $0 + size(atLevel: $1).area * sliceCount(atLevel: $1) * pixelFormat.bytesPerPixel * sampleCount
    }
  }
}

/// One image of a texture: a level of a slice.
public struct TextureImage: Codable, Hashable, Sendable {
  /// The mipmap level, from 0.
  public var level = 0
  /// The plane, face or image of an array, from 0.
  public var slice = 0

  /// Names an image.
  public init(level: Int = 0, slice: Int = 0) {
    self.level = level
    self.slice = slice
  }
}
