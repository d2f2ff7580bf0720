import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Equalization through all three stages, against the rules' definitions.
@Suite struct ImageHistogramEqualizationDeviceTests {
  private static let rules: [EqualizationRule] = [.normalizedSum, .openCV, .pillow, .libvips]
  private static let known = KnownBytes()

  @Test(arguments: TestDevice.all, rules)
  func everyFormSizeAndInput(_ test: TestDevice, _ rule: EqualizationRule) throws {
    for channels in [HistogramInfo.Channels.each, .luma] {
      for format in Picture.formats where rule.depths.contains(format.depth) {
        let batch = try Batch(test)
        let three = try ThreeStages(batch, format, format.complete(channels), rule)
        for picture in Picture.all(format, on: batch.device) {
          let source = try batch.source(picture)
          three.encodeTable(of: source)
          // The look-up does not depend on the rule.
          for pipeline in rule == .normalizedSum ? batch.pipelines(format) : [.automatic] {
            let readback = try batch.result(three.equalization.encode, source, pipeline)
            batch.expect(readback, format, "\(picture), \(rule), \(channels)", knownAs: Self.known) {
              expectedEqualization(picture, channels, rule)
            }
          }
        }
        try batch.check(againstTwins: false)
      }
    }
  }

  /// Formats of two channels and of normalized 16 bits among them.
  @Test(arguments: TestDevice.all)
  func everyFormatHasItsChannels(_ test: TestDevice) throws {
    let batch = try Batch(test)
    for format in batch.formats {
      for histogramForAlpha in [false, true] {
        let picture = Picture(Size(65, 33), format, from: 20, span: 190)
        let source = try batch.source(picture)
        let info = HistogramInfo(entries: format.maximum + 1, histogramForAlpha: histogramForAlpha)
        let three = try ThreeStages(batch, tableOf: source, info)
        let planes = 0..<info.planes(for: format)
        try batch.expectForms(three.equalization.encode, source, "\(picture), \(planes) planes") {
          let outputs = planes.map { equalized(picture.channel($0), maximum: format.maximum) }
          return picture.mapping(planes) { outputs[$0][$1] ?? 0 }
        }
      }
    }
    try batch.check()
  }

  /// Every kernel of the three stages in one recording, replayed here a second time and by the twins.
  @Test(arguments: TestDevice.all, Picture.formats)
  func replaysGiveTheSameBytes(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let source = try batch.source(Picture(Size(65, 63), format))
    var readbacks: [Readback] = []
    for channels in [HistogramInfo.Channels.each, .luma] {
      let info = HistogramInfo(entries: 512, histogramForAlpha: true, channels: channels)
      let three = try ThreeStages(batch, tableOf: source, info)
      for pipeline in batch.pipelines(format) {
        readbacks.append(try batch.result(three.equalization.encode, source, pipeline))
      }
    }
    try batch.check()
    let again = try batch.device.replay(batch.buffer.recording)
    for readback in readbacks { #expect(try again.contents(of: readback) == readback.contents()) }
  }

  /// A clip rectangle beside the picture counts nothing, and a table of nothing changes nothing.
  @Test(arguments: TestDevice.all, Picture.formats)
  func emptyHistogramIsIdentity(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(65, 63), format)
    let source = try batch.source(picture)
    for info in [
      HistogramInfo(entries: 256), HistogramInfo(entries: 65536), HistogramInfo(entries: 512, channels: .luma),
      format.complete(.luma),
    ] {
      let three = try ThreeStages(batch, tableOf: source, info, clip: Region(x: 65, y: 0, width: 9, height: 9))
      try batch.expectForms(three.equalization.encode, source, "\(info)") { picture.samples }
    }
    try batch.check()
  }

  // MARK: Mistakes

  @Test func lookUpNeedsATransformOfItsFormat() async {
    await #expect(processExitsWith: .failure) {
      let batch = try Batch()
      try batch.result(ImageHistogramEqualization(device: batch.device).encode, batch.texture(.rgba8Unorm))
    }
  }

  @Test(arguments: [
    (EqualizationRule.openCV, PixelFormat.rgba16Uint, 65536, HistogramInfo.Channels.each),
    (.pillow, .r16Uint, 65536, .each), (.openCV, .rgba8Unorm, 512, .each), (.libvips, .rgba16Uint, 256, .each),
    (.ffmpeg, .rgba8Unorm, 256, .luma), (.normalizedSum, .rgba8Unorm, 256, .histeqLuma),
  ])
  func otherHistogramsTrap(
    _ rule: EqualizationRule, _ format: PixelFormat, _ entries: Int, _ channels: HistogramInfo.Channels
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [
        name = rule.rawValue as String, format = format.rawValue as String, entries,
        channels = channels.rawValue as String
      ] in
      let batch = try Batch()
      let source = try batch.texture(#require(PixelFormat(rawValue: format)))
      let info = HistogramInfo(entries: entries, channels: try #require(HistogramInfo.Channels(rawValue: channels)))
      ImageHistogramEqualization(
        device: batch.device, info: info, rule: try #require(EqualizationRule(rawValue: name))
      ).encodeTransform(to: batch.buffer, source: source, histogram: try batch.bins(info, source.pixelFormat))
    }
    expectStop(
      result, saying: channels == .each ? "use HistogramInfo.complete(_:)" : "histeq-luma is for the rule ffmpeg")
  }
}

/// Histogram, transform and look-up over one buffer of counts.
struct ThreeStages {
  private var histogram: ImageHistogram
  let equalization: ImageHistogramEqualization
  private let batch: Batch
  private let bins: Buffer

  init(
    _ batch: Batch, _ format: PixelFormat, _ info: HistogramInfo, _ rule: EqualizationRule = .normalizedSum,
    strength: Float = 0.2, intensity: Float = 0.21
  ) throws {
    self.batch = batch
    histogram = ImageHistogram(device: batch.device, info: info)
    equalization = ImageHistogramEqualization(
      device: batch.device, info: info, rule: rule, strength: strength, intensity: intensity)
    bins = try batch.bins(info, format)
  }

  /// Makes the table of the part of `source` in `clip` at once.
  init(
    _ batch: Batch, tableOf source: Texture, _ info: HistogramInfo, _ rule: EqualizationRule = .normalizedSum,
    strength: Float = 0.2, intensity: Float = 0.21, clip: Region = .noClip
  ) throws {
    try self.init(batch, source.pixelFormat, info, rule, strength: strength, intensity: intensity)
    histogram.clipRectSource = clip
    encodeTable(of: source)
  }

  /// Makes the table of `source`.
  func encodeTable(of source: Texture) {
    histogram.encode(to: batch.buffer, source: source, histogram: bins)
    equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins)
  }
}
