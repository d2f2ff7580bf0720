import SafelightImage
import SafelightKernels

typealias EqualizationRule = ImageHistogramEqualization.Rule

/// What a rule makes of a value, from its definition. Programs round as floats do: ``Fraction`` says how, without
/// floats.
struct ExpectedRule {
  private let rule: EqualizationRule
  private let total: UInt128
  private let firsts: UInt128
  private let maximum: UInt128
  private let step: UInt128
  private let scale: Fraction

  /// For so many pixels, of which `firsts` have the least value and `lasts` the greatest; `top` is that of all planes.
  init(_ rule: EqualizationRule, total: Int, firsts: Int, lasts: Int, maximum: Int, top: Int) {
    self.rule = rule
    self.total = UInt128(total)
    self.firsts = UInt128(firsts)
    self.maximum = UInt128(maximum)
    step = UInt128((total - lasts) / 255)
    switch rule {
    case .openCV where firsts < total:
      scale = Fraction(self.maximum, 1).divided(by: Fraction(self.total - self.firsts, 1).rounded(24)).rounded(24)
    case .libvips where total > 0:
      scale = Fraction(UInt128(maximum == 255 ? 255 : top), self.total).rounded(53).rounded(24)
    default: scale = Fraction(0, 1)
    }
  }

  /// The output for `value`, with so many pixels of lesser values, and so many up to it; nil where the plane stays.
  func output(before: Int, upTo: Int) -> Int? {
    let sum = UInt128(upTo)
    if total == 0 { return nil }
    switch rule {
    case .normalizedSum: return Int((2 * maximum * sum + total) / (2 * total))
    case .openCV:
      return firsts == total
        ? nil : Fraction(max(sum, firsts) - firsts, 1).rounded(24).times(scale).rounded(24).nearest
    case .pillow: return step == 0 ? nil : Int(min(255, (step / 2 + UInt128(before)) / step))
    case .ffmpeg: preconditionFailure("ffmpeg's rule is of pixels; ask ExpectedLevels")
    case .libvips: return Fraction(sum, 1).rounded(24).times(scale).rounded(24).whole
    }
  }
}

/// What `rule` makes of each of `values`, by sorting, where the kernels count; `top` is the greatest value of all
/// planes.
func equalized(_ values: [Int], _ rule: EqualizationRule = .normalizedSum, maximum: Int, top: Int = 0) -> [Int: Int] {
  let sorted = values.sorted()
  let expected = ExpectedRule(
    rule, total: sorted.count, firsts: sorted.prefix { $0 == sorted.first }.count,
    lasts: sorted.reversed().prefix { $0 == sorted.last }.count, maximum: maximum, top: top)
  var outputs: [Int: Int] = [:]
  var before = 0
  for (index, value) in sorted.enumerated() where index + 1 == sorted.count || sorted[index + 1] != value {
    outputs[value] = expected.output(before: before, upTo: index + 1) ?? value
    before = index + 1
  }
  return outputs
}

/// The samples of `picture` equalized with its own complete histogram.
func expectedEqualization(
  _ picture: Picture, _ channels: HistogramInfo.Channels, _ rule: EqualizationRule = .normalizedSum
) -> [Int] {
  let maximum = picture.format.maximum
  if channels == .luma {
    let luma = picture.luma
    let outputs = equalized(luma, rule, maximum: maximum, top: luma.max() ?? 0)
    return picture.shiftingLuma { outputs[$0] ?? 0 }
  }
  let planes = (0..<min(picture.format.samplesPerPixel, 3)).map(picture.channel)
  let top = planes.compactMap { $0.max() }.max() ?? 0
  let outputs = planes.map { equalized($0, rule, maximum: maximum, top: top) }
  return picture.mapping(planes.indices) { outputs[$0][$1] ?? 0 }
}

/// A number that is not negative, as two integers.
struct Fraction {
  var above: UInt128
  var below: UInt128

  init(_ above: UInt128, _ below: UInt128) { (self.above, self.below) = (above, below) }

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
