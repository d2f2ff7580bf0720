import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The transform alone: counts written straight into the buffer, the table read by looking up a picture of every value.
@Suite struct EqualizationTransformDeviceTests {
  /// Counts that no picture of a test could have: those of an entry among so many.
  typealias Counts = (name: String, count: @Sendable (_ entry: Int, _ entries: Int) -> UInt32)

  /// Behind the first entry, 255 · 2¹⁸ pixels: halves above an even and an odd number, missed by one and rounded onto.
  static let ties: [Int: UInt32] = [
    0: 5, 50: (129 << 17) + 1, 150: (131 << 17) - (129 << 17) - 2, 255: (255 << 18) - (131 << 17) + 1,
  ]

  static let all: [Counts] = [
    ("empty", { _, _ in 0 }),
    ("all equal, near 2^32", { _, entries in UInt32.max / UInt32(entries) }),
    ("first only, 2^32 - 1", { entry, _ in entry == 0 ? UInt32.max : 0 }),
    ("last only, 2^32 - 1", { entry, entries in entry == entries - 1 ? UInt32.max : 0 }),
    ("one in the middle", { entry, entries in entry == entries / 3 ? 7 : 0 }),
    ("one and all the others", { entry, entries in entry == 1 ? 1 : entry == entries - 2 ? UInt32.max - 1 : 0 }),
    ("half and half, 2^32 - 2", { entry, entries in entry == 3 || entry == entries / 2 ? 0x7FFF_FFFF : 0 }),
    ("2^31 and the rest", { entry, _ in entry == 0 ? 0x8000_0000 : entry == 9 ? 0x7FFF_FFFF : 0 }),
    ("powers of two", { entry, _ in entry < 32 ? 1 << UInt32(entry) : 0 }),
    // N = 2 · 255 or 2 · 65535: every odd C(i) ends on a half, which rounds up.
    ("halves", { entry, entries in entry % 2 == 0 || entry == entries - 1 ? 1 : 3 }),
    // 255 · S / (N − h(f)) ends on a half at every odd S; a step of 1 whose sum goes on above the maximum.
    ("halves behind the first", { entry, entries in entry % 255 == 1 ? 1 : entry == entries - 1 ? 3 : 2 }),
    ("more than twice the values", { entry, entries in entry < entries - 2 ? 2 : entry == entries - 2 ? 1 : 0 }),
    // Sums that no float of 24 bits holds.
    ("above 2^24, odd", { entry, _ in entry < 200 ? UInt32(1_000_001 + 2 * entry) : 0 }),
    // 255 / N lies so near the middle of two floats that a double takes it for the middle.
    ("twice rounded", { entry, _ in entry == 0 ? 12_786_933 : entry == 9 ? 3_260_668_127 - 12_786_933 : 0 }),
    // Sums between two floats whose products are just on halves.
    ("ties", { entry, _ in ties[entry] ?? 0 }),
    ("scattered, near 2^32", { entry, entries in UInt32(entry) &* 2_654_435_761 / UInt32(entries) }),
  ]

  /// Programs' rules have histograms with an entry for every value, of the depths that the program takes. ffmpeg's is
  /// not of channels.
  @Test(arguments: TestDevice.all, Picture.formats)
  func tableIsThatOfEachProgram(_ test: TestDevice, _ format: PixelFormat) throws {
    let info = HistogramInfo(entries: format.maximum + 1, histogramForAlpha: true)
    for rule in EqualizationRule.allCases where rule != .ffmpeg && rule.depths.contains(format.depth) {
      try check(test, format, info, rule)
    }
  }

  /// Counts fewer or more than the values there are; an empty plane still leaves its channel as it is.
  @Test(arguments: TestDevice.all, Picture.formats)
  func entriesNeedNotBeValues(_ test: TestDevice, _ format: PixelFormat) throws {
    try check(test, format, HistogramInfo(entries: format.maximum == 255 ? 1024 : 256))
  }

