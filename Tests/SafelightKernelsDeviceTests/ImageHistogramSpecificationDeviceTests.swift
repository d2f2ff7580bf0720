import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageHistogramSpecificationDeviceTests {
  /// Counts of few entries, near 2³² in all, with ties, gaps and empty planes.
  static let lists: [[Int: UInt32]] = [
    [0: 1], [255: UInt32.max], [:], [3: 5, 7: 5, 100: 5, 101: 5], [0: 1, 255: 4_294_967_294],
    [1: 0x7FFF_FFFF, 2: 0x7FFF_FFFF], [10: 1, 20: 2, 30: 1], [5: 3, 50: 3, 150: 3, 250: 3], powers, falling,
    [0: 2, 254: 2], [9: 4_000_000_000, 10: 1, 11: 200_000_000],
  ]

  private static let powers: [Int: UInt32] = list { 1 << ($0 % 24) }
  private static let falling: [Int: UInt32] = list(after: 3) { 100_000_000 - $0 * 1_234_567 }

  /// Counts in every sixth entry.
  private static func list(after first: Int = 0, _ count: (UInt32) -> UInt32) -> [Int: UInt32] {
    var list: [Int: UInt32] = [:]
    for number in 0..<40 { list[first + number * 6] = count(UInt32(number)) }
    return list
  }

  private static func words(_ list: Int, _ entries: Int) -> [UInt32] {
    let counts = lists[list % lists.count]
    var words = [UInt32](repeating: 0, count: entries)
    for (entry, count) in counts { words[entry * (entries / 256)] = count }
    return words
  }

  /// Every pair of lists, in each plane, on pictures of every value.
  @Test(arguments: TestDevice.all)
  func tableIsTheNearestOfTheSums(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var results: [(Readback, PixelFormat, [Int])] = []
    for (format, entries) in [(PixelFormat.rgba8Unorm, 256), (.r8Unorm, 1024), (.rgba16Uint, 4096), (.r16Uint, 65536)] {
      let info = HistogramInfo(entries: entries, histogramForAlpha: true)
      let picture = EqualizationTransformDeviceTests.everyValue(format)
      let source = try batch.source(picture.image)
      let planes = info.planes(for: format)
      let kernel = ImageHistogramSpecification(device: batch.device, info: info)
      let size = info.histogramSize(forSourceFormat: format)
      let bins = try batch.device.makeBuffer(length: 32 + 2 * size)
      for first in Self.lists.indices where format.maximum == 255 || first % 3 == 0 {
        for second in stride(from: first % 3, to: Self.lists.count, by: format.maximum == 255 ? 2 : 5) {
          let counts = (0..<planes).map { (Self.words(first + $0, entries), Self.words(second + 2 * $0, entries)) }
          batch.blit { blit in
            blit.write(counts.flatMap(\.0).withUnsafeBytes { Array($0) }, to: bins, offset: 32)
            blit.write(counts.flatMap(\.1).withUnsafeBytes { Array($0) }, to: bins, offset: 32 + size)
          }
          kernel.encodeTransform(
            to: batch.buffer, source: source, sourceHistogram: bins, sourceHistogramOffset: 32, desiredHistogram: bins,
            desiredHistogramOffset: 32 + size)
          let readback = try batch.result(like: source) {
            kernel.encode(to: batch.buffer, source: source, destination: $0)
          }
          let tables = counts.map { expectedSpecification(source: $0.0, desired: $0.1) }
          results.append((readback, format, Self.applied(picture, tables, entries)))
        }
      }
    }
    try batch.run()
    for (readback, format, expected) in results {
      expectEqual(format.samples(try readback.contents()), expected, "\(format)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Sums that wrap beyond 2³² fall, and their differences wrap too: as in the shader.
  @Test(arguments: TestDevice.all)
  func sumsThatWrapAreTheShaders(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let lists: [[Int: UInt32]] = [
      [3: 0xC000_0000, 90: 0xC000_0000, 200: 5], [0: 0xFFFF_FFFF, 1: 2, 128: 0xFFFF_FFFE, 255: 7], [60: 9, 61: 1],
      [10: 0x8000_0000, 20: 0x8000_0000, 30: 0x8000_0000, 250: 0x7FFF_FFFF],
    ]
    for (format, entries) in [(PixelFormat.r8Unorm, 256), (.r8Unorm, 4096), (.r16Uint, 65536)] {
      let info = HistogramInfo(entries: entries)
      let source = try batch.source(EqualizationTransformDeviceTests.everyValue(format).image)
      let kernel = ImageHistogramSpecification(device: batch.device, info: info)
      let size = info.histogramSize(forSourceFormat: format)
      let bins = try batch.device.makeBuffer(length: 2 * size)
      for list in lists {
        for other in lists {
          for (number, counts) in [list, other].enumerated() {
            var words = [UInt32](repeating: 0, count: entries)
            for (entry, count) in counts { words[entry * (entries / 256)] = count }
            batch.blit { $0.write(words.withUnsafeBytes { Array($0) }, to: bins, offset: number * size) }
          }
          kernel.encodeTransform(
            to: batch.buffer, source: source, sourceHistogram: bins, desiredHistogram: bins,
            desiredHistogramOffset: size)
          _ = try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0) }
        }
      }
    }
    try batch.run()
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// The picture's samples by way of tables of entries.
  private static func applied(_ picture: Picture, _ tables: [[Int]?], _ entries: Int) -> [Int] {
    let (maximum, samples) = (picture.format.maximum, picture.format.samplesPerPixel)
    return picture.samples.enumerated().map { index, value in
      guard index % samples < tables.count, let table = tables[index % samples] else { return value }
      let entry = entries == maximum + 1 ? value : binOf(value, 0, maximum, entries)
      // The nearest value to the entry's place; never half-way.
      return (2 * table[entry] * maximum + entries - 1) / (2 * (entries - 1))
    }
  }

  /// A picture matched with itself stays, and one matched with another has values of that one alone.
  @Test(arguments: TestDevice.all)
  func picturesGetEachOthersValues(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var results: [(RawPicture, RawPicture, HistogramInfo, Readback)] = []
    for format in RawPicture.formats(on: batch.device) {
      let info = HistogramInfo(entries: format.maximum + 1)
      let kernel = ImageHistogramSpecification(device: batch.device, info: info)
      let picture = RawPicture(Size(65, 33), format)
      let other = RawPicture(Size(31, 17), format, from: 100, span: 50)
      for desired in [picture, other] {
        let (source, reference) = (try picture.source(batch), try desired.source(batch))
        let size = info.histogramSize(forSourceFormat: format)
        let bins = try batch.device.makeBuffer(length: 2 * size)
        let histogram = ImageHistogram(device: batch.device, info: info)
        histogram.encode(to: batch.buffer, source: source, histogram: bins)
        histogram.encode(to: batch.buffer, source: reference, histogram: bins, offset: size)
        kernel.encodeTransform(
          to: batch.buffer, source: source, sourceHistogram: bins, desiredHistogram: bins, desiredHistogramOffset: size)
        for form in batch.forms(format) where format.isStorable || form != .compute {
          let readback = try batch.result(like: source) {
            kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
          }
          results.append((picture, desired, info, readback))
        }
      }
    }
    try batch.run()
    for (picture, desired, info, readback) in results {
      let format = picture.format
      let planes = info.planes(for: format)
      var expected = picture.samples
      for plane in 0..<planes {
        var counts = [[UInt32]](repeating: [UInt32](repeating: 0, count: info.entries), count: 2)
        for value in picture.channel(plane) { counts[0][value] += 1 }
        for value in desired.channel(plane) { counts[1][value] += 1 }
        let table = try #require(expectedSpecification(source: counts[0], desired: counts[1]))
        for index in stride(from: plane, to: expected.count, by: format.samplesPerPixel) {
          expected[index] = table[expected[index]]
        }
      }
      if picture.size == desired.size { #expect(expected == picture.samples) }
      expectEqual(RawPicture.samples(try readback.contents(), format), expected, "\(picture) to \(desired)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Luma is matched as a grey picture is, and the chroma kept.
  @Test(arguments: TestDevice.all)
  func lumaKeepsTheChroma(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let info = HistogramInfo(channels: .luma)
    let picture = RawPicture(Size(65, 33), .rgba8Unorm)
    let source = try picture.source(batch)
    let bins = try batch.device.makeBuffer(length: 2048)
    ImageHistogram(device: batch.device, info: info).encode(to: batch.buffer, source: source, histogram: bins)
    let desired = Self.words(3, 256)
    batch.blit { $0.write(desired.withUnsafeBytes { Array($0) }, to: bins, offset: 1024) }
    let kernel = ImageHistogramSpecification(device: batch.device, info: info)
    kernel.encodeTransform(
      to: batch.buffer, source: source, sourceHistogram: bins, desiredHistogram: bins, desiredHistogramOffset: 1024)
    let readback = try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0) }
    try batch.run()
    var counts = [UInt32](repeating: 0, count: 256)
    for value in picture.luma { counts[value] += 1 }
    let table = try #require(expectedSpecification(source: counts, desired: desired))
    var expected = picture.samples
    for (pixel, luma) in picture.luma.enumerated() {
      for channel in 4 * pixel..<4 * pixel + 3 {
        expected[channel] = min(max(expected[channel] + table[luma] - luma, 0), 255)
      }
    }
    expectEqual(PixelFormat.rgba8Unorm.samples(try readback.contents()), expected, "luma")
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test func aTransformComesFirst() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let result = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      ImageHistogramSpecification(device: device).encode(to: buffer, source: source, destination: result)
    }
  }
}
