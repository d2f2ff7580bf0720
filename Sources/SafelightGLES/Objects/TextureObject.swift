internal import CGLES
package import SafelightImage

/// A GL texture with immutable storage, filled with zeros when made.
package final class TextureObject {
  package let descriptor: TextureDescriptor

  let format: TextureFormat
  let context: Context
  let target: GLenum
  private let storage: Storage
  /// The framebuffer for drawing into, clearing and reading back this texture alone.
  let framebuffer: GLName

  /// The owner of the GL texture.
  private enum Storage {
    /// This object.
    case own(GLObject)
    /// Another object, of which this is a view without a GL texture.
    case borrowed(TextureObject, levels: Range<Int>)
    /// This object, whose memory is shared.
    case imported(GLObject)
  }

  /// Allocates the storage (`glTexStorage2D`, `glTexStorage3D`, `glTexStorage2DMultisample` and so on) and clears it,
  /// so that its contents never depend on earlier work.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if memory is short or the format has fewer samples.
  package convenience init(_ context: Context, _ descriptor: TextureDescriptor, label: String) throws(SafelightError) {
    let gl = context.gl
    self.init(context, descriptor, .own(GLObject(GLName(.texture, gl))))
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    if descriptor.textureType.isMultisample { try checkSamples(label) }
    try allocate()
    try gl.check("texture '\(label)' of \(descriptor.size) \(descriptor.pixelFormat.rawValue)")
    try setParameters(label)
    try clearAll()
  }

  /// Makes a view of levels and slices of `parent`, in a format with the same number of bytes per pixel
  /// (`glTextureViewEXT`).
  ///
  /// Without ``DeviceFeatures/textureViews`` the view must have all slices and the parent's format; it selects levels
  /// by `GL_TEXTURE_BASE_LEVEL`.
  package convenience init(
    viewOf parent: TextureObject, _ descriptor: TextureDescriptor, levels: Range<Int>, slices: Range<Int>, label: String
  ) throws(SafelightError) {
    let context = parent.context
    let gl = context.gl
    guard context.features.contains(.textureViews) else {
      self.init(context, descriptor, .borrowed(parent, levels: levels))
      return
    }
    self.init(context, descriptor, .own(GLObject(GLName(.texture, gl))))
    guard let view = gl.table.glTextureViewEXT else {
      throw SafelightError(
        .driver, "texture view '\(label)'", why: "the driver lists GL_EXT_texture_view but has no glTextureViewEXT",
        remedy: "use the device 'software' or 'cpu'")
    }
    view(
      name, target, parent.name, format.internalFormat, GLuint(levels.lowerBound), GLuint(levels.count),
      GLuint(slices.lowerBound), GLuint(descriptor.textureType == .type3D ? 1 : slices.count))
    try gl.check("texture view '\(label)'")
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    try setParameters(label)
  }

  /// Makes a texture that shares the memory of a plane of `buffer`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the driver cannot import it.
  package convenience init(
    _ context: Context, importing buffer: DMABuffer, plane: Int, label: String
  ) throws(SafelightError) {
    let gl = context.gl
    let descriptor = TextureDescriptor(
      buffer.format.size(ofPlane: plane, in: buffer.size), buffer.format.pixelFormat(ofPlane: plane))
    self.init(context, descriptor, .imported(GLObject(GLName(.texture, gl))))
    let image = try EGLImage(importing: buffer, plane: plane, context)
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    try image.becomeTexture(gl)
    try setParameters(label)
  }

  private init(_ context: Context, _ descriptor: TextureDescriptor, _ storage: Storage) {
    self.context = context
    self.descriptor = descriptor
    self.storage = storage
    format = TextureFormat(descriptor.pixelFormat, context.features)
    target = Self.target(descriptor.textureType)
    framebuffer = GLName(.framebuffer, context.gl)
  }

  var name: GLuint {
    switch storage {
    case .own(let name), .imported(let name): name.rawValue
    case .borrowed(let parent, levels: _): parent.name
    }
  }

  /// True if the texture shares memory, whose layout the driver did not choose.
  var isImported: Bool { if case .imported = storage { true } else { false } }

  /// The level of the GL texture that is this object's first.
  var baseLevel: Int {
    if case .borrowed(let parent, let levels) = storage { parent.baseLevel + levels.lowerBound } else { 0 }
  }

  /// All levels of the GL texture.
  var allLevels: Range<Int> {
    if case .borrowed(let parent, levels: _) = storage { parent.allLevels } else { 0..<descriptor.mipmapLevelCount }
  }

  private static func target(_ type: TextureDescriptor.TextureType) -> GLenum {
    switch type {
    case .type2D: GLenum(GL_TEXTURE_2D)
    case .type2DArray: GLenum(GL_TEXTURE_2D_ARRAY)
    case .type3D: GLenum(GL_TEXTURE_3D)
    case .typeCube: GLenum(GL_TEXTURE_CUBE_MAP)
    case .type2DMultisample: GLenum(GL_TEXTURE_2D_MULTISAMPLE)
    case .type2DMultisampleArray: GLenum(GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
    }
  }

  private func allocate() throws(SafelightError) {
    let (width, height) = (GLsizei(descriptor.size.width), GLsizei(descriptor.size.height))
    let (levels, samples) = (GLsizei(descriptor.mipmapLevelCount), GLsizei(descriptor.sampleCount))
    let slices = GLsizei(descriptor.sliceCount())
    switch descriptor.textureType {
    case .type2D, .typeCube:
      try context.gl.call("glTexStorage2D") { $0.glTexStorage2D(target, levels, format.internalFormat, width, height) }
    case .type2DArray, .type3D:
      try context.gl.call("glTexStorage3D") {
        $0.glTexStorage3D(target, levels, format.internalFormat, width, height, slices)
      }
    case .type2DMultisample:
      try context.gl.call("glTexStorage2DMultisample") {
        $0.glTexStorage2DMultisample(target, samples, format.internalFormat, width, height, GLboolean(GL_TRUE))
      }
    case .type2DMultisampleArray:
      guard let storage = context.gl.table.glTexStorage3DMultisample else {
        throw SafelightError(
          .unsupported, "texture of \(descriptor.textureType.rawValue)",
          why: "the driver has no glTexStorage3DMultisample", remedy: "use separate textures")
      }
      storage(target, samples, format.internalFormat, width, height, slices, GLboolean(GL_TRUE))
      if context.gl.checksEveryCall { try context.gl.check("glTexStorage3DMultisample") }
    }
  }

  /// Throws an error of kind `limit` if the driver supports fewer samples of the format than requested, whatever its
  /// general limits (ES 3.1 §8.8).
  private func checkSamples(_ label: String) throws(SafelightError) {
    // The driver lists the maximum first, and leaves 0 if it supports none.
    let most = unsafe context.gl.query {
      unsafe $0.glGetInternalformativ(target, self.format.internalFormat, GLenum(GL_SAMPLES), 1, $1)
    }
    let (count, format) = (descriptor.sampleCount, descriptor.pixelFormat.rawValue)
    guard count > max(1, most) else { return }
    throw SafelightError(
      .limit, "texture '\(label)'",
      why: "the driver supports \(max(1, most)) samples per pixel of \(format), not \(count)",
      remedy: "use one sample, rgba8Unorm, or another device")
  }

  /// Sets the parameters and the label of the texture bound to the active unit.
  private func setParameters(_ label: String) throws(SafelightError) {
    context.label(GL_TEXTURE, name, label)
    // Multisample textures have no sampler state (ES 3.2 §8.10).
    if !descriptor.textureType.isMultisample {
      for parameter in [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER] { try setParameter(parameter, GL_NEAREST) }
      for parameter in [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R] {
        try setParameter(parameter, GL_CLAMP_TO_EDGE)
      }
    }
    if descriptor.pixelFormat == .stencil8, format.transferFormat == GLenum(GL_DEPTH_STENCIL) {
      try setParameter(GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX)
    }
    let parameters = [GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A]
    for (parameter, channel) in zip(parameters, descriptor.swizzle) { try setParameter(parameter, channel.glValue) }
  }

  /// Sets a parameter of the texture bound to the active unit.
  private func setParameter(_ parameter: Int32, _ value: GLint) throws(SafelightError) {
    try context.gl.call("glTexParameteri") { $0.glTexParameteri(target, GLenum(parameter), value) }
  }

  /// Binds the texture for sampling at `unit`.
  package func bindSampled(unit: Int) throws(SafelightError) {
    let gl = context.gl
    try gl.call("glActiveTexture") { $0.glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(unit)) }
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    try show(levels: baseLevel..<baseLevel + descriptor.mipmapLevelCount)
  }

  /// Sets the levels that the texture bound to the active unit exposes. They are state of the GL texture: a view
  /// without its own sets them, and its parent resets them.
  private func show(levels: Range<Int>) throws(SafelightError) {
    guard allLevels.count > 1, !context.features.contains(.textureViews) else { return }
    try setParameter(GL_TEXTURE_BASE_LEVEL, GLint(levels.lowerBound))
    try setParameter(GL_TEXTURE_MAX_LEVEL, GLint(levels.upperBound - 1))
  }

  /// Binds the first level at `unit`, with all its slices, for `imageStore`, or for `imageLoad` alone; 8-bit formats
  /// through their integer view.
  ///
  /// Images reach only levels that the texture exposes (ES 3.1 §8.22), so this exposes all, which changes the texture
  /// of the active unit. Bind the textures that the function samples afterwards.
  package func bindImage(unit: Int, isLoaded: Bool) throws(SafelightError) {
    if allLevels.count > 1, !context.features.contains(.textureViews) {
      try context.gl.call("glBindTexture") { $0.glBindTexture(target, name) }
      try show(levels: allLevels)
    }
    let imageFormat = format.imageFormat
    let isLayered = GLboolean(descriptor.textureType == .type2D ? GL_FALSE : GL_TRUE)
    // ES 3.1 can read and write only formats of one word per pixel (ES 3.1 §8.22).
    let isWord = imageFormat == GLenum(GL_R32UI) || imageFormat == GLenum(GL_R32F)
    let access = isLoaded ? GL_READ_ONLY : isWord ? GL_READ_WRITE : GL_WRITE_ONLY
    try context.gl.call("glBindImageTexture") {
      $0.glBindImageTexture(GLuint(unit), name, GLint(baseLevel), isLayered, 0, GLenum(access), imageFormat)
    }
  }

  /// Computes all levels from the first (`glGenerateMipmap`).
  package func generateMipmaps() throws(SafelightError) {
    // For an imported texture the driver would allocate levels and memory of its own.
    guard descriptor.mipmapLevelCount > 1 else { return }
    try bindSampled(unit: 0)
    try context.gl.call("glGenerateMipmap") { $0.glGenerateMipmap(target) }
  }
}

extension TextureDescriptor.Swizzle {
  fileprivate var glValue: GLint {
    switch self {
    case .red: GL_RED
    case .green: GL_GREEN
    case .blue: GL_BLUE
    case .alpha: GL_ALPHA
    case .zero: GL_ZERO
    case .one: GL_ONE
    }
  }
}
