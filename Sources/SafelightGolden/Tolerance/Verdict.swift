internal import SafelightImage

/// The verdict whether two pictures are close enough, with its figures.
public struct Verdict: Sendable, CustomStringConvertible {
  /// One term and its measurement.
  public struct Term: Hashable, Sendable, CustomStringConvertible {
    /// The text of the term: `over(1)<=0.1%`.
    public let text: String
    /// The measurement, in the limit's unit; nil if there is no number: PSNR of identical pictures, SSIM of too small
    /// ones.
    public let measured: Double?
    /// The most that passes, or the least.
    public let limit: Double
    /// True if the term holds.
    public let passes: Bool
    let term: Tolerance.Term

    /// The text `over(1) 0.35% > 0.1%`.
    public var description: String {
      guard let measured else { return "\(term.metric.name) has no value: it needs \(term.metric.need)" }
      let value = term.text(of: measured)
      let sign = passes ? term.metric.sign : term.metric.isQuality ? "<" : ">"
      return "\(term.metric.name) \(value) \(sign) \(DecimalText.text(limit))\(term.unit.rawValue)"
    }
  }

  /// The tolerance that was applied.
  public let tolerance: Tolerance
  /// The difference that was judged.
  public let difference: ImageDifference
  /// The terms, in the tolerance's order.
  public let terms: [Term]

  init(_ tolerance: Tolerance, _ difference: ImageDifference) {
    self.tolerance = tolerance
    self.difference = difference
    var flip: FlipStatistics?
    terms = tolerance.terms.map { term in
      let value = term.metric.value(of: difference, unit: term.unit, flip: &flip)
      // Identical pictures meet any limit, even if a metric has no number for them.
      let passes = difference.isIdentical || value.map(term.allows) ?? false
      return Term(text: term.description, measured: value, limit: term.limit, passes: passes, term: term)
    }
  }

  /// True if every term holds.
  public var passes: Bool { terms.allSatisfy(\.passes) }
  /// The outcome: `exact`, `within` or `differs`.
  var status: ComparisonStatus { difference.isIdentical ? .exact : passes ? .within : .differs }

  /// The tightest limits for these metrics that would pass, rounded to four digits.
  ///
  /// A metric that has no value here is replaced by `max`.
  public var smallestPassing: Tolerance {
    if difference.isIdentical { return .exact }
    var smallest: [Tolerance.Term] = []
    for term in terms {
      let tight =
        term.measured.flatMap { term.term.tightened(to: $0) }
        ?? Tolerance.Term(metric: .maximum, limit: Double(difference.maximum), unit: .none)
      if !smallest.contains(tight) { smallest.append(tight) }
    }
    return Tolerance(terms: smallest)
  }

  /// The tightest sound tolerance that allows this difference, which means that it rejects damaged copies of the
  /// expected picture; nil if there is none.
  public var recommendation: Tolerance? {
    if difference.isIdentical { return .exact }
    return candidates.first { $0.verdict(on: difference).passes && Self.isSound($0, difference.expected) }
  }

  /// The candidates from the tightest to the widest. If few pixels differ, allowing any difference in those allows less
  /// than some difference in all.
  private var candidates: [Tolerance] {
    let most = Tolerance.Term(metric: .maximum, limit: Double(difference.maximum), unit: .none)
    let few = Tolerance.Term(metric: .over(0), limit: Double(difference.over(0)), unit: .pixels)
    let areFew = 100 * difference.over(0) <= difference.pixels
    let own = tolerance == .exact ? [] : [smallestPassing]
    return own + (areFew ? [[most, few], [few], [most]] : [[most]]).map { Tolerance(terms: $0) }
  }

  private static func isSound(_ tolerance: Tolerance, _ picture: Image) -> Bool {
    let picture = tolerance.needsWholePictures ? picture.corner(64) : picture
    let canary = try? MutationTrial(picture, tolerance: tolerance, mask: nil) { part, damaged throws(SafelightError) in
      try PictureComparison(part, actual: damaged, tolerance: tolerance).status
    }
    return canary?.isSound ?? false
  }

  /// The kinds of damage that the tolerance would let pass in pictures of this size and kind; see
  /// ``Tolerance/blindSpots(size:channels:depth:)``.
  public var blindSpots: [String] {
    tolerance.blindSpots(size: difference.size, channels: difference.channels, depth: difference.depth)
  }

  /// A report that suffices without opening a file: how many pixels differ and where, which tolerance would pass, which
  /// terms failed or else what was measured, and what passes unseen.
  public var description: String {
    guard let shape = DifferenceShape(difference) else { return "identical" }
    let allowed =
      recommendation.map { "\(passes ? "The tightest that allows it" : "To allow it"): \($0)" }
      ?? "Any tolerance that allowed it would let damaged pictures pass too"
    let told = passes ? terms : terms.filter { !$0.passes }
    var lines = ["\(shape). \(allowed)"]
    lines.append("  \(passes ? "within" : "differs"): \(told.map(\.description).joined(separator: ", "))")
    if let place = difference.place { lines.append("  most at \(place)") }
    let blind = blindSpots
    if !blind.isEmpty { lines.append("  what \(tolerance) cannot see: \(blind.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }
}
