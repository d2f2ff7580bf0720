/// A number that is not negative, as two integers.
struct Fraction {
  var above: UInt128
  var below: UInt128

  init(_ above: UInt128, _ below: UInt128) {
    self.above = above
    self.below = below
  }

  func divided(by other: Fraction) -> Fraction { times(Fraction(other.below, other.above)) }

  func times(_ other: Fraction) -> Fraction { Fraction(above * other.above, below * other.below) }

  var whole: Int { Int(above / below) }

  /// Halves to even.
  var nearest: Int {
    let twice = 2 * (above % below)
    let isUp = twice > below || (twice == below && above / below % 2 == 1)
    return whole + (isUp ? 1 : 0)
  }

  /// The nearest number of so many binary digits, halves to even.
  func rounded(_ digits: Int) -> Fraction {
    if above == 0 { return self }
    // The power of two by which the number has just so many digits before the point.
    var shift = above.width - below.width - digits
    if scaled(shift).whole >= 1 << digits { shift += 1 }
    let number = UInt128(scaled(shift).nearest)
    return shift >= 0 ? Fraction(number << shift, 1) : Fraction(number, 1 << -shift)
  }

  private func scaled(_ shift: Int) -> Fraction {
    shift >= 0 ? Fraction(above, below << shift) : Fraction(above << -shift, below)
  }
}

extension UInt128 {
  /// Binary digits without leading zeros.
  fileprivate var width: Int { bitWidth - leadingZeroBitCount }
}
