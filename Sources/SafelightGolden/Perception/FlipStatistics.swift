/// What LDR-FLIP says of two pictures: from 0, equal to the eye, to 1.
public struct FlipStatistics: Hashable, Sendable {
  /// Over all pixels.
  public let mean: Double
  /// The 99th percentile, in which a pixel weighs as much as it differs; from 100 buckets, between which it is interpolated.
  public let p99: Double
  /// Of the worst pixel.
  public let maximum: Double

  /// The worse of both in each.
  func worse(_ other: FlipStatistics) -> FlipStatistics {
    FlipStatistics(
      mean: Swift.max(mean, other.mean), p99: Swift.max(p99, other.p99), maximum: Swift.max(maximum, other.maximum))
  }

  private init(mean: Double, p99: Double, maximum: Double) {
    self.mean = mean
    self.p99 = p99
    self.maximum = maximum
  }

  /// Of a map, one number a pixel; of no pixels, or equal ones, 0.
  init(_ map: some Sequence<Double>) {
    var (sum, count, maximum) = (0.0, 0, 0.0)
    var buckets = [Int](repeating: 0, count: 100)
    for value in map {
      sum += value
      count += 1
      maximum = Swift.max(maximum, value)
      buckets[min(99, Int(value * 100))] += 1
    }
    self.init(
      mean: count == 0 ? 0 : sum / Double(count), p99: maximum == 0 ? 0 : Self.percentile(0.99, of: buckets),
      maximum: maximum)
  }

  /// As FLIP's own tool pools: a bucket's pixels weigh what stands in its middle.
  private static func percentile(_ share: Double, of buckets: [Int]) -> Double {
    let weights = buckets.enumerated().map { Double($0.element) * (Double($0.offset) + 0.5) / 100 }
    var rest = share * weights.reduce(0, +)
    for (index, weight) in weights.enumerated() where weight > 0 {
      if weight > rest { return (Double(index) + rest / weight) / 100 }
      rest -= weight
    }
    return 1
  }
}
