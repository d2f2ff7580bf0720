import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageContrastLimitedEqualizationDeviceTests {
  /// A picture, and what is done to it.
  private struct Case: Sendable {
    let size: Size
    let rule: ExpectedContrastLimited
    let input: SyntheticImage
    let countsLuma: Bool

    init(_ size: Size, _ columns: Int, _ rows: Int, _ clip: Double, _ input: SyntheticImage, luma: Bool = false) {
      self.size = size
      rule = ExpectedContrastLimited(columns: columns, rows: rows, clipLimit: clip)
      self.input = input
      countsLuma = luma
    }

    var name: String {
      "\(input) \(size), \(rule.columns)×\(rule.rows) tiles, limit \(rule.clipLimit), luma \(countsLuma)"
    }

    /// Red, green, blue, alpha, as far as `format` has them.
    func samples(_ format: PixelFormat) -> [Int] {
      let picture = Picture(input, size, format.bytesPerSample == 1 ? .rgba8Unorm : .rgba16Uint)
      return picture.samples.enumerated().filter { $0.offset % 4 < format.samplesPerPixel }.map(\.element)
    }

    func expected(_ format: PixelFormat) -> [Int] {
      rule.equalized(
        samples(format), samplesPerPixel: format.samplesPerPixel, size, maximum: format.maximum, luma: countsLuma)
    }

    /// In 16 bits each tile and plane has 65536 entries: few of them, but once as many as there can be.
    func isTried(_ format: PixelFormat) -> Bool {
      format.bytesPerSample == 1 || rule.columns * rule.rows <= 8 || (format == .r16Uint && size == Size(17, 31))
    }
  }

  /// Smaller than the grid, divided by it in both directions, in one, in none; a pixel in many places, a part in several threadgroups.
  private static let cases = [
    Case(Size(1, 1), 8, 8, 40, .noise), Case(Size(1, 9), 4, 2, 2, .noise), Case(Size(3, 5), 7, 8, 0, .noise),
    Case(Size(17, 31), 8, 8, 40, .noise), Case(Size(17, 31), 3, 5, 0.5, .ramp, luma: true),
    Case(Size(64, 64), 8, 8, 2, .noise), Case(Size(64, 64), 4, 2, 0, .ramp), Case(Size(65, 63), 1, 1, 40, .noise),
    Case(Size(64, 63), 16, 16, 3.7, .noise, luma: true), Case(Size(130, 5), 2, 1, 40, .noise),
    Case(Size(65, 63), 5, 7, 0, .noise), Case(Size(1300, 66), 13, 3, 1, .ramp), Case(Size(70, 71), 2, 3, 1, .hotPixel),
  ]

  private static let formats: [PixelFormat] = [
    .r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint, .r16Unorm, .rg16Unorm, .rgba16Unorm,
  ]

  @Test(arguments: TestDevice.all, formats)
  func everySizeGridAndLimit(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    // What every device must have is what the others are made of.
    if format.sampleKind == .normalized, format.bytesPerSample == 2,
      !batch.device.capabilities.features.contains(.normalized16)
    {
      return
    }
    var results: [(case: Case, form: KernelForm, readback: Readback)] = []
    for one in Self.cases where one.isTried(format) {
      let source = try batch.device.makeTexture(one.size, format)
      batch.blit { $0.write(format.bytes(format.inMemory(one.samples(format))), to: source) }
      let kernel = try ImageContrastLimitedEqualization(
        device: batch.device, columns: one.rule.columns, rows: one.rule.rows, clipLimit: one.rule.clipLimit,
        channels: one.countsLuma ? .luma : .each)
      for form in format.samplesPerPixel == 2 && !batch.device.info.isCPU ? [.render] : batch.forms(format) {
        let readback = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        results.append((one, form, readback))
      }
    }
    try batch.run()
    for (one, form, readback) in results {
      let expected = try #require(Self.expected[Key(name: one.name, format: format)])
      expectEqual(format.inMemory(format.samples(try readback.contents())), expected, "\(one.name), \(format), \(form)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  private struct Key: Hashable {
    let name: String
    let samplesPerPixel: Int
    let maximum: Int

    init(name: String, format: PixelFormat) {
      self.name = name
      samplesPerPixel = format.samplesPerPixel
      maximum = format.maximum
    }
  }

  /// Worked out once for all devices and for the formats with the same samples.
  private static let expected: [Key: [Int]] = {
    var expected: [Key: [Int]] = [:]
    for format in formats {
      for one in cases where one.isTried(format) && expected[Key(name: one.name, format: format)] == nil {
        expected[Key(name: one.name, format: format)] = one.expected(format)
      }
    }
    return expected
  }()

  @Test func moreTilesThanTablesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let kernel = try ImageContrastLimitedEqualization(device: device, columns: 16, rows: 5)
      let texture = try device.makeTexture(Size(1, 1), .r16Uint)
      kernel.encode(
        to: device.makeCommandQueue().makeCommandBuffer(), source: texture,
        destination: try device.makeTexture(Size(1, 1), .r16Uint))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("use at most 64 for 16 bits"), "\(said)")
  }
}

extension PixelFormat {
  /// Samples in the order red, green, blue, alpha as they lie in this format, and the other way.
  fileprivate func inMemory(_ samples: [Int]) -> [Int] {
    guard self == .bgra8Unorm else { return samples }
    return samples.indices.map { index in
      switch index % 4 {
      case 0: samples[index + 2]
      case 2: samples[index - 2]
      default: samples[index]
      }
    }
  }
}
