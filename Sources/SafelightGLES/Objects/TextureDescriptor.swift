internal import CGLES
public import SafelightImage

/// The properties of a texture; Metal's `MTLTextureDescriptor`.
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
    /// Several samples per pixel, to draw into and resolve but not to copy: `GL_TEXTURE_2D_MULTISAMPLE`.
    case type2DMultisample
    /// Several multisample images of one size; needs ``DeviceFeatures/multisampleArrays``:
    /// `GL_TEXTURE_2D_MULTISAMPLE_ARRAY`.
    case type2DMultisampleArray

    /// True if pixels have several samples.
    package var isMultisample: Bool { self == .type2DMultisample || self == .type2DMultisampleArray }

    /// True if `arrayLength` gives the number of images.
    package var isArray: Bool { self == .type2DArray || self == .type2DMultisampleArray }
  }

  /// The source of a channel in shaders; Metal's `MTLTextureSwizzle` (`GL_TEXTURE_SWIZZLE_R` and so on).
  public enum Swizzle: String, Codable, Hashable, Sendable {
    case red, green, blue, alpha, zero, one
  }

  /// The shape.
  public var textureType = TextureType.type2D
  /// The layout of a pixel in memory.
  public var pixelFormat: PixelFormat
  /// The columns and rows of the first level.
  public var size: Size
  /// The number of planes in the first level of a 3-D texture; 1 for others.
  public var depth = 1
  /// The number of images in an array; 1 for others.
  public var arrayLength = 1
  /// The number of levels, each half the size of the one before; at least 1.
  public var mipmapLevelCount = 1
  /// The number of samples per pixel; 1 except for multisample textures.
  public var sampleCount = 1
  /// The sources of red, green, blue and alpha for shaders that sample the texture; stores and draws ignore it.
  public var swizzle: [Swizzle] = [.red, .green, .blue, .alpha]

  /// Describes one image; `mipmapped` gives it all levels down to 1×1.
  public init(_ size: Size, _ pixelFormat: PixelFormat, mipmapped: Bool = false) {
    self.size = size
    self.pixelFormat = pixelFormat
    if mipmapped { mipmapLevelCount = fullLevelCount }
  }

  /// The number of levels from the first down to 1×1.
  public var fullLevelCount: Int {
    let longest = max(size.width, size.height, textureType == .type3D ? depth : 1)
    return longest.bitWidth - max(1, longest).leadingZeroBitCount
  }

  /// Returns the number of images at a level: the planes of a 3-D texture, six faces, or the images of an array.
  public func sliceCount(atLevel level: Int = 0) -> Int {
    switch textureType {
    case .type2D, .type2DMultisample: 1
    case .type2DArray, .type2DMultisampleArray: arrayLength
    case .typeCube: 6
    case .type3D: max(1, depth >> level)
    }
  }

  /// Returns the columns and rows of a level.
  public func size(atLevel level: Int) -> Size { Size(max(1, size.width >> level), max(1, size.height >> level)) }

  /// The number of bytes in all levels and images, counting every sample.
  public var byteCount: Int {
    (0..<mipmapLevelCount).reduce(0) {
      $0 + size(atLevel: $1).area * sliceCount(atLevel: $1) * pixelFormat.bytesPerPixel * sampleCount
    }
  }
}

/// An image of a texture: one slice of one level.
public struct TextureImage: Codable, Hashable, Sendable {
  /// The mipmap level, from 0.
  public var level = 0
  /// The plane, face or array image, from 0.
  public var slice = 0

  /// Makes a reference to an image.
  public init(level: Int = 0, slice: Int = 0) {
    self.level = level
    self.slice = slice
  }
}

/// The GL formats of a pixel format for storage, uploads and readbacks (ES 3.2 table 8.10, GL_EXT_texture_norm16).
struct TextureFormat {
  let internalFormat: GLenum
  let transferFormat: GLenum
  let transferType: GLenum
  /// The format for stores (ES 3.1 table 8.27; others need GL_NV_image_formats, which dispatches are checked for).
  ///
  /// Eight-bit textures are stored through an unsigned view: a driver may truncate a float written to a normalized
  /// format, but not an integer.
  let imageFormat: GLenum

  /// Makes the formats. Without ``DeviceFeatures/stencilTextures`` a stencil format has an unused depth (ES 3.1 table
  /// 8.10).
  init(_ format: PixelFormat, _ features: DeviceFeatures) {
    switch format {
    case .r8Unorm: self.init(GL_R8, GL_RED, GL_UNSIGNED_BYTE, GL_R8UI)
    case .rg8Unorm: self.init(GL_RG8, GL_RG, GL_UNSIGNED_BYTE, GL_RG8UI)
    // BGRA is stored as RGBA, as OpenGL ES has no BGRA storage textures or render targets; transfers swap.
    case .rgba8Unorm, .bgra8Unorm: self.init(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_RGBA8UI)
    case .r16Uint: self.init(GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, GL_R16UI)
    case .rg16Uint: self.init(GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, GL_RG16UI)
    case .rgba16Uint: self.init(GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, GL_RGBA16UI)
    case .r16Unorm: self.init(GL_R16_EXT, GL_RED, GL_UNSIGNED_SHORT, GL_R16UI)
    case .rg16Unorm: self.init(GL_RG16_EXT, GL_RG, GL_UNSIGNED_SHORT, GL_RG16UI)
    case .rgba16Unorm: self.init(GL_RGBA16_EXT, GL_RGBA, GL_UNSIGNED_SHORT, GL_RGBA16UI)
    case .r32Uint: self.init(GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, GL_R32UI)
    case .rgba32Uint: self.init(GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, GL_RGBA32UI)
    case .r16Float: self.init(GL_R16F, GL_RED, GL_HALF_FLOAT, GL_R16F)
    case .rg16Float: self.init(GL_RG16F, GL_RG, GL_HALF_FLOAT, GL_RG16F)
    case .rgba16Float: self.init(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, GL_RGBA16F)
    case .r32Float: self.init(GL_R32F, GL_RED, GL_FLOAT, GL_R32F)
    case .rg32Float: self.init(GL_RG32F, GL_RG, GL_FLOAT, GL_RG32F)
    case .rgba32Float: self.init(GL_RGBA32F, GL_RGBA, GL_FLOAT, GL_RGBA32F)
    case .depth16Unorm: self.init(GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT)
    case .depth32Float: self.init(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT)
    case .stencil8 where features.contains(.stencilTextures):
      self.init(GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE)
    case .stencil8, .depth32Float_stencil8:
      self.init(GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
    }
  }

  /// Kernels cannot store to depth and stencil formats, which have no `imageFormat`.
  private init(_ internalFormat: Int32, _ format: Int32, _ type: Int32, _ imageFormat: Int32 = GL_NONE) {
    self.internalFormat = GLenum(internalFormat)
    self.transferFormat = GLenum(format)
    self.transferType = GLenum(type)
    self.imageFormat = GLenum(imageFormat)
  }
}