  private func check(
    _ test: TestDevice, _ format: PixelFormat, _ info: HistogramInfo, _ rule: EqualizationRule = .normalizedSum
  ) throws {
    let batch = try Batch(test)
    let picture = Picture.everyValue(format)
    let source = try batch.source(picture)
    let planes = info.planes(for: format)
    let bins = try batch.device.makeBuffer(length: 64 + info.histogramSize(forSourceFormat: format))
    let equalization = ImageHistogramEqualization(device: batch.device, info: info, rule: rule)
    // Plane p of case n has the counts of list n + p, so each list meets each plane.
    for first in Self.all.indices {
      batch.write((0..<planes).flatMap { Self.words(first + $0, info.entries) }, to: bins, offset: 64)
      equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins, offset: 64)
      let readback = try batch.result(equalization.encode, source)
      let name = "\(format), \(rule), \(planes) planes of \(info.entries), \(Self.all[first].name)"
      batch.expect(readback, format, name, knownAs: Self.known) {
        let lists = (0..<planes).map { Self.words(first + $0, info.entries) }
        let top: Int = lists.map { (counts: [UInt32]) -> Int in counts.lastIndex { $0 > 0 } ?? 0 }.max() ?? 0
        let outputs = lists.map { counts in Self.outputs(counts.map { Int($0) }, format.maximum, rule, top: top) }
        return picture.mapping(0..<planes) { outputs[$0][$1] }
      }
    }
    try batch.check(againstTwins: false)
  }

  private static func words(_ number: Int, _ entries: Int) -> [UInt32] {
    let counts = all[number % all.count]
    return (0..<entries).map { counts.count($0, entries) }
  }

  /// The output for each value; the value itself if nothing was counted or the rule leaves the plane as it is.
  private static func outputs(_ counts: [Int], _ maximum: Int, _ rule: EqualizationRule, top: Int) -> [Int] {
    let total = counts.reduce(0, +)
    precondition(total <= UInt32.max, "a histogram counts at most 2^32 - 1 pixels")
    let expected = ExpectedRule(
      rule, total: total, firsts: counts.first { $0 > 0 } ?? 0, lasts: counts.last { $0 > 0 } ?? 0, maximum: maximum,
      top: top)
    var sum = 0
    let table = counts.map { count in
      sum += count
      return expected.output(before: sum - count, upTo: sum)
    }
    return (0...maximum).map { table[binOf($0, 0, maximum, counts.count)] ?? $0 }
  }

  private static let known = KnownBytes()
}

/// The rule of ffmpeg's histeq against its description, beyond the golden pictures of ffmpeg.
@Suite struct FFmpegEqualizationDeviceTests {
  /// Strength and intensity, and both in 1/1000 as floats make them.
  private typealias Setting = (strength: Float, intensity: Float, parts: (strength: Int, intensity: Int))

  private static let settings: [Setting] = [
    (0.2, 0.21, (200, 210)), (0, 0, (0, 0)), (1, 1, (1000, 1000)), (1, 0.05, (1000, 50)),
    (0.255, 0.3339, (255, 333)), (0.29, 0.57, (290, 570)),
  ]

  private static let info = HistogramInfo.complete(.bits8, channels: .histeqLuma)

  private static func stages(
    _ batch: Batch, _ source: Texture, _ setting: Setting, clip: Region = .noClip
  ) throws -> ThreeStages {
    try ThreeStages(
      batch, tableOf: source, info, .ffmpeg, strength: setting.strength, intensity: setting.intensity, clip: clip)
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
        batch.expect(try batch.result(equalization.encode, source), .r8Unorm, "\(setting), \(list.name)") {
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
    let three = try Self.stages(
      batch, source, (1, 0.05, (1000, 50)), clip: Region(x: 65, y: 0, width: 9, height: 9))
    try batch.expectForms(three.equalization.encode, source, "nothing counted") { [samples] in samples }
    try batch.check()
  }

  /// BGRA is read as RGBA; of two channels the first is the picture, and the second stays.
  @Test(arguments: TestDevice.all, [PixelFormat.bgra8Unorm, .rg8Unorm])
  func otherFormats(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let noise = Picture(Size(31, 17), format)
    let source = try batch.source(noise)
    let setting: Setting = (0.5, 0.8, (500, 800))
    let three = try Self.stages(batch, source, setting)
    batch.expect(try batch.result(three.equalization.encode, source), format, "\(noise)") {
      ExpectedLevels.equalized(noise, setting.parts)
    }
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
    let colors = picture.pixels.map { samples < 4 ? [$0[0], $0[0], $0[0]] : Array($0[..<3]) }
    var counts = Array(repeating: 0, count: 256)
    for color in colors { counts[luma(color)] += 1 }
    let expected = ExpectedLevels(counts, parts)
    let made = colors.map(expected.made)
    return picture.samples.enumerated().map { index, value in
      index % samples < (samples < 4 ? 1 : 3) ? made[index / samples][index % samples] : value
    }
  }
}
