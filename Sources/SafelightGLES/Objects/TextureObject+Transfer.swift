internal import CGLES
package import SafelightImage

/// The format in which `glReadPixels` returns a texture.
package enum ReadbackFormat {
  /// The texture's own format, if the driver prefers it.
  case direct
  /// Four bytes per pixel, which every driver supports for normalized targets (ES 3.2 §16.1.2).
  case rgba8
  /// Four 16-bit words per pixel, which `GL_EXT_texture_norm16` supports for its targets.
  case rgba16
  /// Four 32-bit words per pixel, which every driver supports for unsigned targets.
  case rgba32
  /// Four floats per pixel, which every driver supports for float targets.
  case rgbaFloat
}

extension TextureObject {
  /// Copies `region` of an image to `bytes`; `rowLength` is the distance between rows in pixels of the texture's
  /// format.
  ///
  /// Waits for earlier commands, as `glReadPixels` into memory does.
  package func read(
    _ image: TextureImage = TextureImage(), _ region: Region, into bytes: UnsafeMutableRawPointer, rowLength: Int
  ) throws(SafelightError) {
    try bindRenderTarget(image)
    let is16Bit = descriptor.pixelFormat.bytesPerSample == 2
    func readWide<Wide: BitwiseCopyable>(
      _ format: Int32, _ type: Int32, _ narrow: (Wide) -> some BitwiseCopyable
    ) throws(SafelightError) {
      unsafe try self.readWide(region, GLenum(format), GLenum(type), into: bytes, rowLength: rowLength, narrow)
    }
    switch readbackFormat() {
    case .direct:
      unsafe try readPixels(region, format.transferFormat, format.transferType, into: bytes, rowLength: rowLength)
    case .rgba8: try readWide(GL_RGBA, GL_UNSIGNED_BYTE) { (sample: UInt8) in sample }
    case .rgba16: try readWide(GL_RGBA, GL_UNSIGNED_SHORT) { (sample: UInt16) in sample }
    case .rgba32 where is16Bit:
      try readWide(GL_RGBA_INTEGER, GL_UNSIGNED_INT) { (sample: UInt32) in UInt16(truncatingIfNeeded: sample) }
    case .rgba32: try readWide(GL_RGBA_INTEGER, GL_UNSIGNED_INT) { (sample: UInt32) in sample }
    case .rgbaFloat where is16Bit: try readWide(GL_RGBA, GL_FLOAT) { (sample: Float) in PixelFormat.halfBits(sample) }
    case .rgbaFloat: try readWide(GL_RGBA, GL_FLOAT) { (sample: Float) in sample }
    }
  }

  /// Copies `region` of an image into a buffer (`GL_PIXEL_PACK_BUFFER`) without waiting. Returns false if the driver
  /// returns the format only in a wider one.
  package func read(
    _ image: TextureImage, _ region: Region, into buffer: BufferObject, offset: Int, rowLength: Int
  ) throws(SafelightError) -> Bool {
    try bindRenderTarget(image)
    guard readbackFormat() == .direct else { return false }
    try buffer.bind(GLenum(GL_PIXEL_PACK_BUFFER))
    defer { context.gl.table.glBindBuffer(GLenum(GL_PIXEL_PACK_BUFFER), 0) }
    unsafe try readPixels(
      region, format.transferFormat, format.transferType, into: UnsafeMutableRawPointer(bitPattern: offset),
      rowLength: rowLength)
    return true
  }

  /// Returns how to read back the texture's format, querying the driver once per format: some formats are guaranteed,
  /// the others are its choice.
  private func readbackFormat() -> ReadbackFormat {
    let pixelFormat = descriptor.pixelFormat
    if let known = context.readbackFormats[pixelFormat] { return known }
    let isPreferred =
      context.gl.integer(GL_IMPLEMENTATION_COLOR_READ_FORMAT) == Int(format.transferFormat)
      && context.gl.integer(GL_IMPLEMENTATION_COLOR_READ_TYPE) == Int(format.transferType)
    let found: ReadbackFormat =
      switch pixelFormat.sampleKind {
      case _ where isPreferred || pixelFormat == .rgba8Unorm || pixelFormat == .bgra8Unorm: .direct
      case _ where pixelFormat == .rgba16Unorm || pixelFormat == .rgba32Float: .direct
      case .normalized: pixelFormat.bytesPerSample == 2 ? .rgba16 : .rgba8
      case .integer: .rgba32
      case .float: .rgbaFloat
      // Not used: reads of depths and stencil values are refused when they are recorded.
      case .depth, .stencil: .direct
      }
    context.readbackFormats[pixelFormat] = found
    return found
  }

