internal import SafelightGPU
internal import SafelightImage

/// The rule by which floats are sorted into entries, ``ImageHistogram``'s; the twin of `edges.glsl`.
///
/// The rule is exact: `v` belongs to entry `e` or a later one if
///
///     entries · v − (entries − e) · low − e · high ≥ 0
///
/// A `Double` holds these products of 24 and 17 bits, and only the sign of their sum matters. So the smallest float of
/// each entry is worked out once, and devices only find the two edges between which a sample lies.
package struct HistogramEdges: Hashable, Sendable {
  /// The key of the smallest float of each entry; 0 for the first.
  package let keys: [UInt32]

  /// Adopts edges that were worked out before.
  init(keys: [UInt32]) { self.keys = keys }

  /// Works out the edges of `entries` entries, a power of two. If the range does not rise, everything above `low`
  /// belongs to the last entry.
  package init(low: Float, high: Float, entries: Int) {
    keys = (0..<entries).map { entry in
      if entry == 0 { return 0 }
      guard low < high else { return FloatKey.key(low) + 1 }
      return FloatKey.key(notBelow: Self.edge(entry, low: low, high: high, entries: entries))
    }
  }

  /// Returns the entry of the sample with this key.
  @inline(__always)
  package func bin(_ key: UInt32) -> Int {
    var bin = 0
    var step = keys.count / 2
    while step > 0 {
      if key >= keys[bin + step] { bin += step }
      step /= 2
    }
    return bin
  }

  /// Returns the smallest float of `entry`.
  private static func edge(_ entry: Int, low: Float, high: Float, entries: Int) -> Float {
    let before = Double(entries - entry) * Double(low)
    let after = Double(entry) * Double(high)
    func reaches(_ value: Float) -> Bool { isPositiveOrZero(Double(entries) * Double(value), -before, -after) }
    // Rounded twice, it may be one float off.
    var edge = Float((before + after) / Double(entries))
    while reaches(edge.nextDown) { edge = edge.nextDown }
    while !reaches(edge) { edge = edge.nextUp }
    return edge
  }

  /// Returns whether a + b + c ≥ 0, by an expansion of three doubles that do not overlap, the largest of which has the
  /// sign of the sum (Shewchuk 1997, theorem 10).
  private static func isPositiveOrZero(_ a: Double, _ b: Double, _ c: Double) -> Bool {
    let (pair, rest) = sum(a, b)
    let (middle, least) = sum(rest, c)
    let (largest, second) = sum(pair, middle)
    return largest != 0 ? largest > 0 : second != 0 ? second > 0 : least >= 0
  }

  /// Returns the rounded sum of two doubles and its rounding error (Knuth).
  private static func sum(_ a: Double, _ b: Double) -> (Double, Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }
}

/// Floats as unsigned integers of the same order; the twin of `keys.glsl`.
///
/// Integers compare alike on every device, whatever its floats do. Subnormal numbers and −0 have the key of 0, since a
/// driver may flush them; NaN has the key 0, below all others.
package enum FloatKey {
  package static let zero: UInt32 = 0x8000_0000
  /// The least key of a number, that of −∞.
  static let least = key(-.infinity)

  package static func key(_ value: Float) -> UInt32 {
    if value.isNaN { return 0 }
    let bits = value.bitPattern
    if bits & 0x7F80_0000 == 0 { return zero }
    return bits & zero == 0 ? bits | zero : ~bits
  }

  /// Returns the least key of all floats not below `value`.
  package static func key(notBelow value: Float) -> UInt32 {
    value.isSubnormal && value > 0 ? key(.leastNormalMagnitude) : key(value)
  }

  /// Returns the number of a key above 0.
  package static func value(_ key: UInt32) -> Float { Float(bitPattern: key & zero == 0 ? ~key : key & ~zero) }

  static func keys(_ values: SIMD4<Float>) -> SIMD4<UInt32> {
    SIMD4(key(values[0]), key(values[1]), key(values[2]), key(values[3]))
  }
}

/// The edges of some planes for both bodies: 256 columns and entries / 256 rows for each plane; of each the lower and
/// the upper half of the key.
struct HistogramEdgeTable: PassTable {
  private let ranges: [ClosedRange<Float>]
  private let entriesOfPlane: Int

  /// The edges of the whole range of `info`.
  init(_ info: HistogramInfo, planes: Int) {
    ranges = (0..<planes).map { info.minPixelValue[$0]...info.maxPixelValue[$0] }
    entriesOfPlane = info.entries
  }

  static func size(planes: Int, entries: Int) -> Size { Size(256, planes * entries / 256) }
  var size: Size { Self.size(planes: ranges.count, entries: entriesOfPlane) }

  func entries() -> [UInt16] {
    ranges.flatMap { range in
      HistogramEdges(low: range.lowerBound, high: range.upperBound, entries: entriesOfPlane).keys.flatMap {
        [UInt16(truncatingIfNeeded: $0), UInt16($0 >> 16), 0, 0]
      }
    }
  }
}
