public import SafelightGPU
public import SafelightImage
public import SafelightKernels

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

  /// The histogram of `image`: of grey, or of red, green and blue; alpha is not counted.
  public func histogram(of image: Image, label: String = "picture") async throws -> Histogram {
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
    let counted = try await readback.histogram()
    // Grey with alpha lies in four samples, whose first three are equal.
    return image.channels == .grayAlpha ? Histogram([(.gray, counted.counts(.red))]) : counted
  }
}
