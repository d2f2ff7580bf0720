import SafelightFrames
public import SafelightImage

/// One sequence of pictures under a tolerance beside another: each frame by itself, and what only the sequence shows.
public struct SequenceComparison: Sendable {
  /// Which pictures were compared, and which are missing or extra.
  public let pairing: FramePairing
  /// How each pair ended, in order.
  public let statuses: [ComparisonStatus]
  /// Places of actual frames that repeat the frame before, pixel by pixel, while the expected ones move.
  public let duplicates: [Int]
  /// Runs of frames that come late or early.
  public let shifts: [FrameShift]
  /// Places of frames that failed and jump away from neighbors which are alike, if the expected ones do not: A-B-A.
  public let flashes: [Int]
  /// The trial of the comparison itself; nil if no expected picture could be read.
  public let canary: Canary?

  init(
    pairing: FramePairing, statuses: [ComparisonStatus], duplicates: [Int], shifts: [FrameShift], flashes: [Int],
    canary: Canary?
  ) {
    self.pairing = pairing
    self.statuses = statuses
    self.duplicates = duplicates
    self.shifts = shifts
    self.flashes = flashes
    self.canary = canary
  }

  /// Compares the pairs of `pairing` on `jobs` threads, each with two pictures in memory.
  ///
  /// `study` is called on these threads for each pair that could be compared, with the expected picture, and what it returns is handed to
  /// `each` with the outcome; that is called on this thread, in order, once for each pair. Pictures are let go of after that. The results are
  /// the same for any number of threads.
  ///
  /// Pictures that cannot be read or compared become outcomes; only what `study` and `each` throw is thrown.
  public init<Study: Sendable>(
    _ pairing: FramePairing, rules: ComparisonRules, jobs: Int = ProcessorCount.ofThisProcess.value,
    study: @escaping @Sendable (FramePairing.Pair, PictureComparison, Image) throws -> Study,
    each: (FrameComparison, Study?) throws -> Void
  ) throws {
    var walk = SequenceWalk(rules)
    let codec = PNGCodec()
    let pairs = pairing.pairs
    try OrderedWork.run(pairs.count, jobs: jobs) { index in
      let pair = pairs[index]
      return Result {
        try PairOutcome(pair, rules, study) { () throws(SafelightError) in
          (expected: try readPicture(pair.expected, codec), actual: try readPicture(pair.actual, codec))
        }
      }
    } deliver: { index, result in
      let outcome = try result.get()
      try each(walk.step(pairs[index], outcome), outcome.study)
    }
    self = walk.comparison(pairing)
  }

  /// Compares in the same way, with nothing but the outcomes.
  public init(
    _ pairing: FramePairing, rules: ComparisonRules, jobs: Int = ProcessorCount.ofThisProcess.value,
    each: (FrameComparison) throws -> Void = { _ in }
  ) throws {
    try self.init(pairing, rules: rules, jobs: jobs, study: { _, _, _ in () }) { frame, _ in
      try each(frame)
    }
  }

  /// How many pairs ended how.
  public var counts: ComparisonCounts { ComparisonCounts(statuses) }

  /// True if at least one pair was compared, all passed, nothing is missing or extra, and the canary was seen.
  public var passes: Bool {
    !statuses.isEmpty && statuses.allSatisfy(\.passes) && pairing.missing.isEmpty && pairing.extra.isEmpty
      && canary?.isSound == true
  }
}

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

/// What counts in a comparison of pictures, and how much of it may differ.
public struct ComparisonRules: Sendable {
  /// How much may differ.
  public let tolerance: Tolerance
  /// What is left out of every pair; nil if everything counts.
  public let mask: ComparisonMask?
  /// True if a picture without alpha is compared with one that has alpha as if it were opaque.
  public let takesMissingAlphaForOpaque: Bool
  /// True if color does not count where both pictures are transparent.
  public let ignoresTransparent: Bool

  /// Makes rules by which all samples of pictures of one kind count, except for what the other parameters say.
  public init(
    _ tolerance: Tolerance, mask: ComparisonMask? = nil, takesMissingAlphaForOpaque: Bool = false,
    ignoresTransparent: Bool = false
  ) {
    self.tolerance = tolerance
    self.mask = mask
    self.takesMissingAlphaForOpaque = takesMissingAlphaForOpaque
    self.ignoresTransparent = ignoresTransparent
  }

  /// The pictures as they are to be compared, and what is left out of them.
  func pair(_ expected: Image, _ actual: Image) throws(SafelightError) -> PicturePair {
    var (expected, actual) = (expected, actual)
    // The comparison itself refuses pictures of other kinds.
    guard expected.size == actual.size, expected.depth == actual.depth,
      expected.channels.isGray == actual.channels.isGray
    else { return PicturePair(expected: expected, actual: actual) }
    if expected.channels != actual.channels {
      guard takesMissingAlphaForOpaque else {
        throw SafelightError(
          .incomparable, "pictures", why: "the one has alpha and the other has none",
          remedy: "a missing alpha can be taken for opaque", setting: .missingAlpha)
      }
      (expected, actual) = (expected.withAlpha, actual.withAlpha)
    }
    let mask = try mask?.mask(of: expected.size)
    guard ignoresTransparent, expected.channels.hasAlpha else {
      return PicturePair(expected: expected, actual: actual, mask: mask)
    }
    let visible = ImageMask(hidingWhatIsTransparentIn: expected, and: actual, besides: mask)
    // Where nothing is left that can be seen, both look the same.
    if visible.hidden == expected.size.area { return PicturePair(expected: expected, actual: expected, mask: mask) }
    return PicturePair(expected: expected, actual: actual, mask: visible.hidden == 0 ? nil : visible)
  }
}
