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