  private func readPixels(
    _ region: Region, _ format: GLenum, _ type: GLenum, into bytes: UnsafeMutableRawPointer?, rowLength: Int
  ) throws(SafelightError) {
    try context.gl.call("glPixelStorei") { $0.glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), GLint(rowLength)) }
    try context.gl.call("glReadPixels") {
      unsafe $0.glReadPixels(
        GLint(region.x), GLint(region.y), GLsizei(region.size.width), GLsizei(region.size.height), format, type, bytes)
    }
  }

  /// Reads four wide samples per pixel and keeps those that the texture has, converted by `narrow`.
  private func readWide<Wide: BitwiseCopyable, Narrow: BitwiseCopyable>(
    _ region: Region, _ format: GLenum, _ type: GLenum, into bytes: UnsafeMutableRawPointer, rowLength: Int,
    _ narrow: (Wide) -> Narrow
  ) throws(SafelightError) {
    let samples = descriptor.pixelFormat.samplesPerPixel
    let row = region.size.width * 4 * MemoryLayout<Wide>.size
    // The memory is kept for the life of the context, so large pictures are read in strips.
    let height = max(1, min(region.size.height, (4 << 20) / row))
    unsafe try context.withReadbackMemory(height * row) { rows throws(SafelightError) in
      for top in stride(from: 0, to: region.size.height, by: height) {
        let strip = Region(
          x: region.x, y: region.y + top, width: region.size.width, height: min(height, region.size.height - top))
        unsafe try readPixels(strip, format, type, into: rows, rowLength: strip.size.width)
        for y in 0..<strip.size.height {
          let out = unsafe bytes.advanced(by: (top + y) * rowLength * descriptor.pixelFormat.bytesPerPixel)
          for x in 0..<strip.size.width {
            for sample in 0..<samples {
              let place = ((y * strip.size.width + x) * 4 + sample) * MemoryLayout<Wide>.size
              let value = unsafe rows.loadUnaligned(fromByteOffset: place, as: Wide.self)
              unsafe out.storeBytes(
                of: narrow(value), toByteOffset: (x * samples + sample) * MemoryLayout<Narrow>.size, as: Narrow.self)
            }
          }
        }
      }
    }
  }
}

extension TextureObject {
  /// Attaches an image to the texture's framebuffer, binds that and sets the viewport to the image's size.
  package func bindRenderTarget(_ image: TextureImage = TextureImage()) throws(SafelightError) {
    try attach(image, to: GLenum(GL_FRAMEBUFFER))
    try context.checkFramebuffer(of: "\(descriptor.size) \(descriptor.pixelFormat.rawValue)")
    let size = descriptor.size(atLevel: image.level)
    try context.gl.call("glViewport") { $0.glViewport(0, 0, GLsizei(size.width), GLsizei(size.height)) }
  }

  /// Binds a framebuffer, by default the texture's own, to `target` and attaches an image of the texture to it.
  func attach(_ image: TextureImage, to target: GLenum, framebuffer other: GLuint? = nil) throws(SafelightError) {
    try context.gl.call("glBindFramebuffer") { $0.glBindFramebuffer(target, other ?? framebuffer.rawValue) }
    try attach(image, to: format.attachmentPoint, of: target)
  }

  /// Attaches an image of the texture to the framebuffer bound to `target`.
  func attach(_ image: TextureImage, to point: GLenum, of target: GLenum) throws(SafelightError) {
    let level = GLint(baseLevel + image.level)
    switch descriptor.textureType {
    case .type2D, .typeCube, .type2DMultisample:
      try context.gl.call("glFramebufferTexture2D") {
        $0.glFramebufferTexture2D(target, point, imageTarget(image.slice), name, level)
      }
    case .type2DArray, .type3D, .type2DMultisampleArray:
      try context.gl.call("glFramebufferTextureLayer") {
        $0.glFramebufferTextureLayer(target, point, name, level, GLint(image.slice))
      }
    }
  }
}

