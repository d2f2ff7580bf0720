/// Which entry a float belongs to; the twin of `edges.glsl`.
///
///     bin(v) = clamp(floor(entries · (v − low) / (high − low)), 0, entries − 1)
///
/// is vImage's rule for floats. Here it is exact: `v` belongs to entry `e` or a later one where
///
///     entries · v − (entries − e) · low − e · high ≥ 0
///
/// whose products of 24 and 17 bits a `Double` holds, and of whose sum the sign alone is wanted. So the smallest float of
/// each entry is known once and for all, and devices need only look between which two of them a sample lies.
package struct HistogramEdges: Hashable, Sendable {
  /// The key of the smallest float of each entry; 0 for the first.
  package let keys: [UInt32]

  /// Edges that were worked out before.
  init(keys: [UInt32]) { self.keys = keys }

  /// For so many entries, a power of two. Where the range does not rise, what is above `low` belongs to the last entry.
  package init(low: Float, high: Float, entries: Int) {
    keys = (0..<entries).map { entry in
      if entry == 0 { return 0 }
      guard low < high else { return FloatKey.key(low) + 1 }
      return FloatKey.key(notBelow: Self.edge(entry, low: low, high: high, entries: entries))
    }
  }

  /// The entry of a sample by its key.
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

  /// The smallest float of `entry`.
  private static func edge(_ entry: Int, low: Float, high: Float, entries: Int) -> Float {
    let before = Double(entries - entry) * Double(low)
    let after = Double(entry) * Double(high)
    func reaches(_ value: Float) -> Bool {
      isPositiveOrZero(Double(entries) * Double(value), -before, -after)
    }
    // Rounded twice, so it may be a float off.
    var edge = Float((before + after) / Double(entries))
    while reaches(edge.nextDown) { edge = edge.nextDown }
    while !reaches(edge) { edge = edge.nextUp }
    return edge
  }

  /// Whether a + b + c ≥ 0, by an expansion of three doubles that do not overlap, whose largest has the sign of the sum
  /// (Shewchuk 1997, theorem 10).
  private static func isPositiveOrZero(_ a: Double, _ b: Double, _ c: Double) -> Bool {
    let (pair, rest) = sum(a, b)
    let (middle, least) = sum(rest, c)
    let (largest, second) = sum(pair, middle)
    return largest != 0 ? largest > 0 : second != 0 ? second > 0 : least >= 0
  }

  /// The sum of two doubles, rounded, and what the rounding took (Knuth).
  private static func sum(_ a: Double, _ b: Double) -> (Double, Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }
}
