import SafelightFrames
public import SafelightImage
public import SafelightMachine

/// The comparison of two sequences of pictures under a tolerance: each frame by itself, and what only the sequence
/// shows.
public struct SequenceComparison: Sendable {
  /// The pairs of pictures, and those that are missing or extra.
  public let pairing: FramePairing
  /// The outcome of each pair, in order.
  public let statuses: [ComparisonStatus]
  /// The indices of actual frames that repeat the frame before, pixel by pixel, while the expected ones move.
  public let duplicates: [Int]
  /// The runs of frames that are late or early.
  public let shifts: [FrameShift]
  /// The indices of failed frames that jump away from similar neighbors while the expected ones do not: A-B-A.
  public let flashes: [Int]
  /// The trial of the comparison itself; nil if no expected picture could be read.
  public let canary: MutationTrial?
}

extension SequenceComparison {
  /// Compares the pairs of `pairing` on `jobs` threads, each with two pictures in memory.
  ///
  /// `study` runs on these threads for each pair that could be compared, with the expected picture. `each` runs on the
  /// calling thread, in order, once for each pair, with the outcome and the result of `study`; then the pictures are
  /// released. The results are the same for any number of threads.
  ///
  /// - Throws: The errors of `study` and `each`. Pictures that cannot be read or compared become outcomes.
  public init<Study: Sendable>(
    _ pairing: FramePairing, rules: ComparisonRules, jobs: Int = ProcessorCount.ofThisProcess.value,
    study: @escaping @Sendable (FramePairing.Pair, PictureComparison, Image) throws -> Study,
    each: (FrameComparison, Study?) throws -> Void
  ) throws {
    var walk = RunningComparison(rules)
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

  /// Compares the pairs of `pairing` in the same way, without a study.
  public init(
    _ pairing: FramePairing, rules: ComparisonRules, jobs: Int = ProcessorCount.ofThisProcess.value,
    each: (FrameComparison) throws -> Void = { _ in }
  ) throws {
    try self.init(pairing, rules: rules, jobs: jobs, study: { _, _, _ in () }) { frame, _ in try each(frame) }
  }

  /// The number of pairs with each status.
  public var counts: ComparisonCounts { ComparisonCounts(statuses) }

  /// True if at least one pair was compared, all passed, nothing is missing or extra, and the canary was rejected.
  public var passes: Bool {
    !statuses.isEmpty && statuses.allSatisfy(\.passes) && pairing.missing.isEmpty && pairing.extra.isEmpty
      && canary?.isSound == true
  }
}

/// The outcome of one pair of pictures.
public struct FrameComparison: Sendable {
  /// The pair.
  public let pair: FramePairing.Pair
  /// The outcome: that of the comparison, or `incomparable` or `unreadable`.
  public let status: ComparisonStatus
  /// The figures; nil if every sample is equal, or nothing could be compared.
  public let verdict: Verdict?
  /// The pixels that were left out; nil if every pixel counts, or the pictures are known to be equal.
  public let leftOut: ImageMask?
  /// The reason why nothing could be compared.
  public let error: SafelightError?
  /// The change of the difference itself since the frame before: the mean of |(bᵢ − bᵢ₋₁) − (aᵢ − aᵢ₋₁)| over the
  /// samples, in steps, for the expected frames a and the actual ones b. Steady differences do not flicker. Nil for the
  /// first frame and after one of another kind.
  public let flicker: Double?
  /// The time for reading and comparing.
  public let duration: Duration
}

/// A comparison of pictures that arrive pair by pair, as the frames of films do, and are not kept.
public struct RunningComparison {
  private let rules: ComparisonRules
  private var pairs: [FramePairing.Pair] = []
  private var statuses: [ComparisonStatus] = []
  private var duplicates: [Int] = []
  private var canary: MutationTrial?
  private var neighbors = NeighborWatch()
  private var previous: PicturePair?
  /// The remaining trials: a picture of one color may have nothing to damage, and a later frame may do better.
  private var canaryTries = 8

  /// Begins a comparison by `rules`.
  public init(_ rules: ComparisonRules) { self.rules = rules }

  /// Compares the next pair; an error in `pictures` becomes its outcome. `study` runs if they could be compared, with
  /// the expected one.
  ///
  /// - Throws: The errors of `study`.
  public mutating func add<Study: Sendable>(
    _ pair: FramePairing.Pair, _ pictures: Result<(expected: Image, actual: Image), SafelightError>,
    study: (FramePairing.Pair, PictureComparison, Image) throws -> Study
  ) throws -> (FrameComparison, Study?) {
    let outcome = try PairOutcome(pair, rules, study) { () throws(SafelightError) in try pictures.get() }
    pairs.append(pair)
    return (try step(pair, outcome), outcome.study)
  }

