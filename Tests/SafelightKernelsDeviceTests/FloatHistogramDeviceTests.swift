import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Histograms of halves and floats, against the rule in whole numbers.
@Suite struct FloatHistogramDeviceTests {
  static let ranges = [
    HistogramRange(low: SIMD4(repeating: 0), high: SIMD4(repeating: 1)),
    HistogramRange(low: SIMD4(-1.5, 0.1, 0.25, -3), high: SIMD4(2.75, 0.7, 0.5, -1)),
    HistogramRange(low: SIMD4(-1, -0.3, 0, 0.5), high: SIMD4(1, 0.3, 3, 0.50001)),
  ]

  @Test(arguments: TestDevice.all, FloatPicture.formats)
  func everyFormCountsEveryRange(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    for size in [Size(1, 1), Size(1, 9), Size(65, 63), Size(513, 3)] {
      let picture = FloatPicture(size, format, in: -1...1.5)
      let source = try picture.source(batch)
      for (number, range) in Self.ranges.enumerated() {
        let info = HistogramInfo(histogramForAlpha: true, minPixelValue: range.low, maxPixelValue: range.high)
        let expected = picture.expectedCounts(range, entries: 256, planes: format.samplesPerPixel)
        try batch.expectCounts(of: source, info, threshold: -.infinity, "\(picture), range \(number)") { expected }
      }
    }
    try batch.check()
  }

  /// Of alpha 0, below, and of none that is a number, nothing is seen.
  @Test(arguments: TestDevice.all, [PixelFormat.rgba16Float, .rgba32Float])
  func visiblePixelsAreCountedAlone(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = FloatPicture(Size(65, 63), format, in: -1...1.5)
    let range = Self.ranges[1]
    let info = HistogramInfo(
      histogramForAlpha: true, minPixelValue: range.low, maxPixelValue: range.high, pixels: .visible)
    try batch.expectCounts(of: picture.source(batch), info, threshold: -.infinity, "\(picture)") {
      picture.expectedCounts(range, entries: 256, planes: 4, visible: true)
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all, [PixelFormat.r32Float, .rgba16Float])
  func everyNumberOfEntries(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = FloatPicture(Size(65, 63), format, in: -0.5...1)
    let source = try picture.source(batch)
    let range = Self.ranges[1]
    for entries in HistogramInfo.entryCounts {
      let info = HistogramInfo(entries: entries, minPixelValue: range.low, maxPixelValue: range.high)
      let expected = picture.expectedCounts(range, entries: entries, planes: info.planes(for: format), threshold: 0)
      try batch.expectCounts(of: source, info, variants: [.shared, .global], "\(entries)") { expected }
    }
    try batch.check()
  }

  /// Every half there is.
  @Test(arguments: TestDevice.all)
  func everyHalf(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let values = (0...UInt16.max).map { PixelFormat.float(halfBits: $0) }
    let picture = FloatPicture(Size(256, 256), .r16Float, in: 0...0, special: values)
    batch.expect(words: try batch.counts(of: picture.source(batch), HistogramInfo(entries: 4096)), "halves") {
      picture.expectedCounts(Self.ranges[0], entries: 4096, planes: 1, threshold: 0)
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all, FloatPicture.formats)
  func thresholdsComeBeforeTheRange(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = FloatPicture(Size(65, 9), format, in: -1...1.5)
    let source = try picture.source(batch)
    for threshold: Float in [-.infinity, -1, -0.0, .leastNonzeroMagnitude, 0.5, 1, 1.25, .infinity] {
      let expected = picture.expectedCounts(
        Self.ranges[0], entries: 256, planes: HistogramInfo().planes(for: format), threshold: threshold)
      try batch.expectCounts(of: source, HistogramInfo(), threshold: threshold, "\(picture) from \(threshold)") {
        expected
      }
    }
    try batch.check()
  }

  /// llvmpipe leaves loops after 65535 rounds; finding an entry must cost none.
  @Test(arguments: TestDevice.gles)
  func moreRoundsThanADriverLoops(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = FloatPicture(Size(2048, 256), .rgba16Float, in: 0...1, special: [])
    let counts = try batch.counts(of: picture.source(batch), HistogramInfo(histogramForAlpha: true)) {
      $0.variant = .private
    }
    try batch.check()
    #expect(try counts.words().reduce(0, +) == 4 * 2048 * 256)
  }

  @Test func lumaOfFloatsIsRefused() async {
    await #expect(processExitsWith: .failure) {
      let batch = try Batch()
      ImageHistogram(device: batch.device, info: HistogramInfo(channels: .luma))
        .encode(to: batch.buffer, source: try batch.texture(.rgba32Float), histogram: try batch.bins())
    }
  }
}

/// Halves or floats on their way to a texture, with what is hard about floats among them.
struct FloatPicture: CustomStringConvertible {
  let size: Size
  let format: PixelFormat
  /// Pixel after pixel, as the texture holds them.
  let samples: [Float]

