import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Every format of integers and normalised samples: channels, thresholds, numbers of entries.
@Suite struct HistogramFormatDeviceTests {
  @Test(arguments: TestDevice.all)
  func everyFormatHasItsChannels(_ test: TestDevice) throws {
    try check(test) { picture, form in
      let whole = [Int](repeating: picture.format.maximum, count: 4)
      let planes = min(picture.format.samplesPerPixel, 3)
      return (
        HistogramInfo(), 0,
        RawPicture.counts((0..<planes).map(picture.channel), entries: 256, low: [0, 0, 0, 0], high: whole)
      )
    }
  }

  @Test(arguments: TestDevice.all)
  func thresholdsComeBeforeTheRange(_ test: TestDevice) throws {
    let info = HistogramInfo(
      histogramForAlpha: true, minPixelValue: SIMD4(0.5, 0.25, 0, 0.75), maxPixelValue: SIMD4(0.75, 1, 1, 1))
    for threshold: Float in [-1, 0.25, 0.6, 0.600001, 1, 1.5] {
      try check(test) { picture, form in
        let maximum = picture.format.maximum
        let is8Bit = maximum == 255
        // The least sample that is not below the threshold, found by trying.
        let least = (0...maximum).first { Double($0) / Double(maximum) >= Double(threshold) } ?? maximum + 1
        return (
          info, threshold,
          RawPicture.counts(
            (0..<picture.format.samplesPerPixel).map(picture.channel), entries: 256,
            low: is8Bit ? [128, 64, 0, 191] : [32768, 16384, 0, 49151],
            high: is8Bit ? [191, 255, 255, 255] : [49151, 65535, 65535, 65535],
            threshold: [least, least, least, least])
        )
      }
    }
  }

  @Test(arguments: TestDevice.all, HistogramInfo.entryCounts)
  func everyNumberOfEntries(_ test: TestDevice, _ entries: Int) throws {
    try check(test) { picture, form in
      let whole = [Int](repeating: picture.format.maximum, count: 4)
      let planes = min(picture.format.samplesPerPixel, 3)
      return (
        HistogramInfo(entries: entries), 0,
        RawPicture.counts((0..<planes).map(picture.channel), entries: entries, low: [0, 0, 0, 0], high: whole)
      )
    }
  }

  /// Luma has a threshold too: that of red.
  @Test(arguments: TestDevice.all)
  func lumaHasAThreshold(_ test: TestDevice) throws {
    try check(test) { picture, form in
      let maximum = picture.format.maximum
      let luma = picture.format.samplesPerPixel == 4 ? picture.luma : picture.channel(0)
      return (
        HistogramInfo(channels: .luma), 0.5,
        RawPicture.counts([luma], entries: 256, low: [0], high: [maximum], threshold: [(maximum + 1) / 2])
      )
    }
  }

  @Test func rangesOfIntegersLieFrom0To1() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let bins = try device.makeBuffer(length: 4096)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let info = HistogramInfo(minPixelValue: SIMD4(repeating: -1))
      ImageHistogram(device: device, info: info).encode(to: buffer, source: source, histogram: bins)
    }
  }

  /// Compares every format and form with what `expect` says of a picture: the info, a threshold and the counts.
  private func check(
    _ test: TestDevice, _ expect: (RawPicture, HistogramForm) -> (HistogramInfo, Float, [Int])
  ) throws {
    let batch = try Batch(test)
    var results: [(counts: Readback, expected: [Int], what: String)] = []
    for format in RawPicture.formats(on: batch.device) {
      let picture = RawPicture(Size(65, 33), format)
      let source = try picture.source(batch)
      for form in HistogramForm.allCases {
        let (info, threshold, expected) = expect(picture, form)
        let counts = try batch.counts(of: source, info) {
          $0.form = form
          $0.minPixelThresholdValue = SIMD4(repeating: threshold)
        }
        results.append((counts, expected, "\(picture), \(form)"))
      }
    }
    try batch.run()
    for (counts, expected, what) in results { expectEqual(try counts.words(), expected, what) }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }
}
