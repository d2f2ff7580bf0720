public import SafelightGPU
public import SafelightImage

/// A picture on a device, of any size: one texture where it fits, else tiles no larger than the device's limit.
public struct TiledTexture: Sendable {
  /// A part of the picture and the texture that holds it.
  public struct Tile: Sendable {
    /// Where the part lies in the picture.
    public let region: Region
    /// Its pixels, from the texture's top-left corner on.
    public let texture: Texture
  }

  /// Columns and rows of the whole picture.
  public let size: Size
  /// How a pixel lies in memory.
  public let pixelFormat: PixelFormat
  /// The tiles, row by row.
  public let tiles: [Tile]
  /// The most columns, and rows, of a tile.
  package let edge: Int

  /// Makes textures of zeros for a picture of `size`.
  public init(device: Device, size: Size, pixelFormat: PixelFormat, label: String) throws {
    try self.init(
      device: device, size: size, pixelFormat: pixelFormat, edge: device.capabilities.maximumTextureSize, label: label)
  }

  /// The same with tiles of `edge`, which is no more than the device's limit.
  package init(device: Device, size: Size, pixelFormat: PixelFormat, edge: Int, label: String) throws {
    self.size = size
    self.pixelFormat = pixelFormat
    self.edge = edge
    tiles = try Region(size: size).tiles(edge: edge).map { region in
      Tile(region: region, texture: try device.makeTexture(region.size, pixelFormat, label: label))
    }
  }

  /// Records the upload of a picture of this size and format.
  public func encodeUpload(of image: Image, to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "upload")
    for tile in tiles { encoder.copy(from: image, region: tile.region, to: tile.texture) }
    encoder.endEncoding()
  }

  /// Records the readback of the whole picture.
  public func encodeReadback(to buffer: CommandBuffer) -> Readback {
    let readback = Readback(size, pixelFormat)
    let encoder = buffer.makeBlitCommandEncoder(label: "readback")
    for tile in tiles { encoder.read(tile.texture, into: readback, ofSize: size, at: tile.region) }
    encoder.endEncoding()
    return readback
  }

  /// Records the upload of a picture of this size and format, whose rows lie in `memory`.
  package func encodeUpload(from memory: Buffer, to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "upload")
    for tile in tiles {
      encoder.copy(from: memory, offset: offset(of: tile), bytesPerRow: bytesPerRow, to: tile.texture)
    }
    encoder.endEncoding()
  }

  /// Records the readback of the whole picture into `memory`.
  package func encodeReadback(into memory: Buffer, to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "readback")
    for tile in tiles {
      encoder.copy(from: tile.texture, to: memory, offset: offset(of: tile), bytesPerRow: bytesPerRow)
    }
    encoder.endEncoding()
  }

  /// Bytes of the whole picture.
  package var byteCount: Int { bytesPerRow * size.height }
  private var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }
  private func offset(of tile: Tile) -> Int {
    tile.region.y * bytesPerRow + tile.region.x * pixelFormat.bytesPerPixel
  }
}
