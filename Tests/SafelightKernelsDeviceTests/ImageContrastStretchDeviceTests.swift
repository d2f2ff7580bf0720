import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageContrastStretchDeviceTests {
  /// Percentiles and their parts in 65536ths, that above white being the rest.
  private static let percentiles = [
    (0.0, 1.0, 0, 0), (0.01, 0.99, 655, 655), (0.25, 0.75, 16384, 16384), (0, 0.5, 0, 32768),
  ]

  @Test(arguments: TestDevice.all, Picture.formats)
  func everyPictureAndPercentile(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    for channels in ImageContrastStretch.Channels.allCases {
      for (low, high, below, above) in Self.percentiles {
        // Every way and percentile of noise; of other pictures, in which they make less of a difference, one.
        for picture in channels == .each && below == 655 ? Self.pictures(format) : [Picture(Size(65, 63), format)] {
          let readback = try Self.stretch(picture, low: low, high: high, channels, batch)
          batch.expect(readback, format, "\(picture), \(channels), \(below) and \(above) of 65536") {
            Self.expected(picture, channels, below, above)
          }
        }
      }
    }
    try batch.check()
  }

  /// Counts that no small picture has: their products with the percentiles need 48 bits.
  @Test(arguments: TestDevice.all) func countsNearlyFill32Bits(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let kernel = ImageContrastStretch(device: batch.device, depth: .bits8, low: 0.3, high: 0.6)
    var counts = [UInt32](repeating: 0, count: 256)
    // 0.3 is kept as 19661 / 65536, of which N makes 1 288 496 676: just what lies up to 10, so 11 is black.
    (counts[10], counts[11], counts[200], counts[201]) = (1_288_496_676, 1, 2_000_000_000, 1_006_448_554)
    let total = counts.reduce(0, +)
    #expect(total == 4_294_945_231 && (UInt64(total) * 19661) >> 16 == 1_288_496_676)
    let picture = Picture.everyValue(.r8Unorm)
    let source = try batch.source(picture)
    kernel.encodeTransform(to: batch.buffer, source: source, histogram: try batch.words(counts))
    let readback = try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0) }
    batch.expect(readback, .r8Unorm, "large counts") {
      picture.samples.map { (min(max($0 - 11, 0), 189) * 255 + 94) / 189 }
    }
    try batch.check(againstTwins: false)
  }

  @Test func lookUpsNeedATransform() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let kernel = ImageContrastStretch(device: device, depth: .bits8, low: 0, high: 1)
      let (source, target) = (
        try device.makeTexture(Size(2, 2), .r8Unorm), try device.makeTexture(Size(2, 2), .r8Unorm)
      )
      kernel.encode(
        to: device.makeCommandQueue().makeCommandBuffer(label: "early"), source: source, destination: target)
    }
    expectStop(result, saying: "call encodeTransform first")
  }

  // MARK: Expectations

  /// Every input, one pixel, and one column.
  private static func pictures(_ format: PixelFormat) -> [Picture] {
    SyntheticImage.allCases.map { Picture($0, $0 == .ramp ? Size(17, 31) : Size(65, 63), format) }
      + [Picture(Size(1, 1), format), Picture(Size(1, 9), format)]
  }

  private static func stretch(
    _ picture: Picture, low: Double, high: Double, _ channels: ImageContrastStretch.Channels, _ batch: Batch
  ) throws -> Readback {
    let depth: SampleDepth = picture.format.bytesPerSample == 1 ? .bits8 : .bits16
    let kernel = ImageContrastStretch(device: batch.device, depth: depth, low: low, high: high, channels: channels)
    let source = try batch.source(picture)
    let counts = try batch.device.makeBuffer(length: kernel.info.histogramSize(forSourceFormat: picture.format))
    ImageHistogram(device: batch.device, info: kernel.info)
      .encode(to: batch.buffer, source: source, histogram: counts)
    kernel.encodeTransform(to: batch.buffer, source: source, histogram: counts)
    return try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0) }
  }

  /// Black and white from the sorted values: value number `below` from the least, number `above` from the greatest.
  private static func range(_ values: [Int], _ below: Int, _ above: Int) -> (black: Int, white: Int) {
    let sorted = values.sorted()
    return (sorted[sorted.count * below / 65536], sorted[sorted.count - 1 - sorted.count * above / 65536])
  }

  private static func expected(
    _ picture: Picture, _ channels: ImageContrastStretch.Channels, _ below: Int, _ above: Int
  ) -> [Int] {
    let colors = min(picture.format.samplesPerPixel, 3)
    var ranges = (0..<colors).map { range(picture.channel($0), below, above) }
    switch channels {
    case .each: break
    case .luma: ranges = Array(repeating: range(picture.luma, below, above), count: colors)
    case .linked:
      let (black, white) = (ranges.map(\.black).min() ?? 0, ranges.map(\.white).max() ?? 0)
      ranges = Array(repeating: (black, white), count: colors)
    }
    return picture.mapping(0..<colors) { channel, value in
      let (black, white) = ranges[channel]
      if black == white { return value }
      let distance = min(max(value, black), white) - black
      // Halves upward, by twice the division.
      return (2 * distance * picture.format.maximum + white - black) / (2 * (white - black))
    }
  }
}
