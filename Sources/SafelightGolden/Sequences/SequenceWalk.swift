import SafelightImage

/// What must be known of the frames so far, in their order.
struct SequenceWalk {
  let tolerance: Tolerance
  let mask: ImageMask?
  var statuses: [ComparisonStatus] = []
  var duplicates: [Int] = []
  var canary: Canary?
  var expected: [FrameThumbnail?] = []
  var actual: [FrameThumbnail?] = []
  private var previous: PicturePair?
  /// A picture of one colour may have nothing to damage; a later frame may do better.
  private var canaryTries = 8

  init(tolerance: Tolerance, mask: ImageMask?) {
    self.tolerance = tolerance
    self.mask = mask
  }

  mutating func step<Study>(
    _ pair: FramePairing.Pair, _ outcome: PairOutcome<Study>
  ) throws(SafelightError) -> FrameComparison {
    defer { previous = outcome.pictures }
    expected.append(outcome.thumbnails?.expected)
    actual.append(outcome.thumbnails?.actual)
    var (flicker, verdict, problem): (Double?, Verdict?, SafelightError?)
    let status: ComparisonStatus
    switch outcome.comparison {
    case .failure(let error):
      status = error.kind == .incomparable ? .incomparable : .unreadable
      problem = error
    case .success(let comparison):
      status = comparison.status
      verdict = comparison.verdict
      if canary?.isSound != true, canaryTries > 0, let picture = outcome.pictures?.expected {
        canaryTries -= 1
        canary = try Canary(picture, tolerance: tolerance, mask: mask)
      }
    }
    statuses.append(status)
    if let pictures = outcome.pictures, let previous {
      flicker = problem == nil ? pictures.flicker(since: previous, mask: mask) : nil
      if pictures.actual.bytes == previous.actual.bytes && pictures.expected.bytes != previous.expected.bytes {
        duplicates.append(pair.index)
      }
    }
    return FrameComparison(
      pair: pair, status: status, verdict: verdict, error: problem, flicker: flicker, duration: outcome.duration)
  }
}
