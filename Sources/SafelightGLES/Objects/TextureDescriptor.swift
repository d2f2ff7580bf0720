internal import CGLES
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

/// How a pixel format is stored, uploaded and read back by OpenGL ES (ES 3.2 table 8.10, and GL_EXT_texture_norm16).
struct TextureFormat {
  let internalFormat: GLenum
  let transferFormat: GLenum
  let transferType: GLenum
  /// Integer formats are read by `usampler2D` and cleared with unsigned values.
  let isInteger: Bool
  /// The format under which a kernel stores into it; ES 3.1 table 8.27.
  ///
  /// Eight-bit textures are stored through an unsigned view: a driver may truncate a float that is written to a
  /// normalised format, an integer it cannot.
  ///
  /// Those beyond the core's need GL_NV_image_formats; a dispatch is refused before it comes here without.
  let imageFormat: GLenum

  /// A stencil alone lies beside an unused depth where the context has no such textures (ES 3.1 table 8.10).
  init(_ format: PixelFormat, _ features: DeviceFeatures) {
    switch format {
    case .r8Unorm: self.init(GL_R8, GL_RED, GL_UNSIGNED_BYTE, isInteger: false, GL_R8UI)
    case .rg8Unorm: self.init(GL_RG8, GL_RG, GL_UNSIGNED_BYTE, isInteger: false, GL_RG8UI)
    // Stored in one order: no storage texture and no render target of OpenGL ES is BGRA. Transfers swap.
    case .rgba8Unorm, .bgra8Unorm: self.init(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, isInteger: false, GL_RGBA8UI)
    case .r16Uint: self.init(GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, isInteger: true, GL_R16UI)
    case .rg16Uint: self.init(GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, isInteger: true, GL_RG16UI)
    case .rgba16Uint: self.init(GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, isInteger: true, GL_RGBA16UI)
    case .r16Unorm: self.init(GL_R16_EXT, GL_RED, GL_UNSIGNED_SHORT, isInteger: false, GL_R16UI)
    case .rg16Unorm: self.init(GL_RG16_EXT, GL_RG, GL_UNSIGNED_SHORT, isInteger: false, GL_RG16UI)
    case .rgba16Unorm: self.init(GL_RGBA16_EXT, GL_RGBA, GL_UNSIGNED_SHORT, isInteger: false, GL_RGBA16UI)
    case .r32Uint: self.init(GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, isInteger: true, GL_R32UI)
    case .r16Float: self.init(GL_R16F, GL_RED, GL_HALF_FLOAT, isInteger: false, GL_R16F)
    case .rg16Float: self.init(GL_RG16F, GL_RG, GL_HALF_FLOAT, isInteger: false, GL_RG16F)
    case .rgba16Float: self.init(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, isInteger: false, GL_RGBA16F)
    case .r32Float: self.init(GL_R32F, GL_RED, GL_FLOAT, isInteger: false, GL_R32F)
    case .rg32Float: self.init(GL_RG32F, GL_RG, GL_FLOAT, isInteger: false, GL_RG32F)
    case .rgba32Float: self.init(GL_RGBA32F, GL_RGBA, GL_FLOAT, isInteger: false, GL_RGBA32F)
    case .depth16Unorm: self.init(depth: GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT)
    case .depth32Float: self.init(depth: GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT)
    case .stencil8 where features.contains(.stencilTextures):
      self.init(depth: GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE)
    case .stencil8, .depth32Float_stencil8:
      self.init(depth: GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
    }
  }

  /// Depths and stencils, which nobody stores.
  private init(depth internalFormat: Int32, _ format: Int32, _ type: Int32) {
    self.init(internalFormat, format, type, isInteger: false, GL_NONE)
  }

  private init(_ internalFormat: Int32, _ format: Int32, _ type: Int32, isInteger: Bool, _ imageFormat: Int32) {
    self.internalFormat = GLenum(internalFormat)
    self.transferFormat = GLenum(format)
    self.transferType = GLenum(type)
    self.isInteger = isInteger
    self.imageFormat = GLenum(imageFormat)
  }
}
