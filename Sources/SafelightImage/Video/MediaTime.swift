/// A moment or a length of time as a fraction of whole numbers: `CMTime`'s counterpart.
///
/// Times come from files and cameras as ticks of a clock and stay so: nothing is ever rounded, and nothing is
/// recomputed from floating point. Equal times are equal whatever their clocks: 1/30 s and 512/15360 s.
public struct MediaTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Ticks, of 1/``timescale`` s each; may be negative.
  public let value: Int64
  /// Ticks in a second; above 0.
  public let timescale: Int32

  /// Makes the time of `value` ticks of 1/`timescale` s.
  public init(value: Int64, timescale: Int32) {
    trap(unless: timescale > 0, "a clock of \(timescale) ticks a second counts nothing; pass a timescale above 0")
    self.value = value
    self.timescale = timescale
  }

  /// The beginning.
  public static let zero = MediaTime(value: 0, timescale: 1)

  /// The same, rounded to a `Double`: for showing, never for computing.
  public var seconds: Double { Double(value) / Double(timescale) }

  /// `1001/30000 s`.
  public var description: String { "\(value)/\(timescale) s" }

  /// True where both are the same moment, on whatever clocks.
  public static func == (left: MediaTime, right: MediaTime) -> Bool { left.scaled(right) == right.scaled(left) }

  /// True where the first is the earlier moment; exact.
  public static func < (left: MediaTime, right: MediaTime) -> Bool { left.scaled(right) < right.scaled(left) }

  /// Equal times hash alike: the fraction in its lowest terms.
  public func hash(into hasher: inout Hasher) {
    let divisor = Self.greatestCommonDivisor(value.magnitude, UInt64(timescale))
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale) / divisor)
  }

  /// 64 × 32 bits need 95.
  private func scaled(_ other: MediaTime) -> Int128 { Int128(value) * Int128(other.timescale) }

  package static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (first, second) = (first, second)
    while second != 0 { (first, second) = (second, first % second) }
    return first
  }
}

extension MediaTime {
  /// The same time on another clock; nil where that clock has no tick at this moment.
  public func rescaled(to timescale: Int32) -> MediaTime? {
    trap(unless: timescale > 0, "a clock of \(timescale) ticks a second counts nothing; pass a timescale above 0")
    let (ticks, remainder) = (Int128(value) * Int128(timescale)).quotientAndRemainder(
      dividingBy: Int128(self.timescale))
    guard remainder == 0, let value = Int64(exactly: ticks) else { return nil }
    return MediaTime(value: value, timescale: timescale)
  }

  /// `count` times this long; nil beyond the range of ``value``.
  public func multiplied(by count: Int64) -> MediaTime? {
    let (product, overflow) = value.multipliedReportingOverflow(by: count)
    return overflow ? nil : MediaTime(value: product, timescale: timescale)
  }

  /// The fraction `numerator`/`denominator` s in the lowest terms that fit; nil where none do, or where the denominator
  /// is not above 0.
  package init?(seconds numerator: Int128, over denominator: Int128) {
    guard denominator > 0 else { return nil }
    var (divisor, rest) = (numerator.magnitude, denominator.magnitude)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    guard let value = Int64(exactly: numerator / Int128(divisor)),
      let timescale = Int32(exactly: denominator / Int128(divisor))
    else { return nil }
    self.init(value: value, timescale: timescale)
  }
}

extension Duration {
  /// As a number of seconds, for reports.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
