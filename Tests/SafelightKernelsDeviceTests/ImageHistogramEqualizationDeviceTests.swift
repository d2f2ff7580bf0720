import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Equalization through all three stages, beyond the frozen hashes of other programs.
@Suite struct ImageHistogramEqualizationDeviceTests {
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
            let outputs = (0..<planes).map { normalizedSums(picture.channel($0), maximum: format.maximum) }
            return picture.mapping(0..<planes) { outputs[$0][$1] ?? 0 }
          }
        }
      }
    }
    try batch.check()
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
