internal import Glibc
internal import SafelightImage

extension Tolerance.Term {
  /// The same metric with the tightest limit of four digits that `measured` passes; nil where no such limit can be written.
  func tightened(to measured: Double) -> Tolerance.Term? {
    var limit = measured.rounded(digits: 4, metric.isQuality ? .down : .up)
    if !allows(limit, measured) { limit = measured }
    let worst = metric.worst(unit)
    guard metric.isQuality ? limit > worst : limit < worst else { return nil }
    return Tolerance.Term(metric: metric, limit: limit, unit: unit)
  }

  private func allows(_ limit: Double, _ measured: Double) -> Bool {
    metric.isQuality ? measured >= limit : measured <= limit
  }

  /// `value` in the limit's unit, rounded to four digits on the worse side, so that it never looks like the limit it
  /// misses; with all digits if four would look as if it missed a limit that it meets.
  func text(of value: Double) -> String {
    let short = value.rounded(digits: 4, metric.isQuality ? .down : .up)
    return DecimalText.text(allows(short) == allows(value) ? short : value) + unit.rawValue
  }
}

extension Double {
  /// The nearest number with so many digits, by `rule`; whole numbers keep all theirs.
  func rounded(digits: Int, _ rule: FloatingPointRoundingRule) -> Double {
    guard self != 0, isFinite else { return self }
    let decimals = digits - 1 - Int(log10(magnitude).rounded(.down))
    guard decimals > 0 else { return rounded(rule) }
    let scale = pow(10, Double(decimals))
    // What is a number of so many digits already stays it, though the product is not whole.
    let nearest = (self * scale).rounded() / scale
    return nearest == self ? self : (self * scale).rounded(rule) / scale
  }
}
