import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Tables of counts that the golden pictures do not have.
@Suite struct ImageHistogramSpecificationDeviceTests {
  /// Counts of few entries, near 2³² in all, with ties, gaps and empty planes.
  static let lists: [[Int: UInt32]] = [
    [0: 1], [255: UInt32.max], [:], [3: 5, 7: 5, 100: 5, 101: 5], [0: 1, 255: 4_294_967_294],
    [1: 0x7FFF_FFFF, 2: 0x7FFF_FFFF], [10: 1, 20: 2, 30: 1], [5: 3, 50: 3, 150: 3, 250: 3], powers, falling,
    [0: 2, 254: 2], [9: 4_000_000_000, 10: 1, 11: 200_000_000],
  ]

  private static let powers = list { 1 << ($0 % 24) }
  private static let falling = list(after: 3) { 100_000_000 - $0 * 1_234_567 }

  /// Counts in every sixth entry.
  private static func list(after first: Int = 0, _ count: (UInt32) -> UInt32) -> [Int: UInt32] {
    Dictionary(uniqueKeysWithValues: (0..<40).map { (first + Int($0) * 6, count($0)) })
  }

  private static func words(_ list: [Int: UInt32], _ entries: Int = 256) -> [UInt32] {
    var words = [UInt32](repeating: 0, count: entries)
    for (entry, count) in list { words[entry * (entries / 256)] = count }
    return words
  }

  /// Records a transform of planes of counts and a look-up.
  private func match(
    _ source: Texture, _ counts: [[UInt32]], _ desired: [[UInt32]], _ kernel: ImageHistogramSpecification,
    _ batch: Batch
  ) throws -> Readback {
    let size = 4 * counts.joined().count
    let bins = try batch.words([UInt32](repeating: 0, count: 8) + counts.joined() + desired.joined())
    kernel.encodeTransform(
      to: batch.buffer, source: source, sourceHistogram: bins, sourceHistogramOffset: 32, desiredHistogram: bins,
      desiredHistogramOffset: 32 + size)
    return try batch.result(kernel.encode, source)
  }

  /// Every pair of lists, in each plane, on pictures of every value.
  @Test(arguments: TestDevice.all)
  func tableIsTheNearestOfTheSums(_ test: TestDevice) throws {
    let batch = try Batch(test)
    func list(_ number: Int, _ entries: Int) -> [UInt32] { Self.words(Self.lists[number % Self.lists.count], entries) }
    for (format, entries) in [(PixelFormat.rgba8Unorm, 256), (.r8Unorm, 1024), (.rgba16Uint, 4096), (.r16Uint, 65536)] {
      let info = HistogramInfo(entries: entries, histogramForAlpha: true)
      let picture = Picture.everyValue(format)
      let source = try batch.source(picture)
      let planes = 0..<info.planes(for: format)
      let kernel = ImageHistogramSpecification(device: batch.device, info: info)
      for first in Self.lists.indices where format.maximum == 255 || first % 3 == 0 {
        for second in stride(from: first % 3, to: Self.lists.count, by: format.maximum == 255 ? 2 : 5) {
          let counts = planes.map { list(first + $0, entries) }
          let desired = planes.map { list(second + 2 * $0, entries) }
          let readback = try match(source, counts, desired, kernel, batch)
          batch.expect(readback, format, "\(format), \(first) to \(second)") {
            let tables = zip(counts, desired).map { expectedSpecification(source: $0, desired: $1) }
            return picture.mapping(planes) { plane, value in
              guard let table = tables[plane] else { return value }
              let entry = table[entries == format.maximum + 1 ? value : binOf(value, 0, format.maximum, entries)]
              // The nearest value to the entry's place; never half-way.
              return (2 * entry * format.maximum + entries - 1) / (2 * (entries - 1))
            }
          }
        }
      }
    }
    try batch.check()
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
      let source = try batch.source(.everyValue(format))
      let kernel = ImageHistogramSpecification(device: batch.device, info: HistogramInfo(entries: entries))
      for list in lists {
        for other in lists {
          _ = try match(source, [Self.words(list, entries)], [Self.words(other, entries)], kernel, batch)
        }
      }
    }
    try batch.check()
  }
}

/// The entry for each of the source's entries by the documented rule, found by trying every desired entry that counts;
/// nil if a histogram is empty.
private func expectedSpecification(source: [UInt32], desired: [UInt32]) -> [Int]? {
  func sums(_ counts: [UInt32]) -> [Int128] {
    counts.reduce(into: []) { $0.append(($0.last ?? 0) + Int128($1)) }
  }
  let (sourceSums, desiredSums) = (sums(source), sums(desired))
  guard let total = sourceSums.last, let desiredTotal = desiredSums.last, total > 0, desiredTotal > 0 else {
    return nil
  }
  let counted = desired.indices.filter { desired[$0] > 0 }
  var known: [Int128: Int] = [:]
  return sourceSums.map { sum in
    if let entry = known[sum] { return entry }
    var best = counted[0]
    for entry in counted {
      let distance = (desiredSums[entry] * total - sum * desiredTotal).magnitude
      if distance < (desiredSums[best] * total - sum * desiredTotal).magnitude { best = entry }
    }
    known[sum] = best
    return best
  }
}