  var description: String { "\(size) \(format.rawValue)" }

  /// `special` values first, then numbers drawn from `range`.
  init(_ size: Size, _ format: PixelFormat, in range: ClosedRange<Float>, special: [Float] = FloatPicture.special) {
    self.size = size
    self.format = format
    var state: UInt64 = 20
    let drawn = (0..<size.area * format.samplesPerPixel).map { index -> Float in
      if index < special.count { return special[index] }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + (range.upperBound - range.lowerBound) * Float(state >> 40) / Float(1 << 24)
    }
    samples = format.bytesPerSample == 4 ? drawn : drawn.map { PixelFormat.float(halfBits: PixelFormat.halfBits($0)) }
  }

  static let formats: [PixelFormat] = [.r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float, .rgba32Float]

  static let special: [Float] = [
    .nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
    -.leastNormalMagnitude, .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    Float(bitPattern: 0xFFC0_0001), 1, Float(1).nextDown, Float(1).nextUp, 0.5, Float(0.5).nextDown, 0.25, 0.75, -1, 2,
    65504, -65504,
  ]

  var bytes: [UInt8] {
    format.bytesPerSample == 4
      ? samples.withUnsafeBytes { Array($0) }
      : samples.map { PixelFormat.halfBits($0) }.withUnsafeBytes { Array($0) }
  }

  /// The numbers of one channel, as which subnormal ones are 0; with `visible`, no colors where alpha is not above 0.
  func numbers(_ channel: Int, visible: Bool = false) -> [Float] {
    let normal = samples.map { $0.isSubnormal ? 0 : $0 }
    return stride(from: channel, to: samples.count, by: format.samplesPerPixel).filter { sample in
      !visible || channel == 3 || normal[sample - channel + 3] > 0
    }.map { normal[$0] }.filter { !$0.isNaN }
  }

  func source(_ batch: Batch) throws -> Texture {
    let texture = try batch.device.makeTexture(size, format)
    batch.blit { $0.write(bytes, to: texture) }
    return texture
  }

  /// The histogram by its documentation; ranges must be multiples of 2⁻³², so that no edge but 0 is nearer to 0 than
  /// 2⁻⁵⁰.
  func expectedCounts(
    _ info: HistogramRange, entries: Int, planes: Int, threshold: Float = -.infinity, visible: Bool = false
  ) -> [Int] {
    var counts = [Int](repeating: 0, count: planes * entries)
    for plane in 0..<planes {
      for value in numbers(plane, visible: visible) where value >= threshold {
        counts[plane * entries + Self.entry(value, info.low[plane], info.high[plane], entries)] += 1
      }
    }
    return counts
  }

  /// floor(entries · (v − low) / (high − low)) in whole numbers of 2⁻⁸⁰.
  static func entry(_ value: Float, _ low: Float, _ high: Float, _ entries: Int) -> Int {
    if value <= low { return 0 }
    if value >= high { return entries - 1 }
    let quotient = Int128(entries) * (fixed(value) - fixed(low)) / (fixed(high) - fixed(low))
    return min(Int(quotient), entries - 1)
  }

  private static func fixed(_ value: Float) -> Int128 {
    // What is nearer to 0 than any edge need only keep its side.
    abs(value) < 0x1p-56 ? (value > 0 ? 1 : value < 0 ? -1 : 0) : Int128(Double(value) * 0x1p80)
  }
}

/// The range of each channel.
struct HistogramRange {
  var low: SIMD4<Float>
  var high: SIMD4<Float>
}
