import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The rule of ffmpeg's histeq, through all three stages, against its description.
@Suite struct FFmpegEqualizationDeviceTests {
  /// Strength and intensity, and both in 1/1000 as floats make them.
  struct Setting: Sendable {
    let strength: Float
    let intensity: Float
    let parts: (strength: Int, intensity: Int)

    init(_ strength: Float, _ intensity: Float, _ parts: (Int, Int)) {
      (self.strength, self.intensity, self.parts) = (strength, intensity, parts)
    }
  }

  private static let settings = [
    Setting(0.2, 0.21, (200, 210)), Setting(0, 0, (0, 0)), Setting(1, 1, (1000, 1000)), Setting(1, 0.05, (1000, 50)),
    Setting(0.255, 0.3339, (255, 333)), Setting(0.29, 0.57, (290, 570)),
  ]

  private static let info = HistogramInfo.complete(.bits8, channels: .histeqLuma)

  @Test(arguments: TestDevice.all, [PixelFormat.r8Unorm, .rgba8Unorm])
  func everySizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    var results: [(key: String, readback: Readback)] = []
    for setting in Self.settings.indices {
      let three = try Self.stages(batch, format, Self.settings[setting])
      for picture in Picture.all(format, on: batch.device) {
        let source = try batch.source(picture.image)
        three.encodeTable(of: source)
        for form in batch.forms(format) {
          results.append(("\(setting) \(picture)", try three.apply(to: source, form)))
        }
      }
    }
    try batch.run()
    for (key, readback) in results {
      expectEqual(try readback.contents(), try #require(Self.expected[key]), format, "setting \(key)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Worked out once for all devices.
  private static let expected: [String: [UInt8]] = {
    var expected: [String: [UInt8]] = [:]
    for (number, setting) in settings.enumerated() {
      for picture in [PixelFormat.r8Unorm, .rgba8Unorm].flatMap({ Picture.all($0) }) {
        expected["\(number) \(picture)"] = picture.format.bytes(
          ExpectedLevels.equalized(
            picture.samples, samplesPerPixel: picture.format.samplesPerPixel, setting.parts))
      }
    }
    return expected
  }()

  private static func stages(_ batch: Batch, _ format: PixelFormat, _ setting: Setting) throws -> ThreeStages {
    try ThreeStages(batch, format, info, .ffmpeg, strength: setting.strength, intensity: setting.intensity)
  }

  /// ffmpeg's own product of a count and the intensity needs 31 bits; ours is exact up to 2³² pixels.
  @Test(arguments: TestDevice.all)
  func countsNeedAllOf32Bits(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = EqualizationTransformDeviceTests.everyValue(.r8Unorm)
    let source = try batch.source(picture.image)
    let bins = try batch.device.makeBuffer(length: 1024)
    var results: [(setting: Setting, counts: [UInt32], readback: Readback)] = []
    for setting in Self.settings {
      let equalization = ImageHistogramEqualization(
        device: batch.device, info: Self.info, rule: .ffmpeg, strength: setting.strength, intensity: setting.intensity)
      for list in EqualizationTransformDeviceTests.all {
        let counts = (0..<256).map { list.count($0, 256) }
        batch.blit { $0.write(counts.withUnsafeBytes { Array($0) }, to: bins) }
        equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins)
        let readback = try batch.result(like: source) {
          equalization.encode(to: batch.buffer, source: source, destination: $0)
        }
        results.append((setting, counts, readback))
      }
    }
    try batch.run()
    for (setting, counts, readback) in results {
      let expected = ExpectedLevels(
        counts.map { Int($0) }, strength: setting.parts.strength, intensity: setting.parts.intensity)
      let samples = picture.samples.map { expected.made(of: [$0, $0, $0])[0] }
      expectEqual(try readback.contents().map { Int($0) }, samples, "\(setting), \(counts.max() ?? 0)")
    }
  }

  /// Lumas of 0 are black in ffmpeg; a table of nothing leaves them too.
  @Test(arguments: TestDevice.all)
  func emptyHistogramIsIdentity(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var image = Picture(.noise, Size(65, 63), .rgba8Unorm).image
    for sample in 0..<3 { image[x: 3, y: 5, sample: sample] = sample == 2 ? 13 : 0 }
    let source = try batch.source(image)
    var three = try Self.stages(batch, .rgba8Unorm, Setting(1, 0.05, (1000, 50)))
    three.histogram.clipRectSource = Region(x: 65, y: 0, width: 9, height: 9)
    three.encodeTable(of: source)
    let readbacks = try batch.forms(.rgba8Unorm).map { try three.apply(to: source, $0) }
    try batch.run()
    for readback in readbacks { #expect(try readback.contents() == image.bytes) }
  }

  /// BGRA is read as RGBA; of two channels the first is the picture, and the second stays.
  @Test(arguments: TestDevice.all, [PixelFormat.bgra8Unorm, .rg8Unorm])
  func otherFormats(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let noise = NoisePixels(Size(31, 17), format)
    let source = try batch.source(noise)
    let setting = Setting(0.5, 0.8, (500, 800))
    let three = try Self.stages(batch, format, setting)
    three.encodeTable(of: source)
    let readback = try three.apply(to: source, .automatic)
    try batch.run()
    let expected = ExpectedLevels.equalized(noise.samples, samplesPerPixel: format.samplesPerPixel, setting.parts)
    expectEqual(try noise.samples(readback), expected, "\(noise)")
  }

  @Test(arguments: [(EqualizationRule.ffmpeg, HistogramInfo.Channels.luma), (.normalizedSum, .histeqLuma)])
  func otherLumasTrap(_ rule: EqualizationRule, _ channels: HistogramInfo.Channels) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = rule.rawValue as String, channels = channels.rawValue as String] in
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let info = HistogramInfo.complete(.bits8, channels: try #require(HistogramInfo.Channels(rawValue: channels)))
      let bins = try device.makeBuffer(length: info.histogramSize(forSourceFormat: source.pixelFormat))
      ImageHistogramEqualization(device: device, info: info, rule: try #require(EqualizationRule(rawValue: name)))
        .encodeTransform(to: device.makeCommandQueue().makeCommandBuffer(), source: source, histogram: bins)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("histeq-luma is for the rule ffmpeg"), "\(said)")
  }
}