extension TextureObject {
  /// Copies rows from `bytes` into `region` of an image (`glTexSubImage2D`, `glTexSubImage3D`); `rowLength` is the
  /// distance between rows in pixels. If a buffer is bound to `GL_PIXEL_UNPACK_BUFFER`, `bytes` is an offset into it.
  package func upload(
    _ image: TextureImage, _ region: Region, from bytes: UnsafeRawPointer?, rowLength: Int
  ) throws(SafelightError) {
    let gl = context.gl
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    try gl.call("glPixelStorei") { $0.glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), GLint(rowLength)) }
    let (x, y) = (GLint(region.x), GLint(region.y))
    let (width, height) = (GLsizei(region.size.width), GLsizei(region.size.height))
    let level = GLint(baseLevel + image.level)
    switch descriptor.textureType {
    case .type2D, .typeCube, .type2DMultisample:
      try gl.call("glTexSubImage2D") {
        unsafe $0.glTexSubImage2D(
          imageTarget(image.slice), level, x, y, width, height, format.transferFormat, format.transferType, bytes)
      }
    case .type2DArray, .type3D, .type2DMultisampleArray:
      try gl.call("glTexSubImage3D") {
        unsafe $0.glTexSubImage3D(
          target, level, x, y, GLint(image.slice), width, height, 1, format.transferFormat, format.transferType, bytes)
      }
    }
  }

  /// Returns the target of one image: a face of a cube, else the texture.
  func imageTarget(_ slice: Int) -> GLenum {
    descriptor.textureType == .typeCube ? GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X) + GLenum(slice) : target
  }

  /// Copies a region of an image into another texture of the same format (`glCopyImageSubData`, else
  /// `glBlitFramebuffer`).
  package func copy(
    _ image: TextureImage, _ region: Region, to other: TextureObject, _ otherImage: TextureImage, x: Int, y: Int
  ) throws(SafelightError) {
    let gl = context.gl
    // The copy is of raw bytes, so the driver must have chosen both layouts.
    guard !isImported, !other.isImported, context.features.contains(.copyImage),
      let copyImage = gl.table.glCopyImageSubData
    else {
      return try blit(image, region, to: other, otherImage, x: x, y: y)
    }
    copyImage(
      name, target, GLint(baseLevel + image.level), GLint(region.x), GLint(region.y), GLint(image.slice),
      other.name, other.target, GLint(other.baseLevel + otherImage.level), GLint(x), GLint(y),
      GLint(otherImage.slice), GLsizei(region.size.width), GLsizei(region.size.height), 1)
    if gl.checksEveryCall { try gl.check("glCopyImageSubData") }
  }

  private func blit(
    _ image: TextureImage, _ region: Region, to other: TextureObject, _ otherImage: TextureImage, x: Int, y: Int
  ) throws(SafelightError) {
    let gl = context.gl
    // Source and destination may be the same texture, so reading needs a framebuffer of its own.
    try other.attach(otherImage, to: GLenum(GL_DRAW_FRAMEBUFFER))
    let reader = GLName(.framebuffer, gl)
    try attach(image, to: GLenum(GL_READ_FRAMEBUFFER), framebuffer: reader.rawValue)
    let (width, height) = (GLint(region.size.width), GLint(region.size.height))
    let (fromX, fromY, toX, toY) = (GLint(region.x), GLint(region.y), GLint(x), GLint(y))
    try gl.call("glBlitFramebuffer") {
      $0.glBlitFramebuffer(
        fromX, fromY, fromX + width, fromY + height, toX, toY, toX + width, toY + height,
        GLbitfield(GL_COLOR_BUFFER_BIT), GLenum(GL_NEAREST))
    }
    try gl.check("copy between textures of \(descriptor.pixelFormat.rawValue)")
  }

  /// Fills every image with zeros: clears formats that can be drawn into, uploads to others.
  package func clearAll() throws(SafelightError) {
    for level in 0..<descriptor.mipmapLevelCount {
      for slice in 0..<descriptor.sliceCount(atLevel: level) {
        let image = TextureImage(level: level, slice: slice)
        if isRenderable {
          try clear(image)
        } else {
          let size = descriptor.size(atLevel: level)
          let zeros = [UInt8](repeating: 0, count: size.area * descriptor.pixelFormat.bytesPerPixel)
          unsafe try zeros.withUnsafeBufferPointer { bytes throws(SafelightError) in
            unsafe try upload(image, Region(size: size), from: bytes.baseAddress, rowLength: size.width)
          }
        }
      }
    }
  }

  /// True if the format can be drawn into, cleared and read back.
  private var isRenderable: Bool {
    descriptor.pixelFormat.sampleKind != .float || context.features.contains(.floatRenderTargets)
  }

  /// Fills an image with `value`, one number per channel (`glClearBuffer`); fills depths and stencil values with zeros.
  package func clear(
    _ image: TextureImage = TextureImage(), to value: (Float, Float, Float, Float) = (0, 0, 0, 0)
  ) throws(SafelightError) {
    try bindRenderTarget(image)
    let pixelFormat = descriptor.pixelFormat
    let values = [value.0, value.1, value.2, value.3]
    switch pixelFormat.sampleKind {
    case .integer:
      try context.clearColor(to: .words(values.map { GLuint(pixelFormat.sample(normalized: $0)) }))
    case .normalized, .float: try context.clearColor(to: ClearValue.floats(values).exact(in: pixelFormat))
    case .depth, .stencil:
      if format.attachmentPoint != GLenum(GL_STENCIL_ATTACHMENT) { try context.clearDepth(to: 0) }
      if format.attachmentPoint != GLenum(GL_DEPTH_ATTACHMENT) { try context.clearStencil(to: 0) }
    }
  }
}

extension TextureFormat {
  /// The attachment point for an image of this format.
  fileprivate var attachmentPoint: GLenum {
    switch Int32(transferFormat) {
    case GL_DEPTH_COMPONENT: GLenum(GL_DEPTH_ATTACHMENT)
    case GL_STENCIL_INDEX: GLenum(GL_STENCIL_ATTACHMENT)
    case GL_DEPTH_STENCIL: GLenum(GL_DEPTH_STENCIL_ATTACHMENT)
    default: GLenum(GL_COLOR_ATTACHMENT0)
    }
  }
}
