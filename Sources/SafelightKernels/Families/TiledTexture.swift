public import SafelightGPU
public import SafelightImage

/// A picture of any size on a device, or a band of its rows: one texture if it fits, else tiles within the device's
/// limit.
public struct TiledTexture: Sendable {
  /// A part of the picture and the texture that holds it.
  public struct Tile: Sendable {
    /// The place of the part in the picture.
    public let region: Region
    /// The texture that holds the part's pixels, from its top-left corner on.
    public let texture: Texture
  }

  /// The size of the whole picture.
  public let size: Size
  /// The format of the pixels.
  public let pixelFormat: PixelFormat
  /// The tiles, row by row.
  public private(set) var tiles: [Tile]
  /// The pixels of the picture that the tiles hold: all, or those of a band.
  package private(set) var region: Region
  /// The greatest number of columns and of rows of a tile.
  package let edge: Int
  /// The meaning of the pixels; nil if it is not known.
  package private(set) var image: ImageDescriptor?

  /// Makes textures of zeros for a picture of `size`.
  public init(device: Device, size: Size, pixelFormat: PixelFormat, label: String) throws {
    try self.init(
      device: device, size: size, pixelFormat: pixelFormat, edge: device.capabilities.maximumTextureSize, label: label)
  }

  /// Makes tiles of at most `edge` columns and rows, within the device's limit.
  package init(device: Device, size: Size, pixelFormat: PixelFormat, edge: Int, label: String) throws {
    try self.init(
      device: device, holding: Region(size: size), of: size, pixelFormat: pixelFormat, edge: edge, label: label)
  }

  /// Makes tiles of at most `edge` columns and rows for a band of a picture of `size`: all columns of some rows.
  package init(
    device: Device, holding band: Region, of size: Size, pixelFormat: PixelFormat, edge: Int, label: String
  ) throws {
    self.size = size
    self.pixelFormat = pixelFormat
    self.edge = edge
    region = band
    tiles = try band.tiles(edge: edge).map { region in
      Tile(region: region, texture: try device.makeTexture(region.size, pixelFormat, label: label))
    }
  }

  /// Makes tiles of at most `edge` columns and rows that hold `image`; devices take over its pixels at first use.
  package init(_ image: Image, edge: Int, label: String) {
    size = image.size
    pixelFormat = image.pixelFormat
    self.edge = edge
    region = Region(size: image.size)
    self.image = image.descriptor
    tiles = Region(size: image.size).tiles(edge: edge).map { region in
      Tile(
        region: region,
        texture: Texture(
          size: region.size, pixelFormat: image.pixelFormat, contents: image.bytes(of: region), label: label))
    }
  }

  /// Makes textures of unspecified contents for the same picture, or the same band of it, in the same tiles.
  init(like other: TiledTexture, label: String) {
    self = other
    tiles = other.tiles.map { tile in
      Tile(
        region: tile.region, texture: Texture(size: tile.region.size, pixelFormat: other.pixelFormat, label: label))
    }
  }

  /// Wraps a texture that holds a region of a picture of `size`, and nothing else of it.
  init(_ texture: Texture, holding region: Region, of size: Size) {
    self.size = size
    pixelFormat = texture.pixelFormat
    edge = .max
    self.region = region
    tiles = [Tile(region: region, texture: texture)]
  }

  /// Wraps a texture, which holds the whole picture.
  package init(_ texture: Texture) {
    size = texture.size
    pixelFormat = texture.pixelFormat
    edge = .max
    region = texture.bounds
    tiles = [Tile(region: texture.bounds, texture: texture)]
  }

  /// Returns the same textures as those of a picture like `image`.
  package func holding(_ image: ImageDescriptor) -> TiledTexture {
    var held = self
    held.image = image
    return held
  }

  /// Returns the same textures for another band, of as many rows.
  package func moved(toRow y: Int) -> TiledTexture {
    var moved = self
    moved.region = region.translated(x: 0, y: y - region.y)
    moved.tiles = tiles.map { Tile(region: $0.region.translated(x: 0, y: y - region.y), texture: $0.texture) }
    return moved
  }

