import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageNormalizedHistogramDeviceTests {
  @Test(arguments: TestDevice.all)
  func integersSpanWhatThePictureHas(_ test: TestDevice) throws {
    let batch = try Batch(test)
    for format in batch.formats {
      let top = format.maximum
      let narrow = HistogramInfo(
        entries: 512, histogramForAlpha: true, minPixelValue: SIMD4(repeating: 0.25),
        maxPixelValue: SIMD4(repeating: 0.75))
      let limits = top == 255 ? (64, 191) : (16384, 49151)
      for size in [Size(1, 1), Size(1, 9), Size(65, 63), Size(130, 5)] {
        func part(_ least: Int, _ span: Int) -> Picture { Picture(size, format, from: least, span: span) }
        for picture in [Picture(size, format), part(top / 3, top / 5), part(top, 1)] { try check(picture, batch) }
        for picture in [Picture(size, format), part(top / 3, top / 2), part(0, top / 8)] {
          try check(picture, batch, narrow, limits: limits)
        }
        try check(part(3, 90), batch, clip: Region(x: 0, y: 0, width: 40, height: 3))
        let visible = HistogramInfo(histogramForAlpha: true, pixels: .visible)
        for picture in [part(3, 90).withHiddenPixels, part(0, 1)] { try check(picture, batch, visible) }
      }
    }
    try batch.check()
  }

  /// Compares counts and extrema; `limits` are the range of `info` in samples.
  private func check(
    _ picture: Picture, _ batch: Batch, _ info: HistogramInfo = HistogramInfo(histogramForAlpha: true),
    limits: (low: Int, high: Int)? = nil, clip: Region = .noClip
  ) throws {
    let seen = (0..<picture.size.area).filter { place in
      place % picture.size.width < clip.size.width && place / picture.size.width < clip.size.height
    }
    let planes = (0..<picture.format.samplesPerPixel).map { plane in
      seen.filter { plane == 3 || !picture.hides($0, from: info.pixels) }
        .map { picture.samples[$0 * picture.format.samplesPerPixel + plane] }
    }
    let least = planes.map { $0.min() ?? 0 }
    let most = planes.map { $0.max() ?? 0 }
    let low = least.map { max($0, limits?.low ?? 0) }
    let high = zip(most, low).map { max(min($0, limits?.high ?? picture.format.maximum), $1 + 1) }
    let (counts, minmax) = try encode(info, batch.source(picture), batch) { $0.clipRectSource = clip }
    batch.expect(words: counts, "\(picture)") {
      expectedCounts(picture, info, low: low, high: high, clip: clip)
    }
    // Channels that the source lacks have 0.
    let others = [Int](repeating: 0, count: 4 - planes.count)
    let format = ImageNormalizedHistogram.minmaxFormat(forSourceFormat: picture.format)
    batch.expect(try #require(minmax), format, "extrema of \(picture)") { least + others + most + others }
  }

  static let floatRanges = [
    HistogramRange(low: SIMD4(repeating: -2), high: SIMD4(repeating: 3)),
    HistogramRange(low: SIMD4(-0.25, 0, 0.1, 0.3), high: SIMD4(0.75, 0.5, 0.7, 0.9)),
  ]

  @Test(arguments: TestDevice.all, FloatPicture.formats)
  func floatsSpanWhatThePictureHas(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    var checks: [() throws -> Void] = []
    for size in [Size(1, 1), Size(1, 9), Size(65, 63), Size(130, 5)] {
      for special in [[.nan, -0.0, .leastNonzeroMagnitude], FloatPicture.special] {
        let picture = FloatPicture(size, format, in: -0.375...1.25, special: special)
        for range in Self.floatRanges {
          let info = HistogramInfo(
            entries: 512, histogramForAlpha: true, minPixelValue: range.low, maxPixelValue: range.high)
          let (counts, minmax) = try encode(info, picture.source(batch), batch)
          checks.append { try check(picture, range, counts, minmax) }
        }
      }
    }
    try batch.check()
    for check in checks { try check() }
  }

  private func check(_ picture: FloatPicture, _ range: HistogramRange, _ counts: Readback, _ minmax: Readback?) throws {
    let planes = picture.format.samplesPerPixel
    let numbers = (0..<planes).map { picture.numbers($0) }
    let (least, most) = (numbers.map { $0.min() ?? 0 }, numbers.map { $0.max() ?? 0 })
    var measured = range
    for plane in 0..<planes {
      measured.low[plane] = max(least[plane], range.low[plane])
      measured.high[plane] = min(most[plane], range.high[plane])
    }
    expectEqual(try counts.words(), picture.expectedCounts(measured, entries: 512, planes: planes), "\(picture)")
    guard let minmax else { return }
    let found = try minmax.contents().words(UInt32.self).map(Float.init(bitPattern:))
    #expect(Array(found[..<planes]) == least && Array(found[4..<4 + planes]) == most, "\(picture)")
  }

  /// Ranges of any exponents: the device's sums of ten words against the twin's expansions of doubles.
  @Test(arguments: TestDevice.all)
  func edgesAgreeAcrossAllExponents(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let ends: [(Float, Float)] = [
      (-.greatestFiniteMagnitude, .greatestFiniteMagnitude), (0, .leastNormalMagnitude), (1, Float(1).nextUp),
      (-.leastNormalMagnitude, .leastNormalMagnitude), (-3e38, 1e-38), (1e-30, 1e30), (16_777_215, 16_777_216),
      (-1, .leastNormalMagnitude), (5, 5), (-1e-20, 3e-25), (0.1, 0.7), (-7, -6.5),
    ]
    for entries in [256, 4096] {
      for (low, high) in ends {
        let between = (0..<200).map { low + (high / 200 - low / 200) * Float($0) }
        let around = [low, high, low.nextUp, low.nextDown, high.nextDown, high.nextUp, 0, -0.0]
        let values = around + between.flatMap { [$0, $0.nextUp, $0.nextDown] }
        let picture = FloatPicture(Size(61, 10), .r32Float, in: 0...0, special: values.filter(\.isFinite))
        let info = HistogramInfo(
          entries: entries, minPixelValue: SIMD4(repeating: -.greatestFiniteMagnitude),
          maxPixelValue: SIMD4(repeating: .greatestFiniteMagnitude))
        _ = try encode(info, picture.source(batch), batch)
      }
    }
    try batch.check()
  }

  /// Counts are added on request, words around them stay, and a clip rectangle outside the picture leaves zeros.
  @Test(arguments: TestDevice.all)
  func countsAreAddedAndKeptInPlace(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(33, 9), .rgba8Unorm)
    let source = try batch.source(picture)
    let minmax = try batch.device.makeTexture(Size(2, 1), .rgba8Unorm)
    var kernel = ImageNormalizedHistogram(device: batch.device)
    let bins = try batch.words([UInt32](repeating: 0xA5A5_A5A5, count: 8 + 768 + 8))
    func encode() {
      kernel.encode(to: batch.buffer, source: source, minmaxTexture: minmax, histogram: bins, offset: 32)
    }
    encode()
    kernel.zeroHistogram = false
    encode()
    let around = [Int](repeating: 0xA5A5_A5A5, count: 8)
    batch.expect(words: batch.read(bins), "twice") {
      let planes = (0..<3).map(picture.channel)
      let once = expectedCounts(picture, low: planes.map { $0.min() ?? 0 }, high: planes.map { $0.max() ?? 0 })
      return around + once.map { 2 * $0 } + around
    }
    kernel.zeroHistogram = true
    kernel.clipRectSource = Region(x: 40, y: 0, width: 5, height: 5)
    encode()
    let zeros = [Int](repeating: 0, count: 768)
    batch.expect(words: batch.read(bins), "counts of nothing") { around + zeros + around }
    batch.expect(batch.blit { $0.read(minmax) }, .rgba8Unorm, "extrema of nothing") { [Int](repeating: 0, count: 8) }
    try batch.check()
  }

  @Test(arguments: TestDevice.all)
  func lumaIsMeasuredAsItIsCounted(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(65, 17), .rgba16Uint, from: 1000, span: 20000)
    let info = HistogramInfo(channels: .luma)
    let (counts, minmax) = try encode(info, batch.source(picture), batch)
    let (least, most) = (picture.luma.min() ?? 0, picture.luma.max() ?? 0)
    batch.expect(words: counts, "luma") { expectedCounts(picture, info, low: [least], high: [most]) }
    batch.expect(try #require(minmax), .rgba16Uint, "extrema") { [least, 0, 0, 0, most, 0, 0, 0] }
    try batch.check()
  }

  private func encode(
    _ info: HistogramInfo, _ source: Texture, _ batch: Batch,
    _ configure: (inout ImageNormalizedHistogram) -> Void = { _ in }
  ) throws -> (counts: Readback, minmax: Readback?) {
    var kernel = ImageNormalizedHistogram(device: batch.device, info: info)
    configure(&kernel)
    let format = ImageNormalizedHistogram.minmaxFormat(forSourceFormat: source.pixelFormat)
    let minmax = try batch.device.makeTexture(Size(2, 1), format)
    let bins = try batch.device.makeBuffer(length: kernel.histogramSize(forSourceFormat: source.pixelFormat))
    kernel.encode(to: batch.buffer, source: source, minmaxTexture: minmax, histogram: bins)
    let counts = batch.read(bins)
    // Without render targets of floats nothing of them comes back.
    return (counts, batch.device.canRead(format) ? batch.blit { $0.read(minmax) } : nil)
  }
}
