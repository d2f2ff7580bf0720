public import SafelightImage

/// A comparison of pictures that come one pair after the other, as the frames of films do, and are not kept.
public struct RunningComparison {
  private let rules: ComparisonRules
  private var walk: SequenceWalk
  private var pairs: [FramePairing.Pair] = []

  /// Begins a comparison by `rules`.
  public init(_ rules: ComparisonRules) {
    self.rules = rules
    walk = SequenceWalk(rules)
  }

  /// Compares the next pair; an error in `pictures` becomes its outcome. `study` is called if they could be compared, with the expected one.
  ///
  /// Throws what `study` throws.
  public mutating func add<Study: Sendable>(
    _ pair: FramePairing.Pair, _ pictures: Result<(expected: Image, actual: Image), SafelightError>,
    study: (FramePairing.Pair, PictureComparison, Image) throws -> Study
  ) throws -> (FrameComparison, Study?) {
    let outcome = try PairOutcome(pair, rules, study) { () throws(SafelightError) in try pictures.get() }
    pairs.append(pair)
    return (try walk.step(pair, outcome), outcome.study)
  }

  /// What came of it, with the frames of one side that the other does not have; `count` is how many frames `expected` must have.
  public consuming func finish(
    missing: [FramePairing.Unpaired], extra: [FramePairing.Unpaired], expected: String, count: Int?
  ) -> SequenceComparison {
    walk.comparison(FramePairing(pairs, missing: missing, extra: extra, expected: expected, count: count))
  }
}
