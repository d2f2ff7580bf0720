import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The rules of other programs, through all three stages, against their definitions.
@Suite struct EqualizationRuleDeviceTests {
  private static let rules: [EqualizationRule] = [.openCV, .pillow, .libvips]

  @Test(arguments: TestDevice.all, rules)
  func everySizeAndInput(_ test: TestDevice, _ rule: EqualizationRule) throws {
    for channels in [HistogramInfo.Channels.each, .luma] {
      for format in Picture.formats where rule.depths.contains(format.maximum == 255 ? .bits8 : .bits16) {
        try check(test, rule, format, channels)
      }
    }
  }

  private func check(
    _ test: TestDevice, _ rule: EqualizationRule, _ format: PixelFormat, _ channels: HistogramInfo.Channels
  ) throws {
    let batch = try Batch(test)
    let info = HistogramInfo.complete(format.maximum == 255 ? .bits8 : .bits16, channels: channels)
    let three = try ThreeStages(batch, format, info, rule)
    var results: [(picture: Picture, readback: Readback)] = []
    for picture in Picture.all(format, on: batch.device) {
      let source = try batch.source(picture.image)
      three.encodeTable(of: source)
      results.append((picture, try three.apply(to: source, .automatic)))
    }
    try batch.run()
    for (picture, readback) in results {
      let expected = try #require(Self.expected["\(rule) \(channels) \(picture)"])
      expectEqual(try readback.contents(), expected, format, "\(picture), \(rule), \(channels)")
    }
  }

  /// Worked out once for all devices.
  private static let expected: [String: [UInt8]] = {
    var expected: [String: [UInt8]] = [:]
    for rule in rules {
      for format in Picture.formats where rule.depths.contains(format.maximum == 255 ? .bits8 : .bits16) {
        for picture in Picture.all(format) {
          for channels in [HistogramInfo.Channels.each, .luma] {
            expected["\(rule) \(channels) \(picture)"] = format.bytes(expectedEqualization(picture, channels, rule))
          }
        }
      }
    }
    return expected
  }()

  /// Alpha counts as a plane where the info asks for it, and its greatest value is then the top.
  @Test(arguments: TestDevice.all)
  func alphaMayRaiseTheTop(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let format = PixelFormat.rgba16Uint
    var image = SyntheticImage.ramp.image(Size(17, 31), channels: .rgba, depth: .bits16)
    for y in 0..<31 {
      for x in 0..<17 {
        for sample in 0..<3 { image[x: x, y: y, sample: sample] = x * 40 + y * sample }
        image[x: x, y: y, sample: 3] = 3000 + x
      }
    }
    let picture = Picture(image, "alpha above the colours")
    let source = try batch.source(image)
    let three = try ThreeStages(batch, format, HistogramInfo(entries: 65536, histogramForAlpha: true), .libvips)
    three.encodeTable(of: source)
    let readback = try three.apply(to: source, .automatic)
    try batch.run()
    var expected = picture.samples
    for channel in 0..<4 {
      let outputs = equalized(picture.channel(channel), .libvips, maximum: 65535, top: 3016)
      for index in stride(from: channel, to: expected.count, by: 4) { expected[index] = outputs[expected[index]] ?? 0 }
    }
    expectEqual(format.samples(try readback.contents()), expected, "alpha above the colours")
  }

  @Test(arguments: [
    (EqualizationRule.openCV, PixelFormat.rgba16Uint, 65536), (.pillow, .r16Uint, 65536), (.openCV, .rgba8Unorm, 512),
    (.libvips, .rgba16Uint, 256),
  ])
  func otherHistogramsTrap(_ rule: EqualizationRule, _ format: PixelFormat, _ entries: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = rule.rawValue as String, format = format.rawValue as String, entries] in
      let device = try Device.open(.cpu)
      let rule = try #require(EqualizationRule(rawValue: name))
      let source = try device.makeTexture(Size(1, 1), #require(PixelFormat(rawValue: format)))
      let info = HistogramInfo(entries: entries)
      let bins = try device.makeBuffer(length: info.histogramSize(forSourceFormat: source.pixelFormat))
      ImageHistogramEqualization(device: device, info: info, rule: rule).encodeTransform(
        to: device.makeCommandQueue().makeCommandBuffer(), source: source, histogram: bins)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("use HistogramInfo.complete(_:)"), "\(said)")
  }
}
