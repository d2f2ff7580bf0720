/// A moment or a duration as a fraction of integers: the counterpart of `CMTime`.
///
/// Times from files and cameras stay ticks of their clock: nothing is rounded or recomputed from floating point. Equal
/// times compare equal whatever their clocks, such as 1/30 s and 512/15360 s.
public struct MediaTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of ticks of 1/``timescale`` s; may be negative.
  public let value: Int64
  /// The number of ticks per second; above 0.
  public let timescale: Int32

  /// Makes the time of `value` ticks of 1/`timescale` s; traps if `timescale` is not above 0.
  public init(value: Int64, timescale: Int32) {
    trap(unless: timescale > 0, "a timescale must be above 0; \(timescale) was given")
    self.value = value
    self.timescale = timescale
  }

  /// The time 0 s.
  public static let zero = MediaTime(value: 0, timescale: 1)

  /// The time in seconds, rounded to a `Double`; for display, not for computation.
  public var seconds: Double { Double(value) / Double(timescale) }
  /// The time as text, such as `1001/30000 s`.
  public var description: String { "\(value)/\(timescale) s" }

  /// Returns whether both are the same moment, whatever their clocks; exact.
  public static func == (left: MediaTime, right: MediaTime) -> Bool { left.scaled(right) == right.scaled(left) }

  /// Returns whether the first moment is earlier; exact.
  public static func < (left: MediaTime, right: MediaTime) -> Bool { left.scaled(right) < right.scaled(left) }

  /// Hashes the fraction in lowest terms, so that equal times have equal hashes.
  public func hash(into hasher: inout Hasher) {
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale) / divisor)
  }

  /// Returns the numerator over a common denominator; 64 × 32 bits need 95.
  private func scaled(_ other: MediaTime) -> Int128 { Int128(value) * Int128(other.timescale) }

  /// Returns the same time on another clock; nil if that clock has no tick at this moment. Traps if `timescale` is not
  /// above 0.
  public func rescaled(to timescale: Int32) -> MediaTime? {
    trap(unless: timescale > 0, "a timescale must be above 0; \(timescale) was given")
    let (ticks, remainder) = (Int128(value) * Int128(timescale)).quotientAndRemainder(
      dividingBy: Int128(self.timescale))
    guard remainder == 0, let value = Int64(exactly: ticks) else { return nil }
    return MediaTime(value: value, timescale: timescale)
  }

  /// Returns the time multiplied by `count`; nil if ``value`` would overflow.
  public func multiplied(by count: Int64) -> MediaTime? {
    let (product, overflow) = value.multipliedReportingOverflow(by: count)
    return overflow ? nil : MediaTime(value: product, timescale: timescale)
  }

  /// Returns the time from this moment to `later`, negative if that is earlier; nil if it is out of range.
  package func distance(to later: MediaTime) -> MediaTime? {
    if timescale == later.timescale {
      let (ticks, overflow) = later.value.subtractingReportingOverflow(value)
      return overflow ? nil : MediaTime(value: ticks, timescale: timescale)
    }
    return MediaTime(seconds: later.scaled(self) - scaled(later), over: Int128(timescale) * Int128(later.timescale))
  }

  /// Returns the moment so much later; nil if it is out of range.
  package func advanced(by duration: MediaTime) -> MediaTime? {
    if timescale == duration.timescale {
      let (ticks, overflow) = value.addingReportingOverflow(duration.value)
      return overflow ? nil : MediaTime(value: ticks, timescale: timescale)
    }
    return MediaTime(
      seconds: scaled(duration) + duration.scaled(self), over: Int128(timescale) * Int128(duration.timescale))
  }

  /// Makes the time `numerator`/`denominator` s in lowest terms; nil if those do not fit, or if `denominator` is not
  /// above 0.
  package init?(seconds numerator: Int128, over denominator: Int128) {
    guard denominator > 0 else { return nil }
    let divisor = greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
    guard let value = Int64(exactly: numerator / Int128(divisor)),
      let timescale = Int32(exactly: denominator / Int128(divisor))
    else { return nil }
    self.init(value: value, timescale: timescale)
  }
}

extension Duration {
  /// The duration in seconds, for reports.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
