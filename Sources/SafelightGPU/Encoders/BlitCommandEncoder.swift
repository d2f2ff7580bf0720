public import SafelightGLES
public import SafelightImage

/// Records copies on the device, and from and to this process; Metal's `MTLBlitCommandEncoder`.
public final class BlitCommandEncoder: CommandEncoder {
  // MARK: From and to this process

  /// Copies `region` of `picture`, by default all of it, to an image of `texture`, with its top-left corner at (`x`,
  /// `y`) (`glTexSubImage2D`).
  public func copy(
    from picture: Image, region: Region? = nil, to texture: Texture, image: TextureImage = TextureImage(), x: Int = 0,
    y: Int = 0, fileID: StaticString = #fileID, line: Int = #line
  ) {
    let source = region ?? Region(size: picture.size)
    trap(unless: source.isInside(picture.size), "region \(source) lies outside a picture of \(picture.size)")
    let offset = source.y * picture.bytesPerRow + source.x * picture.pixelFormat.bytesPerPixel
    let upload = Command.Upload(
      bytes: picture.bytes, offset: offset, bytesPerRow: picture.bytesPerRow, pixelFormat: picture.pixelFormat,
      texture: texture, image: image, region: Region(x: x, y: y, size: source.size))
    append(.upload(upload), at: Recording.CallSite(fileID, line))
  }

  /// Writes rows of pixels in the texture's own format into `region` of an image, by default all of it
  /// (`glTexSubImage2D`).
  ///
  /// The first pixel lies at `offset`. `bytesPerRow` is a multiple of the bytes of a pixel; nil means rows without
  /// padding.
  public func write(
    _ bytes: [UInt8], offset: Int = 0, bytesPerRow: Int? = nil, to texture: Texture,
    image: TextureImage = TextureImage(), region: Region? = nil, fileID: StaticString = #fileID, line: Int = #line
  ) {
    let region = region ?? Region(size: texture.descriptor.size(atLevel: image.level))
    let upload = Command.Upload(
      bytes: bytes, offset: offset, bytesPerRow: bytesPerRow ?? region.bytesPerRow(texture.pixelFormat),
      pixelFormat: texture.pixelFormat, texture: texture, image: image, region: region)
    append(.upload(upload), at: Recording.CallSite(fileID, line))
  }

  /// Reads all pixels of an image (`glReadPixels`), by default in the texture's own format.
  ///
  /// `pixelFormat` may be the format with the other order of the same four channels.
  public func read(
    _ texture: Texture, image: TextureImage = TextureImage(), as pixelFormat: PixelFormat? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) -> Readback {
    let size = texture.descriptor.size(atLevel: image.level)
    let readback = Readback(size, texture.pixelFormat)
    read(
      texture, image: image, as: pixelFormat, into: readback, ofSize: size, at: Region(size: size), fileID: fileID,
      line: line)
    return readback
  }

  /// Reads the pixels of an image from (`x`, `y`) on, into the part `destination` of a picture of `size`.
  public func read(
    _ texture: Texture, image: TextureImage = TextureImage(), x: Int = 0, y: Int = 0,
    as pixelFormat: PixelFormat? = nil, into readback: Readback, ofSize size: Size, at destination: Region,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    let pixelFormat = pixelFormat ?? texture.pixelFormat
    trap(
      unless: destination.isInside(size) && readback.length == size.area * pixelFormat.bytesPerPixel,
      "'\(texture.label)' cannot be read into region \(destination) of a picture of \(size) in a readback of "
        + "\(readback.length) bytes")
    readback.prepare()
    let read = Command.TextureRead(
      texture: texture, image: image, region: Region(x: x, y: y, size: destination.size), pixelFormat: pixelFormat,
      readback: readback, offset: (destination.y * size.width + destination.x) * pixelFormat.bytesPerPixel,
      bytesPerRow: size.width * pixelFormat.bytesPerPixel)
    append(.readTexture(read), at: Recording.CallSite(fileID, line))
  }

  /// Writes `bytes` into `buffer` (`glBufferSubData`).
  public func write(
    _ bytes: [UInt8], to buffer: Buffer, offset: Int = 0, fileID: StaticString = #fileID, line: Int = #line
  ) {
    buffer.check(offset..<offset + bytes.count)
    append(.writeBuffer(buffer, offset: offset, bytes: bytes), at: Recording.CallSite(fileID, line))
  }

  /// Reads bytes of `buffer` (`glMapBufferRange`).
  public func read(_ buffer: Buffer, range: Range<Int>, fileID: StaticString = #fileID, line: Int = #line) -> Readback {
    let readback = Readback(length: range.count)
    read(buffer, range: range, into: readback, fileID: fileID, line: line)
    return readback
  }

