public import SafelightGLES
public import SafelightImage

extension Command {
  /// Pixels on their way to the device.
  public struct Upload: Sendable {
    /// The pixels; shared with whoever made them, not copied.
    public var bytes: [UInt8]
    /// Where the first pixel lies in ``bytes``.
    public var offset: Int
    /// Bytes from one row to the next; a multiple of the format's bytes a pixel.
    public var bytesPerRow: Int
    /// How a pixel of ``bytes`` lies in memory.
    public var pixelFormat: PixelFormat
    /// The texture they go to.
    public var texture: Texture
    /// The image of the texture.
    public var image: TextureImage
    /// The pixels of the image that they replace.
    public var region: Region

    init(
      bytes: [UInt8], offset: Int = 0, bytesPerRow: Int? = nil, pixelFormat: PixelFormat, texture: Texture,
      image: TextureImage, region: Region
    ) {
      let row = region.size.width * pixelFormat.bytesPerPixel
      let bytesPerRow = bytesPerRow ?? row
      texture.check(region, of: image, for: "upload")
      trap(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "pixels of \(pixelFormat.rawValue) cannot be copied to '\(texture.label)' of \(texture.pixelFormat.rawValue)")
      trap(
        unless: bytesPerRow >= row && bytesPerRow % pixelFormat.bytesPerPixel == 0,
        "rows of \(bytesPerRow) bytes do not hold \(region.size.width) pixels of \(pixelFormat.rawValue)")
      let needed = offset + (region.size.height - 1) * bytesPerRow + row
      trap(
        unless: offset >= 0 && needed <= bytes.count,
        "an upload of \(region) to '\(texture.label)' needs \(needed) bytes; \(bytes.count) were given")
      self.bytes = bytes
      self.offset = offset
      self.bytesPerRow = bytesPerRow
      self.pixelFormat = pixelFormat
      self.texture = texture
      self.image = image
      self.region = region
    }
  }

  /// Pixels on their way back.
  public struct TextureRead: Sendable {
    /// The texture.
    public var texture: Texture
    /// The image of the texture.
    public var image: TextureImage
    /// The part of it to copy.
    public var region: Region
    /// How a pixel shall lie in memory.
    public var pixelFormat: PixelFormat
    /// Where the bytes go.
    public var readback: Readback
    /// The place of the first pixel in the readback.
    public var offset: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int

    init(
      texture: Texture, image: TextureImage, region: Region, pixelFormat: PixelFormat, readback: Readback, offset: Int,
      bytesPerRow: Int
    ) {
      texture.check(region, of: image, for: "read")
      let row = region.size.width * pixelFormat.bytesPerPixel
      trap(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "'\(texture.label)' of \(texture.pixelFormat.rawValue) cannot be read as \(pixelFormat.rawValue)")
      trap(
        unless: bytesPerRow >= row && bytesPerRow % pixelFormat.bytesPerPixel == 0,
        "rows of \(bytesPerRow) bytes do not hold \(region.size.width) pixels of \(pixelFormat.rawValue)")
      let needed = offset + (region.size.height - 1) * bytesPerRow + row
      trap(
        unless: offset >= 0 && needed <= readback.length,
        "reading \(region) of '\(texture.label)' needs \(needed) bytes; the readback has \(readback.length)")
      self.texture = texture
      self.image = image
      self.region = region
      self.pixelFormat = pixelFormat
      self.readback = readback
      self.offset = offset
      self.bytesPerRow = bytesPerRow
    }

    /// True where rows lie in the readback without padding and fill it.
    var isWhole: Bool {
      offset == 0 && bytesPerRow == region.size.width * pixelFormat.bytesPerPixel
        && readback.length == bytesPerRow * region.size.height
    }
  }

  /// Pixels from texture to texture.
  public struct TextureCopy: Sendable {
    /// Where they come from.
    public var source: Texture
    /// The image of ``source``.
    public var sourceImage: TextureImage
    /// The pixels of that image.
    public var region: Region
    /// Where they go; of the same format.
    public var destination: Texture
    /// The image of ``destination``.
    public var destinationImage: TextureImage
    /// The column of the first pixel there.
    public var x: Int
    /// The row of the first pixel there.
    public var y: Int
  }

  /// Pixels between a buffer and a texture, in either direction.
  public struct BufferTextureCopy: Sendable {
    /// The buffer.
    public var buffer: Buffer
    /// The place of the first pixel in it.
    public var offset: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int
    /// The texture.
    public var texture: Texture
    /// The image of the texture.
    public var image: TextureImage
    /// The pixels of the image.
    public var region: Region

    init(
      buffer: Buffer, offset: Int, bytesPerRow: Int, texture: Texture, image: TextureImage, region: Region
    ) {
      texture.check(region, of: image, for: "copy")
      let pixel = texture.pixelFormat.bytesPerPixel
      trap(
        unless: bytesPerRow >= region.size.width * pixel && bytesPerRow % pixel == 0 && offset % pixel == 0
          && offset >= 0,
        "offset \(offset) and rows of \(bytesPerRow) bytes in '\(buffer.label)' must be whole pixels of \(pixel) bytes")
      let needed = offset + (region.size.height - 1) * bytesPerRow + region.size.width * pixel
      trap(
        unless: needed <= buffer.length,
        "a copy of \(region) needs \(needed) bytes; buffer '\(buffer.label)' has \(buffer.length)")
      self.buffer = buffer
      self.offset = offset
      self.bytesPerRow = bytesPerRow
      self.texture = texture
      self.image = image
      self.region = region
    }
  }

  /// Bytes from buffer to buffer.
  public struct BufferCopy: Sendable {
    /// Where they come from.
    public var source: Buffer
    /// Which they are.
    public var range: Range<Int>
    /// Where they go.
    public var destination: Buffer
    /// The place of the first byte there.
    public var offset: Int
  }
}
