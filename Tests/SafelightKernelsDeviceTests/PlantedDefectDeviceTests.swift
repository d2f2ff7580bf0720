import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The tests' test: a wrong shader must differ from its twin. ``ConformanceDeviceTests`` plants the mistakes on cards.
@Suite struct PlantedDefectDeviceTests {
  /// A kernel, and one mistake in its GLSL.
  struct Defect: Sendable, CustomTestStringConvertible {
    let find: String
    let replacement: String
    let encode: @Sendable (Batch) throws -> Void

    var testDescription: String { "'\(find)' → '\(replacement)'" }

    init(_ find: String, _ replacement: String, _ encode: @escaping @Sendable (Batch) throws -> Void) {
      (self.find, self.replacement, self.encode) = (find, replacement, encode)
    }
  }

  static let all = [
    // Rounding of what a driver writes to a normalized target, and of what it reads.
    Defect("+ 0.25", "- 0.75", passthrough(.render)),
    Defect("* float(MAXIMUM) + 0.5", "* float(MAXIMUM) - 0.5", passthrough(.render, .r8Unorm)),
    // The last row, the last column.
    Defect(
      "if (safelight_isOutsideGrid())", "if (safelight_isOutsideGrid() || gl_GlobalInvocationID.y == 16u)",
      passthrough(.compute)),
    Defect(
      "greaterThanEqual(gl_GlobalInvocationID.xy,", "greaterThanEqual(gl_GlobalInvocationID.xy + 1u,",
      passthrough(.compute)),
    // Luma.
    Defect("32768u", "0u", saturation),
    Defect(
      "mixWithGray(pixel.g, gray, gain), mixWithGray(pixel.b", "mixWithGray(pixel.b, gray, gain), mixWithGray(pixel.g",
      saturation),
    Defect("clamp(mixed, 0, int(MAXIMUM))", "clamp(abs(mixed), 0, int(MAXIMUM))", saturation),
    // Counts.
    Defect("if (counts[i] != 0u)", "if (counts[i] > 1u)", histogram(.private)),
    Defect("safelight_left >= safelight_end.x", "safelight_left >= safelight_end.x - 1", histogram(.shared)),
    Defect("i < COUNTS; i +=", "i < COUNTS - 1u; i +=", histogram(.shared)),
    Defect("run[plane] = 0u;", "run[plane] = 1u;", histogram(.global)),
    Defect("uint(ENTRIES) - 1u)", "uint(ENTRIES) - 2u)", histogram(.global)),
    Defect("if (value <= low[plane]) return 0u;", "", histogram(.global)),
    // Thresholds, and the keys and edges of floats.
    Defect("samples[plane] >= threshold[plane]", "samples[plane] > threshold[plane]", floats),
    Defect("key >= edgeOf(", "key > edgeOf(", floats),
    Defect("if (magnitude < 0x00800000u) return KEY_OF_ZERO;", "", floats),
    Defect("if (magnitude > 0x7F800000u) return 0u;", "", floats),
    // Extrema, and the edges made of them.
    Defect("least = min(least, low)", "least = low", normalized(.rgba32Float)),
    Defect("mix(low, uvec4(0xFFFFFFFFu), equal(samples, uvec4(0u)))", "low", normalized(.rgba32Float)),
    Defect("uint(ENTRIES) - entry, true", "uint(ENTRIES) - entry - 1u, true", normalized(.rgba32Float)),
    Defect("carry = first | second", "carry = first", normalized(.rgba32Float)),
    Defect("min(most, highest[plane])", "most", normalized(.rgba32Float)),
    Defect("greaterThan(least, greatest)), lowest)", "greaterThan(least, greatest)), least)", normalized(.rgba16Uint)),
    Defect("min(greatest, highest)", "greatest", normalized(.rgba16Uint)),
    // Specifications.
    Defect("isLess(toUpper, toLower)", "!isLess(toLower, toUpper)", specification),
    Defect("sum == 0u ? uvec2(0u, 1u) : wanted", "wanted", specification),
    Defect("return uvec2(a.x - b.x - borrow, low)", "return uvec2(a.x - b.x, low)", specification),
    Defect("i < lane; ++i) sum += chunkSums", "i <= lane; ++i) sum += chunkSums", specification),
    // Films.
    Defect("length < uint(LENGTH) ?", "length <= uint(LENGTH) ?", film),
    Defect("bool startsAnew = isCut(length);", "bool startsAnew = length == 0u;", film),
    Defect("max(now, before) - min(now, before)", "now", film),
    // The table.
    Defect("return part.y >= total - part.y", "return part.y > total - part.y", table),
    Defect(
      "value += 1u;\n      } else {\n        remainder += count;",
      "value += 1u;\n      } else {\n        remainder += count - 1u;", table),
    Defect("if (i < lane)", "if (i <= lane)", table),
    Defect("stays != 0u ? entry :", "stays != 0u ? 0u :", table),
    // The tables of other programs.
    Defect("max(sum, plane.first) - plane.first", "sum", table(.openCV)),
    Defect("mix(before, after, equal(before", "mix(after, before, equal(before", table(.openCV)),
    Defect("rest == middle && (whole & 1u) != 0u", "rest == middle", table(.openCV)),
    Defect("| (mantissa & 1u)) != 0u", "| 1u) != 0u", table(.openCV)),
    Defect("mix(after, before, equal(after", "mix(before, after, equal(after", table(.pillow)),
    Defect("sum - count", "sum", table(.pillow)),
    Defect("+ plane.step / 2u", "", table(.pillow)),
    Defect("isUp ? mantissa + 1u : mantissa", "mantissa", table(.libvips)),
    Defect("low += 1u;", "", table(.libvips)),
    Defect("edge - 1u, total", "edge, total", table(.libvips)),
    Defect("pixel.g = outputs(pixel.g).g", "pixel.g = outputs(pixel.g).b", table),
    // Places and turns of rendered pictures.
    Defect("turn.y * stored.y", "turn.y * stored.x", rendering(.nearest)),
    Defect("+ extent.xy", "", rendering(.nearest)),
    Defect("(2u * place + 1u) * FROM / (2u * TO)", "2u * place * FROM / (2u * TO)", rendering(.nearest)),
    Defect("- corner.xy", "", rendering(.linear)),
    Defect("pixelPosition() - SAFELIGHT_FIRST(0)", "ivec2(gl_GlobalInvocationID.xy)", rendering(.linear)),
    Defect("- SAFELIGHT_AREA(ivec2(0)).xy;", ";", rendering(.linear, pipeline: .render)),
    // Their filters.
    Defect("min(low + 1u, LAST)", "low + 1u", rendering(.linear)),
    Defect("greaterThan(rest + (second & 1u), TO)", "greaterThan(rest, 2u * TO)", rendering(.linear)),
    Defect("max((2u * place + 1u) * FROM, TO) - TO", "(2u * place + 1u) * FROM", rendering(.linear)),
    Defect("max(x * TO.x, begin.x)", "x * TO.x", rendering(.area)),
    Defect("row + FROM.x / 2u", "row", rendering(.area)),
    Defect("y * TO.y < end.y", "(y + 1u) * TO.y < end.y", rendering(.area)),
    // And what they are laid over.
    Defect("backdrop(0, 0)", "backdrop(0, 1)", rendering(.area, .sourceOver)),
  ]

