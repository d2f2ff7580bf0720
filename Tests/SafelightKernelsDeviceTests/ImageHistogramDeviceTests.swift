import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageHistogramDeviceTests {
  @Test(arguments: TestDevice.all, Picture.formats)
  func everyFormCountsEverySizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    for picture in Picture.all(format, on: batch.device) {
      try batch.expectCounts(of: batch.source(picture), HistogramInfo(), "\(picture)") { expectedCounts(picture) }
    }
    // The automatic variant comes first and is one of the others.
    let functions = batch.buffer.recording.functions
    #expect(functions[1..<4] == ["histogram_private", "histogram_shared", "histogram_global"])
    #expect(functions[1..<4].contains(functions[0]))
    try batch.check()
  }

  /// llvmpipe leaves loops after 65535 rounds; a lane of the private variant must need fewer.
  @Test(arguments: TestDevice.gles)
  func moreRoundsThanADriverLoops(_ test: TestDevice) throws {
    let batch = try Batch(test)
    for (size, format) in [
      (Size(2048, 2048), PixelFormat.rgba8Unorm), (Size(8, 2048), .r8Unorm), (Size(2048, 2047), .r8Unorm),
    ] {
      let flat = [Int](repeating: 77, count: size.area * format.samplesPerPixel)
      let counts = try batch.counts(of: batch.source(Picture(size, format, samples: flat)), HistogramInfo()) {
        $0.variant = .private
      }
      batch.expect(words: counts, "\(size)") {
        (0..<256 * min(format.samplesPerPixel, 3)).map { $0 % 256 == 77 ? size.area : 0 }
      }
    }
    try batch.check(againstTwins: false)
  }

  // MARK: Infos

  @Test(arguments: TestDevice.all, HistogramInfo.entryCounts)
  func everyNumberOfEntries(_ test: TestDevice, _ entries: Int) throws {
    let info = HistogramInfo(entries: entries)
    let functions = try check(test, info) { expectedCounts($0, info) }
    // Counts that do not fit into threadgroup memory are gathered in the buffer.
    #expect(functions.contains("histogram_shared") == (entries <= 4096))
    #expect(functions.contains("histogram_global"))
  }

  @Test(arguments: TestDevice.all)
  func valuesOutsideTheRangeCountInTheOuterEntries(_ test: TestDevice) throws {
    let info = HistogramInfo(
      entries: 512, histogramForAlpha: true, minPixelValue: SIMD4(0.25, 0, 0.5, 0.2),
      maxPixelValue: SIMD4(0.75, 1, 1, 0.2001))
    // The ends times 255 and 65535, rounded; a range below one step is one step.
    try check(test, info) { picture in
      let is8Bit = picture.format.maximum == 255
      return expectedCounts(
        picture, info, low: is8Bit ? [64, 0, 128, 51] : [16384, 0, 32768, 13107],
        high: is8Bit ? [191, 255, 255, 52] : [49151, 65535, 65535, 13114])
    }
  }

  @Test(arguments: TestDevice.all, [-1, 0.25, 0.6, 0.600001, 1, 1.5] as [Float])
  func thresholdsComeBeforeTheRange(_ test: TestDevice, _ threshold: Float) throws {
    let info = HistogramInfo(
      histogramForAlpha: true, minPixelValue: SIMD4(0.5, 0.25, 0, 0.75), maxPixelValue: SIMD4(0.75, 1, 1, 1))
    try check(test, info, threshold: threshold) { picture in
      let maximum = picture.format.maximum
      let is8Bit = maximum == 255
      // The least sample that is not below the threshold, found by trying.
      let least = (0...maximum).first { Double($0) / Double(maximum) >= Double(threshold) } ?? maximum + 1
      return expectedCounts(
        picture, info, low: is8Bit ? [128, 64, 0, 191] : [32768, 16384, 0, 49151],
        high: is8Bit ? [191, 255, 255, 255] : [49151, 65535, 65535, 65535], least: least)
    }
  }

  /// Luma has a threshold too, that of red.
  @Test(arguments: TestDevice.all)
  func lumaHasOnePlane(_ test: TestDevice) throws {
    for info in [HistogramInfo(histogramForAlpha: true, channels: .luma), .complete(.bits16, channels: .luma)] {
      try check(test, info) { expectedCounts($0, info) }
    }
    let info = HistogramInfo(channels: .luma)
    try check(test, info, threshold: 0.5) { expectedCounts($0, info, least: ($0.format.maximum + 1) / 2) }
  }

  /// The colors of pixels of alpha 0 are left out, and their alpha is not; channels that are no alpha hide nothing.
  @Test(arguments: TestDevice.all)
  func visiblePixelsAreCountedAlone(_ test: TestDevice) throws {
    for info in [
      HistogramInfo(histogramForAlpha: true, pixels: .visible), HistogramInfo(channels: .luma, pixels: .visible),
      .complete(.bits16, pixels: .visible), HistogramInfo(entries: 512, pixels: .visible),
    ] {
      let batch = try Batch(test)
      for format in batch.formats {
        for picture in [Picture(Size(65, 33), format).withHiddenPixels, Picture(Size(9, 1), format, from: 0, span: 1)] {
          try batch.expectCounts(of: batch.source(picture), info, "\(picture), \(info)") {
            expectedCounts(picture, info)
          }
        }
      }
      try batch.check()
    }
  }

  /// Compares every format and variant with `expected` of noise; returns the functions that ran.
  @discardableResult private func check(
    _ test: TestDevice, _ info: HistogramInfo, threshold: Float = 0, _ expected: (Picture) -> [Int]
  ) throws -> [String] {
    let batch = try Batch(test)
    for format in batch.formats {
      let picture = Picture(Size(65, 33), format)
      let (source, counts) = (try batch.source(picture), expected(picture))
      try batch.expectCounts(of: source, info, threshold: threshold, "\(picture), \(info)") { counts }
    }
    try batch.check()
    return batch.buffer.recording.functions
  }

  // MARK: Areas and buffers

  @Test(arguments: TestDevice.all, Picture.formats)
  func clipRectangleIsCutToThePicture(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(130, 67), format)
    let source = try batch.source(picture)
    for clip in [
      Region(x: 0, y: 0, width: 130, height: 67), Region(x: 3, y: 5, width: 70, height: 1),
      Region(x: 129, y: 66, width: 1, height: 1), Region(x: 100, y: 60, width: 500, height: 500),
      Region(x: -10, y: -20, width: 15, height: 87), Region(x: 130, y: 0, width: 9, height: 9),
      Region(x: 5, y: -9, width: 9, height: 9), Region(x: 7, y: 7, width: 0, height: 3), .noClip,
    ] {
      let expected = expectedCounts(picture, clip: clip)
      try batch.expectCounts(of: source, HistogramInfo(), clip: clip, "\(clip)") { expected }
    }
    try batch.check()
  }

  /// Counts are added on request, and words around them stay.
  @Test(arguments: TestDevice.all, HistogramVariant.allCases)
  func countsAreAddedWithoutZeroing(_ test: TestDevice, _ variant: HistogramVariant) throws {
    let batch = try Batch(test)
    let pictures = [Picture(Size(17, 31), .rgba8Unorm), Picture(.ramp, Size(130, 5), .rgba8Unorm)]
    let bins = try batch.words([UInt32](repeating: 0xA5A5_A5A5, count: 8 + 768 + 8))
    let around = [Int](repeating: 0xA5A5_A5A5, count: 8)
    var kernel = ImageHistogram(device: batch.device)
    kernel.variant = variant
    for picture in pictures {
      kernel.encode(to: batch.buffer, source: try batch.source(picture), histogram: bins, offset: 32)
      kernel.zeroHistogram = false
    }
    let expected = pictures.map { expectedCounts($0) }
    batch.expect(words: batch.read(bins), "both") { around + zip(expected[0], expected[1]).map(+) + around }
    kernel.zeroHistogram = true
    kernel.encode(to: batch.buffer, source: try batch.source(pictures[1]), histogram: bins, offset: 32)
    batch.expect(words: batch.read(bins), "counts from zero again") { around + expected[1] + around }
    try batch.check()
  }

  /// Several frames on the way at once: each has its own counts, though they share one buffer.
  @Test(arguments: TestDevice.all)
  func framesBehindNeedNotWait(_ test: TestDevice) async throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    let info = HistogramInfo()
    let kernel = ImageHistogram(device: device, info: info)
    let bins = try device.makeBuffer(length: 32 + info.histogramSize(forSourceFormat: .rgba8Unorm))
    let pictures = (1...6).map { Picture(Size(7 * $0, 31), .rgba8Unorm) }
    let readbacks = try pictures.map { picture in
      let batch = Batch(on: device, queue: queue)
      let source = try batch.source(picture)
      kernel.encode(to: batch.buffer, source: source, histogram: bins, offset: 32)
      let readback = info.encodeReadback(to: batch.buffer, histogram: bins, sourceFormat: .rgba8Unorm, offset: 32)
      #expect(throws: SafelightError.self) { try readback.contents() }
      batch.buffer.commit()
      return readback
    }
    for (picture, readback) in zip(pictures, readbacks).reversed() {
      let histogram = try await readback.histogram()
      #expect(histogram.channels == [.red, .green, .blue])
      let counts = histogram.channels.flatMap { histogram.counts($0).map { Int($0) } }
      expectEqual(counts, expectedCounts(picture), "\(picture)")
    }
  }

  // MARK: Mistakes

  @Test func mistakesTrap() async {
    await #expect(processExitsWith: .failure, "offsets are multiples of 32") {
      let batch = try Batch()
      ImageHistogram(device: batch.device)
        .encode(to: batch.buffer, source: try batch.texture(.r8Unorm), histogram: try batch.bins(), offset: 16)
    }
    await #expect(processExitsWith: .failure, "ranges of integers lie from 0 to 1") {
      let batch = try Batch()
      ImageHistogram(device: batch.device, info: HistogramInfo(minPixelValue: SIMD4(repeating: -1)))
        .encode(to: batch.buffer, source: try batch.texture(.rgba8Unorm), histogram: try batch.bins())
    }
  }

  /// A tutorial's mistake: the histogram's buffer made as long as its description, which has 48 bytes.
  @Test func aBufferAsLongAsTheDescriptionIsRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = try Batch()
      let bins = try batch.device.makeBuffer(length: 48, label: "histogram info")
      ImageHistogram(device: batch.device)
        .encode(to: batch.buffer, source: try batch.texture(.rgba8Unorm), histogram: bins)
    }
    expectStop(result, saying: "buffer 'histogram info' has 48 bytes, but 3072 are needed")
  }
}

extension Batch {
  /// Records the histogram of `source` into a buffer of its own.
  func counts(
    of source: Texture, _ info: HistogramInfo, _ configure: (inout ImageHistogram) -> Void = { _ in }
  ) throws -> Readback {
    var kernel = ImageHistogram(device: device, info: info)
    configure(&kernel)
    let bins = try bins(info, source.pixelFormat)
    kernel.encode(to: buffer, source: source, histogram: bins)
    return read(bins)
  }

  /// Records the histogram of `source` in each of `variants`, and expects these counts.
  func expectCounts(
    of source: Texture, _ info: HistogramInfo, variants: [HistogramVariant] = HistogramVariant.allCases,
    threshold: Float = 0, clip: Region = .noClip, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ expected: @escaping () -> [Int]
  ) throws {
    for variant in variants {
      let readback = try counts(of: source, info) {
        ($0.variant, $0.clipRectSource, $0.minPixelThresholdValue) = (variant, clip, SIMD4(repeating: threshold))
      }
      expect(words: readback, "\(what), \(variant)", sourceLocation: sourceLocation, expected)
    }
  }
}
