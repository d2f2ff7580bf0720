public import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// Counts the samples of pictures on a device.
public final class HistogramReader: Sendable {
  private let device: Device
  private let queue: CommandQueue
  private let histogram: ImageHistogram

  /// Makes a reader with `entries` counts a channel, a power of two from 256 to 65536.
  public init(device: Device, entries: Int) {
    self.device = device
    queue = device.makeCommandQueue(label: "histograms")
    histogram = ImageHistogram(device: device, info: HistogramInfo(entries: entries))
  }

  /// The counts of `image`, one series a colour channel; alpha is not counted.
  public func histogram(of image: Image, label: String = "picture") async throws -> [HistogramSeries] {
    let source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: label)
    let length = histogram.info.histogramSize(forSourceFormat: image.pixelFormat)
    let counts = try device.makeBuffer(length: length, label: "histogram")
    let buffer = queue.makeCommandBuffer(label: label)
    source.encodeUpload(of: image, to: buffer)
    var kernel = histogram
    for tile in source.tiles {
      kernel.encode(to: buffer, source: tile.texture, histogram: counts)
      kernel.zeroHistogram = false
    }
    let blit = buffer.makeBlitCommandEncoder(label: "counts")
    let readback = blit.read(counts, range: 0..<length)
    blit.endEncoding()
    buffer.commit()
    try await buffer.completed()
    return series(try readback.contents(), of: image)
  }

  private func series(_ bytes: [UInt8], of image: Image) -> [HistogramSeries] {
    let entries = histogram.info.entries
    let words = stride(from: 0, to: bytes.count, by: 4).map { at in
      (0..<4).reduce(UInt64(0)) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
    }
    func plane(_ number: Int, _ channel: HistogramSeries.Channel) -> HistogramSeries {
      HistogramSeries(channel, counts: Array(words[number * entries..<(number + 1) * entries]))
    }
    // Grey with alpha lies in four samples, whose first three are equal.
    return switch image.channels {
    case .gray, .grayAlpha: [plane(0, .gray)]
    case .rgb, .rgba: [plane(0, .red), plane(1, .green), plane(2, .blue)]
    }
  }
}
