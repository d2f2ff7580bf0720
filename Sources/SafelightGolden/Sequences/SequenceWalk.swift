import SafelightImage

/// What must be known of the frames so far, in their order.
struct SequenceWalk {
  let rules: ComparisonRules
  private var statuses: [ComparisonStatus] = []
  private var duplicates: [Int] = []
  private var canary: Canary?
  private var neighbors = NeighborWatch()
  private var previous: PicturePair?
  /// A picture of one color may have nothing to damage; a later frame may do better.
  private var canaryTries = 8

  init(_ rules: ComparisonRules) { self.rules = rules }

  /// What the whole sequence shows, of which `pairing` tells.
  consuming func comparison(_ pairing: FramePairing) -> SequenceComparison {
    neighbors.finish()
    return SequenceComparison(
      pairing: pairing, statuses: statuses, duplicates: duplicates,
      shifts: FrameShift.all(explanations: neighbors.explanations, failed: statuses.map { !$0.passes }),
      flashes: neighbors.flashes, canary: canary)
  }

  mutating func step<Study>(
    _ pair: FramePairing.Pair, _ outcome: PairOutcome<Study>
  ) throws(SafelightError) -> FrameComparison {
    defer { previous = outcome.pictures }
    var (flicker, verdict, problem): (Double?, Verdict?, SafelightError?)
    let status: ComparisonStatus
    switch outcome.comparison {
    case .failure(let error):
      status = error.kind == .incomparable ? .incomparable : .unreadable
      problem = error
    case .success(let comparison):
      status = comparison.status
      verdict = comparison.verdict
      if canary?.isSound != true, canaryTries > 0, let pictures = outcome.pictures {
        canaryTries -= 1
        canary = try Canary(pictures.expected, tolerance: rules.tolerance, mask: pictures.mask)
      }
    }
    statuses.append(status)
    neighbors.add(
      expected: outcome.thumbnails?.expected, actual: outcome.thumbnails?.actual, failed: !status.passes)
    if let pictures = outcome.pictures, let previous {
      flicker = problem == nil ? pictures.flicker(since: previous) : nil
      if pictures.actual.bytes == previous.actual.bytes && pictures.expected.bytes != previous.expected.bytes {
        duplicates.append(pair.index)
      }
    }
    return FrameComparison(
      pair: pair, status: status, verdict: verdict, error: problem, flicker: flicker, duration: outcome.duration)
  }
}