  /// Returns the comparison, with the frames of one side that the other lacks; `count` is the number of frames that
  /// `expected` must have.
  public consuming func finish(
    missing: [FramePairing.Unpaired], extra: [FramePairing.Unpaired], expected: String, count: Int?
  ) -> SequenceComparison {
    comparison(FramePairing(pairs, missing: missing, extra: extra, expected: expected, count: count))
  }

  fileprivate consuming func comparison(_ pairing: FramePairing) -> SequenceComparison {
    neighbors.finish()
    return SequenceComparison(
      pairing: pairing, statuses: statuses, duplicates: duplicates,
      shifts: FrameShift.all(explanations: neighbors.explanations, failed: statuses.map { !$0.passes }),
      flashes: neighbors.flashes, canary: canary)
  }

  fileprivate mutating func step<Study>(
    _ pair: FramePairing.Pair, _ outcome: PairOutcome<Study>
  ) throws(SafelightError) -> FrameComparison {
    defer { previous = outcome.pictures }
    var (flicker, verdict, problem, leftOut): (Double?, Verdict?, SafelightError?, ImageMask?)
    let status: ComparisonStatus
    switch outcome.comparison {
    case .failure(let error):
      status = error.kind == .incomparable || outcome.pictures != nil ? .incomparable : .unreadable
      problem = error
    case .success(let comparison):
      status = comparison.status
      (verdict, leftOut) = (comparison.verdict, comparison.leftOut)
      if canary?.isSound != true, canaryTries > 0, let pictures = outcome.pictures {
        canaryTries -= 1
        canary = try MutationTrial(pictures.expected, tolerance: rules.tolerance, mask: pictures.mask)
      }
    }
    statuses.append(status)
    neighbors.add(expected: outcome.thumbnails?.expected, actual: outcome.thumbnails?.actual, failed: !status.passes)
    if let pictures = outcome.pictures, let previous {
      flicker = problem == nil ? pictures.flicker(since: previous) : nil
      if pictures.actual.bytes == previous.actual.bytes && pictures.expected.bytes != previous.expected.bytes {
        duplicates.append(pair.index)
      }
    }
    return FrameComparison(
      pair: pair, status: status, verdict: verdict, leftOut: leftOut, error: problem, flicker: flicker,
      duration: outcome.duration)
  }
}

/// The result of one pair on a thread.
private struct PairOutcome<Study: Sendable>: Sendable {
  let comparison: Result<PictureComparison, SafelightError>
  /// The pictures; nil if one cannot be read.
  let pictures: PicturePair?
  let thumbnails: (expected: FrameThumbnail, actual: FrameThumbnail)?
  let study: Study?
  /// The time for reading and comparing.
  let duration: Duration

  init(
    _ pair: FramePairing.Pair, _ rules: ComparisonRules,
    _ study: (FramePairing.Pair, PictureComparison, Image) throws -> Study,
    read: () throws(SafelightError) -> (expected: Image, actual: Image)
  ) throws {
    let start = ContinuousClock.now
    var pictures: PicturePair?
    do throws(SafelightError) {
      let (expected, actual) = try read()
      pictures = PicturePair(expected: expected, actual: actual)
      let compared = try rules.pair(expected, actual)
      pictures = compared
      comparison = .success(
        try PictureComparison(compared, rules.tolerance))
    } catch {
      comparison = .failure(pictures == nil ? error : error.during(pair.actual))
    }
    self.pictures = pictures
    duration = ContinuousClock.now - start
    thumbnails = pictures.map { pictures in
      let expected = FrameThumbnail(pictures.expected)
      let isEqual = pictures.expected.bytes == pictures.actual.bytes
      return (expected, isEqual ? expected : FrameThumbnail(pictures.actual))
    }
    self.study =
      if let pictures, case .success(let comparison) = comparison {
        try study(pair, comparison, pictures.expected)
      } else { nil }
  }
}

func readPicture(_ path: String, _ codec: PNGCodec) throws(SafelightError) -> Image {
  try withTypedErrors(of: path) { try PNGFile(reading: path, codec: codec).image }
}

/// Runs `body`, with errors of other types as a ``SafelightError`` of kind `transfer` about `subject`.
func withTypedErrors<Result>(of subject: String, _ body: () throws -> Result) throws(SafelightError) -> Result {
  do {
    return try body()
  } catch {
    throw error as? SafelightError ?? SafelightError(.transfer, subject, why: "\(error)")
  }
}