  /// Reads bytes of `buffer` into an existing readback.
  public func read(
    _ buffer: Buffer, range: Range<Int>, into readback: Readback, fileID: StaticString = #fileID, line: Int = #line
  ) {
    buffer.check(range)
    readback.prepare()
    append(.readBuffer(buffer, range: range, into: readback), at: Recording.CallSite(fileID, line))
  }

  /// Copies the device's writes to a managed buffer to ``Buffer/contents()`` on completion; Metal's
  /// `synchronize(resource:)`. Shared buffers do not need it.
  public func synchronize(_ buffer: Buffer, fileID: StaticString = #fileID, line: Int = #line) {
    append(.synchronize(buffer), at: Recording.CallSite(fileID, line))
  }

  // MARK: On the device

  /// Copies `region` of an image, by default all of it, into a texture of the same format (`glCopyImageSubData`).
  public func copy(
    from source: Texture, sourceImage: TextureImage = TextureImage(), region: Region? = nil, to destination: Texture,
    destinationImage: TextureImage = TextureImage(), x: Int = 0, y: Int = 0, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    let region = region ?? Region(size: source.descriptor.size(atLevel: sourceImage.level))
    let copy = Command.TextureCopy(
      source: source, sourceImage: sourceImage, region: region, destination: destination,
      destinationImage: destinationImage, x: x, y: y)
    append(.copyTexture(copy), at: Recording.CallSite(fileID, line))
  }

  /// Copies rows of pixels, in the texture's own format, from a buffer into a texture (`glTexSubImage2D` from
  /// `GL_PIXEL_UNPACK_BUFFER`).
  public func copy(
    from buffer: Buffer, offset: Int = 0, bytesPerRow: Int, to texture: Texture, image: TextureImage = TextureImage(),
    region: Region? = nil, fileID: StaticString = #fileID, line: Int = #line
  ) {
    let region = region ?? Region(size: texture.descriptor.size(atLevel: image.level))
    let copy = Command.BufferTextureCopy(
      buffer: buffer, offset: offset, bytesPerRow: bytesPerRow, texture: texture, image: image, region: region)
    append(.copyBufferToTexture(copy), at: Recording.CallSite(fileID, line))
  }

  /// Copies pixels of a texture, in its own format, into a buffer (`glReadPixels` to `GL_PIXEL_PACK_BUFFER`).
  public func copy(
    from texture: Texture, image: TextureImage = TextureImage(), region: Region? = nil, to buffer: Buffer,
    offset: Int = 0, bytesPerRow: Int, fileID: StaticString = #fileID, line: Int = #line
  ) {
    let region = region ?? Region(size: texture.descriptor.size(atLevel: image.level))
    let copy = Command.BufferTextureCopy(
      buffer: buffer, offset: offset, bytesPerRow: bytesPerRow, texture: texture, image: image, region: region)
    append(.copyTextureToBuffer(copy), at: Recording.CallSite(fileID, line))
  }

  /// Copies bytes from buffer to buffer (`glCopyBufferSubData`).
  public func copy(
    from source: Buffer, range: Range<Int>, to destination: Buffer, offset: Int = 0, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    source.check(range)
    destination.check(offset..<offset + range.count)
    let copy = Command.BufferCopy(source: source, range: range, destination: destination, offset: offset)
    append(.copyBuffer(copy), at: Recording.CallSite(fileID, line))
  }

  /// Sets every byte of `range` to `value`.
  public func fill(_ buffer: Buffer, range: Range<Int>, value: UInt8, fileID: StaticString = #fileID, line: Int = #line)
  {
    buffer.check(range)
    append(.fillBuffer(buffer, range: range, value: value), at: Recording.CallSite(fileID, line))
  }

  /// Makes the smaller levels of `texture`, each from the one before (`glGenerateMipmap`).
  ///
  /// Drivers may round either way and the twin rounds to nearest, so they agree within 1 of 255. Integer formats have
  /// no mean and trap.
  public func generateMipmaps(for texture: Texture, fileID: StaticString = #fileID, line: Int = #line) {
    append(.generateMipmaps(texture), at: Recording.CallSite(fileID, line))
  }
}

extension Buffer {
  func check(_ range: Range<Int>) {
    trap(
      unless: range.lowerBound >= 0 && range.upperBound <= length,
      "bytes \(range) lie outside buffer '\(label)' of \(length) bytes")
  }
}
