internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// `ycbcr`: to luma and chroma, and back.
struct YCbCrFilter: ImageFilter {
  /// Both ways for one depth, and the planes between them by the picture's size.
  private final class Conversion: Sendable {
    let layout: PixelLayout
    private let encoder: ImageRGBToYCbCr
    private let decoder: ImageYCbCrToRGB
    private let planes = Mutex<(size: Size, formats: [PixelFormat], textures: [Texture])?>(nil)

    init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
      self.layout = layout
      encoder = try ImageRGBToYCbCr(device: device, layout: layout, color: color)
      decoder = try ImageYCbCrToRGB(device: device, layout: layout, color: color)
    }

    func encode(to buffer: CommandBuffer, source: Texture, destination: Texture) {
      let formats = layout.planeFormats.map { source.pixelFormat == .rgba16Unorm ? $0.normalized : $0 }
      // Those of one size are kept: frames of a sequence share it.
      let planes = planes.withLock { kept in
        if let kept, kept.size == source.size, kept.formats == formats { return kept.textures }
        let made = formats.enumerated().map { index, format in
          Texture(size: layout.planeSize(index, of: source.size), pixelFormat: format, label: "plane \(index)")
        }
        kept = (source.size, formats, made)
        return made
      }
      encoder.encode(to: buffer, source: source, planes: planes)
      let hasAlpha = source.pixelFormat.samplesPerPixel == 4
      decoder.encode(to: buffer, planes: planes, alpha: hasAlpha ? source : nil, destination: destination)
    }
  }

  private let device: Device
  private let conversions: [SampleDepth: Conversion]

  /// `layouts` has one for each depth.
  init(device: Device, layouts: [SampleDepth: PixelLayout], color: ColorDescription) throws(SafelightError) {
    self.device = device
    var made: [SampleDepth: Conversion] = [:]
    for (depth, layout) in layouts { made[depth] = try Conversion(device: device, layout: layout, color: color) }
    conversions = made
  }

  /// Red, green and blue come from sample 0 to the largest, and so they are made again.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: "ycbcr")
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    let depth: SampleDepth = source.pixelFormat.bytesPerSample == 1 ? .bits8 : .bits16
    guard let conversion = conversions[depth] else { return }
    guard source.tiles.count > 1, conversion.layout.yCbCr?.subsampling != .yCbCr444 else {
      for (from, to) in zip(source.tiles, destination.tiles) {
        conversion.encode(to: buffer, source: from.texture, destination: to.texture)
      }
      return
    }
    for part in Self.parts(of: source.size, edge: device.capabilities.maximumTextureSize) {
      let whole = part.whole.size
      let picture = Texture(size: whole, pixelFormat: source.pixelFormat, label: "part of the picture")
      let made = Texture(size: whole, pixelFormat: source.pixelFormat, label: "part that was made")
      source.encodeCopy(of: part.whole, to: picture, in: buffer)
      conversion.encode(to: buffer, source: picture, destination: made)
      destination.encodeCopy(of: part.kept, from: made, lying: part.whole, in: buffer)
    }
  }

  /// Cuts a picture into parts that fit a texture of `edge` and know what lies about those pixels of them that are kept: they begin at even
  /// places, so that the same pixels share chroma, and a pixel depends on none that is more than two away.
  private static func parts(of size: Size, edge: Int) -> [(kept: Region, whole: Region)] {
    Region(size: size).tiles(edge: (edge - 4) & ~1).map { kept in
      let around = Region(x: kept.x - 2, y: kept.y - 2, width: kept.size.width + 4, height: kept.size.height + 4)
      return (kept, around.intersection(Region(size: size)))
    }
  }
}

extension TiledTexture {
  /// Records the copy of a region of the picture to all of `part`.
  fileprivate func encodeCopy(of region: Region, to part: Texture, in buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "part of the picture")
    for tile in tiles {
      let common = tile.region.intersection(region)
      guard !common.size.isEmpty else { continue }
      encoder.copy(
        from: tile.texture, region: common.translated(x: -tile.region.x, y: -tile.region.y), to: part,
        x: common.x - region.x, y: common.y - region.y)
    }
    encoder.endEncoding()
  }

  /// Records the copy of a region of the picture from `part`, which lies at `place` of it.
  fileprivate func encodeCopy(of region: Region, from part: Texture, lying place: Region, in buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "part that was made")
    for tile in tiles {
      let common = tile.region.intersection(region)
      guard !common.size.isEmpty else { continue }
      encoder.copy(
        from: part, region: common.translated(x: -place.x, y: -place.y), to: tile.texture,
        x: common.x - tile.region.x, y: common.y - tile.region.y)
    }
    encoder.endEncoding()
  }
}

extension PixelFormat {
  /// Words that are read as the picture's are, whose alpha joins them.
  fileprivate var normalized: PixelFormat {
    switch self {
    case .r16Uint: .r16Unorm
    case .rg16Uint: .rg16Unorm
    default: self
    }
  }
}
