internal import SafelightImage

/// The greatest difference of the samples in each pixel.
struct DifferenceMap: Sendable {
  /// Columns and rows.
  let size: Size
  /// Row by row; empty where no pixel differs.
  let values: [UInt16]
  /// The greatest of them.
  let maximum: Int

  /// Sums over each channel, and the map of all.
  static func measure(_ expected: Image, _ actual: Image) -> ([ChannelSums], DifferenceMap) {
    let samples = expected.channels.sampleIndices
    guard !expected.bytes.hasSameBytes(as: actual.bytes) else {
      return (samples.map { _ in ChannelSums() }, DifferenceMap(size: expected.size, values: [], maximum: 0))
    }
    var pass = DifferencePass(expected, actual)
    let sums = pass.sums().enumerated().filter { samples.contains($0.offset) }.map(\.element)
    let maximum = sums.map(\.maximum).max() ?? 0
    return (sums, DifferenceMap(size: expected.size, values: maximum == 0 ? [] : pass.values, maximum: maximum))
  }

  /// Pixels above `k`.
  func over(_ k: Int) -> Int {
    guard k < maximum else { return 0 }
    // Sixteen short sums at a time, none of more numbers than it can count.
    let limit = SIMD16<UInt16>(repeating: UInt16(k))
    let chunks = values.count / 16
    var count = 0
    unsafe values.withUnsafeBytes { bytes in
      for first in stride(from: 0, to: chunks, by: 32768) {
        var sums = SIMD16<UInt16>()
        for chunk in first..<min(first + 32768, chunks) {
          let row = unsafe bytes.loadUnaligned(fromByteOffset: 32 * chunk, as: SIMD16<UInt16>.self)
          sums &+= SIMD16(repeating: 0).replacing(with: 1, where: row .> limit)
        }
        for lane in 0..<16 { count += Int(sums[lane]) }
      }
    }
    return values[(16 * chunks)...].reduce(count) { $0 + (Int($1) > k ? 1 : 0) }
  }

  /// The first pixels in scan order, at most `limit`, whose value is `difference`; none for 0.
  func places(differingBy difference: Int, limit: Int) -> [Int] {
    guard difference > 0 else { return [] }
    let wanted = UInt16(difference)
    var places: [Int] = []
    var start = values.startIndex
    while places.count < limit, let next = values[start...].firstIndex(of: wanted) {
      places.append(next)
      start = next + 1
    }
    return places
  }

  /// The greatest value that is less than `difference`; 0 where there is none.
  func greatest(below difference: Int) -> Int {
    values.reduce(0) { Int($1) < difference ? max($0, Int($1)) : $0 }
  }
}
