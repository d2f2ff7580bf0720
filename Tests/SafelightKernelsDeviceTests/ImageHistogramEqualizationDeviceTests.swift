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
      for format in Picture.formats where rule.depths.contains(format.maximum == 255 ? .bits8 : .bits16) {
        let batch = try Batch(test)
        let three = try ThreeStages(batch, format, format.complete(channels), rule)
        for picture in Picture.all(format, on: batch.device) {
          let source = try batch.source(picture)
          three.encodeTable(of: source)
          // The look-up does not depend on the rule.
          for form in rule == .normalizedSum ? batch.forms(format) : [.automatic] {
            batch.expect(
              try three.apply(to: source, form), format, "\(picture), \(rule), \(channels)", knownAs: Self.known
            ) { expectedEqualization(picture, channels, rule) }
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
        let three = try ThreeStages(batch, format, info)
        three.encodeTable(of: source)
        for form in batch.forms(format) {
          let planes = info.planes(for: format)
          batch.expect(try three.apply(to: source, form), format, "\(picture), \(planes) planes") {
            let outputs = (0..<planes).map { equalized(picture.channel($0), maximum: format.maximum) }
            return picture.mapping(0..<planes) { outputs[$0][$1] ?? 0 }
          }
        }
      }
    }
    try batch.check()
  }

  /// Alpha counts as a plane if the info asks for it, and its greatest value is then the top.
  @Test(arguments: TestDevice.all)
  func alphaMayRaiseTheTop(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var samples: [Int] = []
    for y in 0..<31 { for x in 0..<17 { samples += [x * 40, x * 40 + y, x * 40 + 2 * y, 3000 + x] } }
    let picture = Picture(Size(17, 31), .rgba16Uint, samples: samples, "alpha above the colors")
    let source = try batch.source(picture)
    let info = HistogramInfo(entries: 65536, histogramForAlpha: true)
    let three = try ThreeStages(batch, .rgba16Uint, info, .libvips)
    three.encodeTable(of: source)
    batch.expect(try three.apply(to: source), .rgba16Uint, "\(picture)") {
      let outputs = (0..<4).map { equalized(picture.channel($0), .libvips, maximum: 65535, top: 3016) }
      return picture.mapping(0..<4) { outputs[$0][$1] ?? 0 }
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
      let three = try ThreeStages(batch, format, info)
      three.encodeTable(of: source)
      for form in batch.forms(format) { readbacks.append(try three.apply(to: source, form)) }
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
      var three = try ThreeStages(batch, format, info)
      three.histogram.clipRectSource = Region(x: 65, y: 0, width: 9, height: 9)
      three.encodeTable(of: source)
      for form in batch.forms(format) {
        batch.expect(try three.apply(to: source, form), format, "\(info)") { picture.samples }
      }
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all, [PixelFormat.r16Uint, .rgba16Uint])
  func fewerEntriesThanValues(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(65, 63), format)
    let source = try batch.source(picture)
    let three = try ThreeStages(batch, format, HistogramInfo())
    three.encodeTable(of: source)
    for form in batch.forms(format) {
      batch.expect(try three.apply(to: source, form), format, "256 entries") {
        let colors = 0..<min(format.samplesPerPixel, 3)
        let outputs = colors.map { channel in
          equalized(picture.channel(channel).map { binOf($0, 0, 65535, 256) }, maximum: 65535)
        }
        return picture.mapping(colors) { outputs[$0][binOf($1, 0, 65535, 256)] ?? 0 }
      }
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func onePicturesTableAppliesToAnother(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let measured = Picture(Size(17, 31), format)
    let other = Picture(.ramp, Size(130, 5), format)
    let three = try ThreeStages(batch, format, format.complete())
    three.encodeTable(of: try batch.source(measured))
    batch.expect(try three.apply(to: try batch.source(other)), format, "another picture") {
      let values = (0..<format.samplesPerPixel).map(measured.channel)
      return other.mapping(0..<min(format.samplesPerPixel, 3)) { channel, value in
        let (rank, count) = (values[channel].count { $0 <= value }, values[channel].count)
        return (2 * format.maximum * rank + count) / (2 * count)
      }
    }
    try batch.check()
  }

  // MARK: Mistakes

  @Test func lookUpNeedsATransformOfItsFormat() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let equalization = ImageHistogramEqualization(device: device)
      equalization.encode(to: buffer, source: texture, destination: try device.makeTexture(Size(1, 1), .rgba8Unorm))
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
      let device = try Device.open(.cpu)
      let rule = try #require(EqualizationRule(rawValue: name))
      let source = try device.makeTexture(Size(1, 1), #require(PixelFormat(rawValue: format)))
      let info = HistogramInfo(entries: entries, channels: try #require(HistogramInfo.Channels(rawValue: channels)))
      let bins = try device.makeBuffer(length: info.histogramSize(forSourceFormat: source.pixelFormat))
      ImageHistogramEqualization(device: device, info: info, rule: rule).encodeTransform(
        to: device.makeCommandQueue().makeCommandBuffer(), source: source, histogram: bins)
    }
    expectStop(
      result, saying: channels == .each ? "use HistogramInfo.complete(_:)" : "histeq-luma is for the rule ffmpeg")
  }
}

/// Histogram, transform and look-up over one buffer of counts.
struct ThreeStages {
  var histogram: ImageHistogram
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
    bins = try batch.device.makeBuffer(length: info.histogramSize(forSourceFormat: format))
  }

  /// Makes the table of `source`.
  func encodeTable(of source: Texture) {
    histogram.encode(to: batch.buffer, source: source, histogram: bins)
    equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins)
  }

  /// Applies the table to `source`.
  func apply(to source: Texture, _ form: KernelForm = .automatic) throws -> Readback {
    try batch.result(like: source) {
      equalization.encode(to: batch.buffer, source: source, destination: $0, form: form)
    }
  }
}
