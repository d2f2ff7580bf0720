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

  private static let known = KnownBytes()

  @Test(arguments: TestDevice.all, [PixelFormat.r8Unorm, .rgba8Unorm])
  func everySizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    for (number, setting) in Self.settings.enumerated() {
      let three = try Self.stages(batch, format, setting)
      for picture in Picture.all(format, on: batch.device) {
        let source = try batch.source(picture)
        three.encodeTable(of: source)
        for form in batch.forms(format) {
          let readback = try three.apply(to: source, form)
          batch.expect(readback, format, "setting \(number) \(picture)", knownAs: Self.known) {
            ExpectedLevels.equalized(picture, setting.parts)
          }
        }
      }
    }
    try batch.check()
  }

  private static func stages(_ batch: Batch, _ format: PixelFormat, _ setting: Setting) throws -> ThreeStages {
    try ThreeStages(batch, format, info, .ffmpeg, strength: setting.strength, intensity: setting.intensity)
  }

  /// ffmpeg's own product of a count and the intensity needs 31 bits; ours is exact up to 2³² pixels.
  @Test(arguments: TestDevice.all)
  func countsNeedAllOf32Bits(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = Picture.everyValue(.r8Unorm)
    let source = try batch.source(picture)
    for setting in Self.settings {
      let equalization = ImageHistogramEqualization(
        device: batch.device, info: Self.info, rule: .ffmpeg, strength: setting.strength, intensity: setting.intensity)
      for list in EqualizationTransformDeviceTests.all {
        let counts = (0..<256).map { list.count($0, 256) }
        equalization.encodeTransform(to: batch.buffer, source: source, histogram: try batch.words(counts))
        let readback = try batch.result(like: source) {
          equalization.encode(to: batch.buffer, source: source, destination: $0)
        }
        batch.expect(readback, .r8Unorm, "\(setting), \(list.testDescription)") {
          let expected = ExpectedLevels(counts.map { Int($0) }, setting.parts)
          return picture.samples.map { expected.made(of: [$0, $0, $0])[0] }
        }
      }
    }
    try batch.check(againstTwins: false)
  }

  /// Lumas of 0 are black in ffmpeg; a table of nothing leaves them too.
  @Test(arguments: TestDevice.all)
  func emptyHistogramIsIdentity(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var samples = Picture(Size(65, 63), .rgba8Unorm).samples
    samples.replaceSubrange(4 * 328..<4 * 328 + 3, with: [0, 0, 13])
    let source = try batch.source(Picture(Size(65, 63), .rgba8Unorm, samples: samples))
    var three = try Self.stages(batch, .rgba8Unorm, Setting(1, 0.05, (1000, 50)))
    three.histogram.clipRectSource = Region(x: 65, y: 0, width: 9, height: 9)
    three.encodeTable(of: source)
    for form in batch.forms(.rgba8Unorm) {
      batch.expect(try three.apply(to: source, form), .rgba8Unorm, "\(form)") { [samples] in samples }
    }
    try batch.check()
  }

  /// BGRA is read as RGBA; of two channels the first is the picture, and the second stays.
  @Test(arguments: TestDevice.all, [PixelFormat.bgra8Unorm, .rg8Unorm])
  func otherFormats(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let noise = Picture(Size(31, 17), format)
    let source = try batch.source(noise)
    let setting = Setting(0.5, 0.8, (500, 800))
    let three = try Self.stages(batch, format, setting)
    three.encodeTable(of: source)
    batch.expect(try three.apply(to: source), format, "\(noise)") { ExpectedLevels.equalized(noise, setting.parts) }
    try batch.check(againstTwins: false)
  }
}

/// What ffmpeg's histeq makes of pictures, from its description; products are reduced modulo 2³² where ffmpeg's wrap.
private struct ExpectedLevels {
  /// The level of each luma.
  let levels: [Int]

  /// For counts of each luma, and strength and intensity in 1/1000.
  init(_ counts: [Int], _ parts: (strength: Int, intensity: Int)) {
    let (total, (strength, intensity)) = (counts.reduce(0, +), parts)
    levels = counts.indices.map { luma in
      if total == 0 { return luma }
      let share = counts[...luma].reduce(0, +) * intensity / total
      return strength * share / 255 + (255 - strength) * luma / 255
    }
  }

  static func luma(_ color: [Int]) -> Int { (color[0] * 55 + color[1] * 182 + color[2] * 19) / 256 }

  func made(of color: [Int]) -> [Int] {
    let luma = Self.luma(color)
    if luma == 0 { return [0, 0, 0] }
    let brightest = color.max() ?? 0
    if brightest * levels[luma] / luma > 255 { return color.map { $0 * 255 / brightest } }
    return color.map { sample in
      var product = sample * levels[luma]
      while product < 0 { product += 4_294_967_296 }
      return product / luma % 256
    }
  }

  /// A picture equalized with its own histogram; fewer than four channels are gray and others that stay.
  static func equalized(_ picture: Picture, _ parts: (strength: Int, intensity: Int)) -> [Int] {
    let samples = picture.format.samplesPerPixel
    let colors = stride(from: 0, to: picture.samples.count, by: samples).map { pixel in
      samples < 4
        ? Array(repeating: picture.samples[pixel], count: 3) : Array(picture.samples[pixel..<pixel + 3])
    }
    var counts = Array(repeating: 0, count: 256)
    for color in colors { counts[luma(color)] += 1 }
    let expected = ExpectedLevels(counts, parts)
    let made = colors.map(expected.made)
    return picture.samples.enumerated().map { index, value in
      index % samples < (samples < 4 ? 1 : 3) ? made[index / samples][index % samples] : value
    }
  }
}
