import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageHistogramEqualizationDeviceTests {
  @Test(arguments: TestDevice.all, Picture.formats)
  func eachChannelInEveryFormSizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    try check(test, format, .each)
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func lumaInEveryFormSizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    try check(test, format, .luma)
  }

  private func check(_ test: TestDevice, _ format: PixelFormat, _ channels: HistogramInfo.Channels) throws {
    let batch = try Batch(test)
    let three = try ThreeStages(batch, format, .complete(format.maximum == 255 ? .bits8 : .bits16, channels: channels))
    var results: [(picture: Picture, form: KernelForm, readback: Readback)] = []
    for picture in Picture.all(format, on: batch.device) {
      let source = try batch.source(picture.image)
      three.encodeTable(of: source)
      for form in batch.forms(format) { results.append((picture, form, try three.apply(to: source, form))) }
    }
    try batch.run()
    for (picture, form, readback) in results {
      let expected = try #require(Self.expected[channels]?[picture.description])
      expectEqual(try readback.contents(), expected, format, "\(picture), \(form)")
    }
  }

  /// Worked out once for all devices.
  private static let expected = Dictionary(
    uniqueKeysWithValues: [HistogramInfo.Channels.each, .luma].map { channels in
      let pictures = Picture.formats.flatMap { Picture.all($0) }
      return (
        channels,
        Dictionary(
          uniqueKeysWithValues: pictures.map { ($0.description, $0.format.bytes(expectedEqualization($0, channels))) })
      )
    })

  /// Every kernel of the three stages in one recording, replayed here a second time and by the twins.
  @Test(arguments: TestDevice.all, Picture.formats)
  func replaysGiveTheSameBytes(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let source = try batch.source(Picture(.noise, Size(65, 63), format).image)
    var readbacks: [Readback] = []
    for channels in [HistogramInfo.Channels.each, .luma] {
      let info = HistogramInfo(entries: 512, histogramForAlpha: true, channels: channels)
      let three = try ThreeStages(batch, format, info)
      three.encodeTable(of: source)
      for form in batch.forms(format) { readbacks.append(try three.apply(to: source, form)) }
    }
    try batch.run()
    #expect(try batch.readbacksUnlikeTwins() == 0)
    let again = try batch.device.replay(batch.buffer.recording)
    for readback in readbacks { #expect(try again.contents(of: readback) == readback.contents()) }
  }

  /// A clip rectangle beside the picture counts nothing, and a table of nothing changes nothing.
  @Test(arguments: TestDevice.all, Picture.formats)
  func emptyHistogramIsIdentity(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), format)
    let source = try batch.source(picture.image)
    var readbacks: [Readback] = []
    let infos = [
      HistogramInfo(entries: 256), HistogramInfo(entries: 65536), HistogramInfo(entries: 512, channels: .luma),
      .complete(format.maximum == 255 ? .bits8 : .bits16, channels: .luma),
    ]
    for info in infos {
      var three = try ThreeStages(batch, format, info)
      three.histogram.clipRectSource = Region(x: 65, y: 0, width: 9, height: 9)
      three.encodeTable(of: source)
      for form in batch.forms(format) { readbacks.append(try three.apply(to: source, form)) }
    }
    try batch.run()
    for readback in readbacks { #expect(try readback.contents() == picture.image.bytes) }
  }

  @Test(arguments: TestDevice.all, [PixelFormat.r16Uint, .rgba16Uint])
  func fewerEntriesThanValues(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), format)
    let source = try batch.source(picture.image)
    let three = try ThreeStages(batch, format, HistogramInfo())
    three.encodeTable(of: source)
    let readbacks = try batch.forms(format).map { try three.apply(to: source, $0) }
    try batch.run()
    var expected = picture.samples
    for channel in 0..<(format.samplesPerPixel == 1 ? 1 : 3) {
      let outputs = equalized(picture.channel(channel).map { binOf($0, 0, 65535, 256) }, maximum: 65535)
      for index in stride(from: channel, to: expected.count, by: format.samplesPerPixel) {
        expected[index] = outputs[binOf(expected[index], 0, 65535, 256)] ?? 0
      }
    }
    for readback in readbacks { expectEqual(format.samples(try readback.contents()), expected, "256 entries") }
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func onePicturesTableAppliesToAnother(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let measured = Picture(.noise, Size(17, 31), format)
    let other = Picture(.ramp, Size(130, 5), format)
    let three = try ThreeStages(batch, format, .complete(format.maximum == 255 ? .bits8 : .bits16))
    three.encodeTable(of: try batch.source(measured.image))
    let readback = try three.apply(to: try batch.source(other.image), .automatic)
    try batch.run()
    var expected = other.samples
    for channel in 0..<(format.samplesPerPixel == 1 ? 1 : 3) {
      let values = measured.channel(channel)
      for index in stride(from: channel, to: expected.count, by: format.samplesPerPixel) {
        let value = expected[index]
        let rank = values.count { $0 <= value }
        expected[index] = (2 * format.maximum * rank + values.count) / (2 * values.count)
      }
    }
    expectEqual(format.samples(try readback.contents()), expected, "another picture")
  }

  @Test func lookUpNeedsATransformOfItsFormat() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let equalization = ImageHistogramEqualization(device: device)
      equalization.encode(to: buffer, source: texture, destination: try device.makeTexture(Size(1, 1), .rgba8Unorm))
    }
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
  func apply(to source: Texture, _ form: KernelForm) throws -> Readback {
    try batch.result(like: source) {
      equalization.encode(to: batch.buffer, source: source, destination: $0, form: form)
    }
  }
}
