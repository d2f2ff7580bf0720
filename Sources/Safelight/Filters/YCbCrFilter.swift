internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// `ycbcr`: to luma and chroma, and back.
struct YCbCrFilter: ImageStage {
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
    for part in PicturePart.parts(of: source.size, edge: device.capabilities.maximumTextureSize) {
      let whole = part.whole.size
      let picture = Texture(size: whole, pixelFormat: source.pixelFormat, label: "part of the picture")
      let made = Texture(size: whole, pixelFormat: source.pixelFormat, label: "part that was made")
      source.encodeCopy(of: part.whole, to: picture, in: buffer)
      conversion.encode(to: buffer, source: picture, destination: made)
      destination.encodeCopy(of: part.kept, from: made, lying: part.whole, in: buffer)
    }
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
