public import SafelightGPU
public import SafelightImage
public import SafelightKernels

/// Counts the samples of pictures on a device.
public final class HistogramReader: Sendable {
  private let device: Device
  private let queue: CommandQueue
  private let histogram: ImageHistogram

  /// Makes a reader with `entries` counts a channel, a power of two from 256 to 65536.
  public convenience init(device: Device, entries: Int) {
    self.init(device: device, info: HistogramInfo(entries: entries))
  }

  /// Makes a reader of what `info` says.
  public init(device: Device, info: HistogramInfo) {
    self.device = device
    queue = device.makeCommandQueue(label: "histograms")
    histogram = ImageHistogram(device: device, info: info)
  }

  /// The histogram of `image`: of grey, or of red, green and blue; alpha is not counted unless the info asks for it.
  public func histogram(of image: Image, label: String = "picture") async throws -> Histogram {
    try await count(image, label: label).histogram()
  }

  /// Begins to count.
  func count(_ image: Image, label: String) throws -> Counting {
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
    let readback = histogram.info.encodeReadback(to: buffer, histogram: counts, sourceFormat: image.pixelFormat)
    buffer.commit()
    return Counting(buffer: buffer, readback: readback, channels: image.channels)
  }

  /// A histogram on its way.
  struct Counting {
    fileprivate let buffer: CommandBuffer
    fileprivate let readback: HistogramReadback
    /// What of the four samples is of the picture: the first three of grey with alpha are equal, the last of colours without alpha means nothing.
    fileprivate let channels: Channels

    func histogram() async throws -> Histogram { named(try await readback.histogram()) }

    /// Blocks until it is there.
    func wait() throws -> Histogram {
      try buffer.waitUntilCompleted()
      return named(try readback.contents())
    }

    private func named(_ counted: Histogram) -> Histogram {
      let isGray = channels == .grayAlpha
      let named = counted.channels.enumerated().compactMap { plane, channel -> (Histogram.Channel, [UInt64])? in
        let counts = counted.counts(channel)
        if channel == .alpha { return channels == .rgb ? nil : (channel, counts) }
        if isGray { return plane == 0 ? (.gray, counts) : nil }
        return (channel, counts)
      }
      return Histogram(named)
    }
  }
}