  /// Records the upload of a picture of this size and format, or of the band of it that lies here.
  public func encodeUpload(of image: Image, to buffer: CommandBuffer) {
    encodeTiles("upload", in: buffer) { encoder, tile, part in
      encoder.copy(from: image, region: held(part), to: tile.texture)
    }
  }

  /// Records the upload of all pixels from rows of so many bytes, by default without padding.
  package func encodeUpload(of bytes: [UInt8], bytesPerRow: Int? = nil, to buffer: CommandBuffer) {
    let bytesPerRow = bytesPerRow ?? self.bytesPerRow
    encodeTiles("upload", in: buffer) { encoder, tile, _ in
      let part = held(tile.region)
      let offset = part.y * bytesPerRow + part.x * pixelFormat.bytesPerPixel
      encoder.write(bytes, offset: offset, bytesPerRow: bytesPerRow, to: tile.texture)
    }
  }

  /// Records the readback of all that lies here.
  public func encodeReadback(to buffer: CommandBuffer) -> Readback {
    let readback = Readback(region.size, pixelFormat)
    encodeTiles("readback", in: buffer) { encoder, tile, part in
      encoder.read(tile.texture, into: readback, ofSize: region.size, at: held(part))
    }
    return readback
  }

  /// Records the upload of a picture of this size and format from its rows in `memory`.
  package func encodeUpload(from memory: Buffer, to buffer: CommandBuffer) {
    encodeTiles("upload", in: buffer) { encoder, tile, _ in
      encoder.copy(from: memory, offset: offset(of: tile), bytesPerRow: bytesPerRow, to: tile.texture)
    }
  }

  /// Records the readback of all that lies here into `memory`.
  package func encodeReadback(into memory: Buffer, to buffer: CommandBuffer) {
    encodeTiles("readback", in: buffer) { encoder, tile, _ in
      encoder.copy(from: tile.texture, to: memory, offset: offset(of: tile), bytesPerRow: bytesPerRow)
    }
  }

  /// The bytes of all that lies here.
  package var byteCount: Int { bytesPerRow * region.size.height }
  private var bytesPerRow: Int { region.size.width * pixelFormat.bytesPerPixel }
  private func offset(of tile: Tile) -> Int {
    held(tile.region).y * bytesPerRow + held(tile.region).x * pixelFormat.bytesPerPixel
  }
  /// Where a part of the picture lies here.
  private func held(_ part: Region) -> Region { part.translated(x: -region.x, y: -region.y) }
}

extension TiledTexture {
  /// Records the copy of a region of the picture to all of `part`.
  package func encodeCopy(of region: Region, to part: Texture, in buffer: CommandBuffer) {
    encodeTiles("part of the picture", of: region, in: buffer) { encoder, tile, common in
      encoder.copy(
        from: tile.texture, region: common.translated(x: -tile.region.x, y: -tile.region.y), to: part,
        x: common.x - region.x, y: common.y - region.y)
    }
  }

  /// Calls `record` for each tile that shares pixels with `region`, by default the whole picture, with the shared part.
  private func encodeTiles(
    _ label: String, of region: Region? = nil, in buffer: CommandBuffer,
    _ record: (BlitCommandEncoder, Tile, Region) -> Void
  ) {
    buffer.blit(label) { encoder in
      for tile in tiles {
        let common = tile.region.intersection(region ?? tile.region)
        if !common.size.isEmpty { record(encoder, tile, common) }
      }
    }
  }
}

extension Image {
  /// The pixels of a region, rows without padding.
  func bytes(of region: Region) -> [UInt8] {
    let count = region.size.width * pixelFormat.bytesPerPixel
    if count == bytesPerRow, region.size.height == size.height { return bytes }
    let first = region.y * bytesPerRow + region.x * pixelFormat.bytesPerPixel
    let starts = (0..<region.size.height).map { first + $0 * bytesPerRow }
    return starts.flatMap { bytes[$0..<$0 + count] }
  }
}
