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
        for form in HistogramForm.allCases {
          let counts = try batch.counts(of: source, info) {
            ($0.form, $0.minPixelThresholdValue) = (form, SIMD4(repeating: -.infinity))
          }
          batch.expect(words: counts, "\(picture), range \(number), \(form)") { expected }
        }
      }
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
      for form in [HistogramForm.shared, .global] {
        batch.expect(words: try batch.counts(of: source, info) { $0.form = form }, "\(entries), \(form)") { expected }
      }
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
      for form in HistogramForm.allCases {
        let counts = try batch.counts(of: source, HistogramInfo()) {
          ($0.form, $0.minPixelThresholdValue) = (form, SIMD4(repeating: threshold))
        }
        batch.expect(words: counts, "\(picture) from \(threshold), \(form)") { expected }
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
      $0.form = .private
    }
    try batch.check()
    #expect(try counts.words().reduce(0, +) == 4 * 2048 * 256)
  }

  @Test func lumaOfFloatsIsRefused() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .rgba32Float)
      let bins = try device.makeBuffer(length: 4096)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      ImageHistogram(device: device, info: HistogramInfo(channels: .luma)).encode(
        to: buffer, source: source, histogram: bins)
    }
  }
}
