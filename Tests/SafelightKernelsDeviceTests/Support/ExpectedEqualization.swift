import SafelightImage
import SafelightKernels

typealias EqualizationRule = ImageHistogramEqualization.Rule

/// What a rule makes of a value, from its definition. Programs round as floats do: ``Fraction`` says how, without floats.
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

/// What `rule` makes of each of `values`, by sorting, where the kernels count; `top` is the greatest value of all planes.
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
  var result = picture.samples
  let maximum = picture.format.maximum
  let isGray = picture.format.samplesPerPixel == 1
  if channels == .luma && !isGray {
    let luma = picture.luma
    let outputs = equalized(luma, rule, maximum: maximum, top: luma.max() ?? 0)
    for (pixel, value) in luma.enumerated() {
      let shift = (outputs[value] ?? 0) - value
      for index in pixel * 4..<pixel * 4 + 3 { result[index] = min(max(result[index] + shift, 0), maximum) }
    }
    return result
  }
  let planes = (0..<(isGray ? 1 : 3)).map { picture.channel($0) }
  let top = planes.compactMap { $0.max() }.max() ?? 0
  for (channel, values) in planes.enumerated() {
    let outputs = equalized(values, rule, maximum: maximum, top: top)
    for index in stride(from: channel, to: result.count, by: picture.format.samplesPerPixel) {
      result[index] = outputs[result[index]] ?? 0
    }
  }
  return result
}
