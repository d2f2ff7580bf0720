internal import SafelightImage

/// Whether two pictures are near enough, and the figures that show it.
public struct Verdict: Sendable, CustomStringConvertible {
  /// One condition and what was measured.
  public struct Term: Hashable, Sendable, CustomStringConvertible {
    /// The condition as it is written: `over(1)<=0.1%`.
    public let text: String
    /// What was measured, in the limit's unit; nil if there is no number: PSNR of identical pictures, SSIM of too small ones.
    public let measured: Double?
    /// The most that passes, or the least.
    public let limit: Double
    /// True if the condition holds.
    public let passes: Bool
    let term: Tolerance.Term

    /// For people: `over(1) 0.35% > 0.1%`.
    public var description: String {
      let value = measured.map { term.text(of: $0) } ?? "has no value here"
      let sign = passes ? (term.metric.isQuality ? ">=" : "<=") : term.metric.isQuality ? "<" : ">"
      return "\(term.metric.name) \(value) \(sign) \(DecimalText.text(limit))\(term.unit.rawValue)"
    }
  }

  /// What was judged by.
  public let tolerance: Tolerance
  /// What was judged.
  public let difference: ImageDifference
  /// Each condition, in the tolerance's order.
  public let terms: [Term]

  init(_ tolerance: Tolerance, _ difference: ImageDifference) {
    self.tolerance = tolerance
    self.difference = difference
    var flip: FlipStatistics?
    terms = tolerance.terms.map { term in
      let value = term.metric.value(of: difference, unit: term.unit, flip: &flip)
      // Identical pictures are as good as any limit, also where a metric has no number for them.
      let passes = difference.isIdentical || value.map(term.allows) ?? false
      return Term(text: term.description, measured: value, limit: term.limit, passes: passes, term: term)
    }
  }

  /// True if every condition holds.
  public var passes: Bool { terms.allSatisfy(\.passes) }

  /// The tightest limits for these metrics that would pass, rounded to four digits: what the tolerance could be.
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

  /// The tolerance that allows this difference, lets the least else pass, and is sound: damaged copies of the expected picture would be rejected.
  /// Nil if there is none.
  public var recommendation: Tolerance? {
    if difference.isIdentical { return .exact }
    return candidates.first { $0.verdict(on: difference).passes && Self.isSound($0, difference.expected) }
  }

  /// From the tightest to the widest. Where few pixels differ, to let those differ as they like is less than to let all differ so much.
  private var candidates: [Tolerance] {
    let most = Tolerance.Term(metric: .maximum, limit: Double(difference.maximum), unit: .none)
    let few = Tolerance.Term(metric: .over(0), limit: Double(difference.over(0)), unit: .pixels)
    let areFew = 100 * difference.over(0) <= difference.pixels
    let own = tolerance == .exact ? [] : [smallestPassing]
    return own + (areFew ? [[most, few], [few], [most]] : [[most]]).map { Tolerance(terms: $0) }
  }

  private static func isSound(_ tolerance: Tolerance, _ picture: Image) -> Bool {
    let picture = tolerance.needsWholePictures ? picture.corner(64) : picture
    let canary = try? Canary(picture, tolerance: tolerance, mask: nil) { part, damaged throws(SafelightError) in
      try PictureComparison(part, actual: damaged, tolerance: tolerance).status
    }
    return canary?.isSound ?? false
  }

  /// Kinds of damage that the tolerance would let pass in pictures of this size and kind; see ``Tolerance/blindSpots(size:channels:depth:)``.
  public var blindSpots: [String] {
    tolerance.blindSpots(size: difference.size, channels: difference.channels, depth: difference.depth)
  }

  /// Enough without opening a file: how many pixels differ, where, what would pass; what failed, or else what was measured; what passes unseen.
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