  @Test(arguments: TestDevice.gles, all)
  func isFound(_ test: TestDevice, _ defect: Defect) throws {
    let sound = try Batch(test)
    try defect.encode(sound)
    // The wrong one first: both share their textures, and what a sound one painted would hide a pixel left out.
    let wrong = try Batch(test)
    try wrong.buffer.record(sound.buffer.recording, replacing: defect.find, by: defect.replacement)
    try wrong.run()
    #expect(try wrong.readbacksUnlikeTwins() > 0)

    try sound.run()
    #expect(try sound.readbacksUnlikeTwins() == 0)
  }

  // MARK: Kernels

  private static let size = Size(19, 17)

  private static func passthrough(
    _ pipeline: PipelineKind, _ format: PixelFormat = .rgba8Unorm
  ) -> @Sendable (Batch) throws -> Void {
    { try $0.result(ImagePassthrough().encode, $0.source(Picture(size, format)), pipeline) }
  }

  @Sendable private static func saturation(_ batch: Batch) throws {
    let kernel = ImageSaturation(device: batch.device, amount: 1.2)
    try batch.result(kernel.encode, batch.source(Picture(size, .rgba16Uint)))
  }

  /// A narrow range, so that the rule of the entries matters.
  private static func histogram(_ variant: HistogramVariant) -> @Sendable (Batch) throws -> Void {
    { batch in
      let info = HistogramInfo(minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))
      _ = try batch.counts(of: batch.source(Picture(size, .rgba16Uint)), info) { $0.variant = variant }
    }
  }

  @Sendable private static func floats(_ batch: Batch) throws {
    let source = try FloatPicture(size, .rgba32Float, in: -1...1).source(batch)
    _ = try batch.counts(of: source, HistogramInfo(histogramForAlpha: true)) {
      // Not-a-numbers have the key 0, and subnormal numbers that of the threshold.
      $0.minPixelThresholdValue = SIMD4(-.infinity, 0, 0, 0.5)
    }
  }

  private static func normalized(_ format: PixelFormat) -> @Sendable (Batch) throws -> Void {
    { batch in
      let isFloat = format == .rgba32Float
      let info = HistogramInfo(
        histogramForAlpha: true, minPixelValue: SIMD4(repeating: isFloat ? -10 : 0.25),
        maxPixelValue: SIMD4(repeating: 0.7))
      let source =
        isFloat
        ? try FloatPicture(size, format, in: -3...3, special: [.nan, .nan, .nan, .nan, 0.25, 0.5]).source(batch)
        : try batch.source(Picture(size, format))
      let minmax = try batch.texture(ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format), Size(2, 1))
      let bins = try batch.bins(info)
      ImageNormalizedHistogram(device: batch.device, info: info).encode(
        to: batch.buffer, source: source, minmaxTexture: minmax, histogram: bins)
      _ = batch.read(bins)
    }
  }

  /// Sums that are ties, and such whose products lie on both sides of 2³².
  @Sendable private static func specification(_ batch: Batch) throws {
    let source = try batch.source(.everyValue(.rgba8Unorm))
    let kernel = ImageHistogramSpecification(device: batch.device)
    let counts: [[Int: UInt32]] = [
      [3: 1, 7: 1, 100: 1, 200: 1], [3: 32769, 100: 98303], [5: 3, 50: 3, 150: 3, 250: 3],
      [10: 1, 70: 2, 90: 1], [20: 32767, 40: 11, 60: 98294], [6: 3, 8: 1, 60: 900_000_001, 151: 3],
    ]
    let bins = try batch.words(counts.flatMap { counts in (0..<256).map { counts[$0] ?? 0 } })
    kernel.encodeTransform(
      to: batch.buffer, source: source, sourceHistogram: bins, desiredHistogram: bins, desiredHistogramOffset: 3072)
    try batch.result(kernel.encode, source)
  }

  @Sendable private static func film(_ batch: Batch) throws {
    let passes = TemporalHistogram(length: 3, cut: 0.4).passes(planes: 1, entries: 256)
    let plan = PassPlan(
      unlimited: passes, of: "film", from: PassPicture(PixelFormat.r8Unorm.descriptor(size)),
      given: [.numbers(0): .init(words: 256)], to: [])
    let earlier = EarlierNumbers()
    for picture in 0..<8 {
      let resources = earlier.next(plan)
      let counts = (0..<256).map { entry -> UInt32 in entry / 64 == picture / 5 ? UInt32(entry + picture % 2) : 0 }
      if case .words(let words, _) = resources[.numbers(0)] { batch.write(counts, to: words) }
      PassRecorder(plan: plan, call: "film", buffer: batch.buffer).encode((1...4).map { .numbers($0) }, resources)
      if case .words(let sum, _) = resources[.numbers(4)] { _ = batch.read(sum) }
    }
  }

  /// Turned, enlarged by odd factors, and partly outside at the left and the bottom, so that the last column and the
  /// first row are seen.
  private static func rendering(
    _ filter: ImageRenderer.Filter, _ blend: ImageRenderer.Blend = .copy, pipeline: PipelineKind = .automatic
  ) -> @Sendable (Batch) throws -> Void {
    { batch in
      // Rows' means have bits to spare in 8 bits: their rounding shows in 16.
      let format: PixelFormat = filter == .area ? .rgba16Uint : .rgba8Unorm
      let rendering = RenderingCase(
        source: Picture(Size(13, 11), format), bounds: Region(x: -2, y: 5, width: 17, height: 21),
        orientation: .right, filter: filter, blend: blend)
      try batch.render(
        [rendering], over: Picture(Size(18, 19), format), format, with: ImageRenderer(), pipeline: pipeline)
    }
  }

  @Sendable private static func table(_ batch: Batch) throws { try table(.normalizedSum)(batch) }

  /// Halves to round in red, green as it comes, blue empty, and in alpha what the rule's floats depend on.
  private static func table(_ rule: EqualizationRule) -> @Sendable (Batch) throws -> Void {
    { batch in
      let source = try batch.source(Picture(Size(65, 63), .rgba8Unorm))
      let info = HistogramInfo(histogramForAlpha: true)
      let equalization = ImageHistogramEqualization(device: batch.device, info: info, rule: rule)
      // N = 510, C odd; for a program 510 behind the first entry.
      let last: UInt32 = rule == .normalizedSum ? 1 : 2
      let red = (0..<256).map { entry -> UInt32 in entry == 255 ? last : entry % 2 == 0 ? 1 : 3 }
      let green = (0..<256).map { entry in UInt32(entry * entry % 251) }
      let blue = (0..<256).map { entry -> UInt32 in rule == .libvips ? [3: 3, 7: 6][entry] ?? 0 : 0 }
      let hard =
        rule == .libvips ? [0: 12_786_933, 9: 3_260_668_127 - 12_786_933] : EqualizationTransformDeviceTests.ties
      let bins = try batch.words(red + green + blue + (0..<256).map { hard[$0] ?? 0 })
      equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins)
      try batch.result(equalization.encode, source)
    }
  }
}
