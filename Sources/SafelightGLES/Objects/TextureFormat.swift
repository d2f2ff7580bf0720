internal import CGLES
internal import SafelightImage

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
