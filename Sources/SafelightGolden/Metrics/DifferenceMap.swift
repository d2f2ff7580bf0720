import CGoldenRows
import SafelightImage

/// The greatest difference of the samples in each pixel.
struct DifferenceMap: Sendable {
  let size: Size
  /// The differences, row by row; empty if no pixel differs.
  let values: [UInt16]
  let maximum: Int

  /// Returns the sums over each channel, and the map.
  static func measure(_ expected: Image, _ actual: Image) -> ([ChannelSums], DifferenceMap) {
    let samples = expected.channels.sampleIndices
    guard !expected.bytes.hasSameBytes(as: actual.bytes) else {
      return (samples.map { _ in ChannelSums() }, DifferenceMap(size: expected.size, values: [], maximum: 0))
    }
    var all = [CGoldenSums](repeating: CGoldenSums(), count: 4)
    let values = unsafe [UInt16](unsafeUninitializedCapacity: expected.size.area) { values, count in
      unsafe cgolden_measure(
        expected.bytes, actual.bytes, expected.rows, expected.channels.counts, &all, values.baseAddress)
      count = expected.size.area
    }
    let sums = samples.map { ChannelSums(all[$0]) }
    let maximum = sums.map(\.maximum).max() ?? 0
    return (sums, DifferenceMap(size: expected.size, values: maximum == 0 ? [] : values, maximum: maximum))
  }

  /// The differences in row `y`.
  func row(_ y: Int) -> ArraySlice<UInt16> { values[y * size.width..<(y + 1) * size.width] }

  func over(_ k: Int) -> Int { k < maximum ? unsafe cgolden_count_above(values, values.count, UInt16(k)) : 0 }

  /// Returns the first pixels in scan order, at most `limit`, whose value is `difference`; none if that is 0.
  func places(differingBy difference: Int, limit: Int) -> [Int] {
    guard difference > 0 else { return [] }
    var places: [Int] = []
    unsafe values.withUnsafeBufferPointer { values in
      var start = 0
      while places.count < limit {
        let rest = unsafe UnsafeBufferPointer(rebasing: values[start...])
        start += unsafe cgolden_find(rest.baseAddress, rest.count, UInt16(difference))
        guard start < values.count else { break }
        places.append(start)
        start += 1
      }
    }
    return places
  }

  /// Returns the greatest value below `difference`, or 0 if there is none.
  func greatest(below difference: Int) -> Int {
    Int(unsafe cgolden_greatest_below(values, values.count, UInt16(difference)))
  }
}

/// The sums over one channel, of integers and therefore the same in any order.
struct ChannelSums: Hashable, Sendable {
  /// The sum of actual minus expected.
  var signed = 0
  var absolute = 0
  var squared = 0
  /// The greatest absolute difference.
  var maximum = 0
}

extension ChannelSums {
  fileprivate init(_ sums: CGoldenSums) {
    self.init(
      signed: Int(sums.difference), absolute: Int(sums.absolute), squared: Int(sums.squared),
      maximum: Int(sums.maximum))
  }
}

extension Image {
  /// All pixels, as C takes them.
  var rows: CGoldenLayout { rows(of: size.area) }

  /// Returns the layout of `pixels` of these, as C takes it.
  func rows(of pixels: Int) -> CGoldenLayout {
    CGoldenLayout(pixels: pixels, samples: pixelFormat.samplesPerPixel, sample_bytes: pixelFormat.bytesPerSample)
  }
}

extension Channels {
  /// For each sample of a pixel in memory, whether a file stores it.
  var counts: [Bool] { (0..<4).map(sampleIndices.contains) }
}

extension Image {
  /// Returns the sample of `index` in memory order.
  func value(at index: Int) -> Int {
    switch depth {
    case .bits8: Int(bytes[index])
    case .bits16: Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8
    }
  }
}
