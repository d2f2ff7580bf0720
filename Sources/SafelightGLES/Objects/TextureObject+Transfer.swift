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
    switch readbackFormat() {
    case .direct:
      unsafe try readPixels(region, format.transferFormat, format.transferType, into: bytes, rowLength: rowLength)
    case .rgba8:
      unsafe try readWide(region, GL_RGBA, GL_UNSIGNED_BYTE, as: UInt8.self, into: bytes, rowLength: rowLength) { $0 }
    case .rgba16:
      unsafe try readWide(region, GL_RGBA, GL_UNSIGNED_SHORT, as: UInt16.self, into: bytes, rowLength: rowLength) { $0 }
    case .rgba32 where !is16Bit:
      unsafe try readWide(region, GL_RGBA_INTEGER, GL_UNSIGNED_INT, as: UInt32.self, into: bytes, rowLength: rowLength)
      {
        $0
      }
    case .rgba32:
      unsafe try readWide(region, GL_RGBA_INTEGER, GL_UNSIGNED_INT, as: UInt32.self, into: bytes, rowLength: rowLength)
      {
        UInt16(truncatingIfNeeded: $0)
      }
    case .rgbaFloat where !is16Bit:
      unsafe try readWide(region, GL_RGBA, GL_FLOAT, as: Float.self, into: bytes, rowLength: rowLength) { $0 }
    case .rgbaFloat:
      unsafe try readWide(region, GL_RGBA, GL_FLOAT, as: Float.self, into: bytes, rowLength: rowLength) {
        PixelFormat.halfBits($0)
      }
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
    var preferred: (GLint, GLint) = (0, 0)
    unsafe context.gl.table.glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_FORMAT), &preferred.0)
    unsafe context.gl.table.glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_TYPE), &preferred.1)
    let isPreferred = preferred == (GLint(format.transferFormat), GLint(format.transferType))
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
  private func readWide<Wide: ExpressibleByIntegerLiteral & BitwiseCopyable, Narrow: BitwiseCopyable>(
    _ region: Region, _ format: Int32, _ type: Int32, as wide: Wide.Type, into bytes: UnsafeMutableRawPointer,
    rowLength: Int, _ narrow: (Wide) -> Narrow
  ) throws(SafelightError) {
    let row = region.size.width * 4 * MemoryLayout<Wide>.size
    // The memory is kept for the life of the context, so large pictures are read in strips.
    let height = max(1, min(region.size.height, Self.stripLength / row))
    unsafe try context.withReadbackMemory(height * row) { rows throws(SafelightError) in
      for top in stride(from: 0, to: region.size.height, by: height) {
        let strip = Region(
          x: region.x, y: region.y + top, width: region.size.width, height: min(height, region.size.height - top))
        unsafe try readPixels(strip, GLenum(format), GLenum(type), into: rows, rowLength: strip.size.width)
        let out = unsafe bytes.advanced(by: top * rowLength * descriptor.pixelFormat.bytesPerPixel)
        unsafe narrowRows(of: strip.size, rows, to: out, rowLength: rowLength, narrow)
      }
    }
  }

  private static var stripLength: Int { 4 << 20 }

  private func narrowRows<Wide: BitwiseCopyable, Narrow: BitwiseCopyable>(
    of size: Size, _ rows: UnsafeMutableRawPointer, to bytes: UnsafeMutableRawPointer, rowLength: Int,
    _ narrow: (Wide) -> Narrow
  ) {
    let samples = descriptor.pixelFormat.samplesPerPixel
    for y in 0..<size.height {
      let out = unsafe bytes.advanced(by: y * rowLength * descriptor.pixelFormat.bytesPerPixel)
      for x in 0..<size.width {
        for sample in 0..<samples {
          let place = ((y * size.width + x) * 4 + sample) * MemoryLayout<Wide>.size
          let value = unsafe rows.loadUnaligned(fromByteOffset: place, as: Wide.self)
          unsafe out.storeBytes(
            of: narrow(value), toByteOffset: (x * samples + sample) * MemoryLayout<Narrow>.size, as: Narrow.self)
        }
      }
    }
  }
}

extension TextureObject {
  /// Attaches an image to the texture's framebuffer, binds that and sets the viewport to the image's size.
  package func bindRenderTarget(_ image: TextureImage = TextureImage()) throws(SafelightError) {
    let gl = context.gl
    let point = GLenum(GL_FRAMEBUFFER)
    try attach(image, to: point)
    let status = gl.table.glCheckFramebufferStatus(point)
    guard status == GLenum(GL_FRAMEBUFFER_COMPLETE) else {
      throw SafelightError(
        .driver, "render target of \(descriptor.size) \(descriptor.pixelFormat.rawValue)",
        why: "the framebuffer is incomplete (0x\(String(status, radix: 16)))", remedy: "use the device software or cpu")
    }
    let size = descriptor.size(atLevel: image.level)
    try gl.call("glViewport") { $0.glViewport(0, 0, GLsizei(size.width), GLsizei(size.height)) }
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

  /// Fills an image with `value`, one number per channel (`glClearBuffer`); fills depths and stencil values with zeros.
  package func clear(
    _ image: TextureImage = TextureImage(), to value: (Float, Float, Float, Float) = (0, 0, 0, 0)
  ) throws(SafelightError) {
    try bindRenderTarget(image)
    let pixelFormat = descriptor.pixelFormat
    let values = [value.0, value.1, value.2, value.3]
    switch pixelFormat.sampleKind {
    case .integer:
      let words = values.map { GLuint(pixelFormat.sample(normalized: $0)) }
      try context.gl.call("glClearBufferuiv") { unsafe $0.glClearBufferuiv(GLenum(GL_COLOR), 0, words) }
    case .normalized:
      // As in the render form of the point kernels, rounding and truncation both give the sample.
      let shares = values.map { (Float(pixelFormat.sample(normalized: $0)) + 0.25) / Float(pixelFormat.maximum) }
      try context.gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), 0, shares) }
    case .float:
      try context.gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), 0, values) }
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
