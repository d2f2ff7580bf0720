extension ImageHistogramEqualization.Rule {
  /// The twin of `equalization_rules.glsl`: the table of one plane; nil where the plane stays as it is.
  ///
  /// Swift's floats round as IEEE 754 says, on every machine, so the programs' own formulas stand here; the shader does the
  /// same roundings in integers. `last` is the greatest entry that counts in any plane. Sums stay below 2³²; those of counts
  /// that no picture has wrap, as the shader's do. `parts` are strength and intensity of ``ffmpeg`` in 1/1000, whose levels below 0 come in
  /// two's complement.
  func table(_ counts: [UInt32], maximum: UInt64, last: Int, parts: (strength: UInt32, intensity: UInt32)) -> [UInt64]?
  {
    let total = UInt64(counts.reduce(0, &+))
    if total == 0 { return nil }
    switch self {
    case .normalizedSum:
      return sums(counts).map { (2 * maximum * $0 + total) / (2 * total) }
    case .openCV:
      let first = UInt64(counts.first { $0 > 0 } ?? 0)
      if first == total { return nil }
      let scale = Float(maximum) / Float(UInt32(truncatingIfNeeded: total &- first))
      return sums(counts).map { sum in
        let others = max(sum, first) - first
        return UInt64((Float(others) * scale).rounded(.toNearestOrEven))
      }
    case .pillow:
      let others = UInt32(truncatingIfNeeded: total) &- (counts.last { $0 > 0 } ?? 0)
      let step = UInt64(others) / maximum
      if step == 0 { return nil }
      return zip(sums(counts), counts).map { sum, count in
        min((step / 2 + UInt64(UInt32(truncatingIfNeeded: sum) &- count)) / step, maximum)
      }
    case .libvips:
      let top = maximum == 255 ? 255 : Double(last)
      let scale = Float(top / Double(total))
      return sums(counts).map { UInt64(Float($0) * scale) }
    case .ffmpeg:
      let strength = Int64(parts.strength)
      return sums(counts).enumerated().map { luma, sum in
        let share = Int64(sum * UInt64(parts.intensity) / total)
        return UInt64(bitPattern: strength * share / 255 + (255 - strength) * Int64(luma) / 255)
      }
    }
  }

  /// The inclusive sums.
  private func sums(_ counts: [UInt32]) -> [UInt64] {
    var sum: UInt32 = 0
    return counts.map { count in
      sum &+= count
      return UInt64(sum)
    }
  }
}
