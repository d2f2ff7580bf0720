import SafelightFrames
public import SafelightImage

/// Two pictures under one tolerance: the one way in which verdicts are reached, for files, sequences, goldens and the ``Canary``.
public struct PictureComparison: Sendable {
  /// How it ended: `exact`, `within` or `differs`.
  public let status: ComparisonStatus
  /// The figures; nil where every sample is equal, which is known without any.
  public let verdict: Verdict?

  /// What the pictures' channels are called, as ``ImageDifference/channelNames``.
  public let channelNames: [String]

  /// Compares.
  ///
  /// - Throws: ``SafelightError`` as ``ImageDifference/init(expected:actual:mask:)`` does.
  public init(expected: Image, actual: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    // A mask must fit also where there is nothing to hide.
    let isEqual = mask == nil && Self.isEqual(expected, actual)
    self.init(
      expected.channels, isEqual ? nil : try ImageDifference(expected: expected, actual: actual, mask: mask), tolerance)
  }

  /// Compares a part of a picture as if it were all of it.
  package init(_ part: CanaryPart, actual: Image, tolerance: Tolerance) throws(SafelightError) {
    self.init(part.picture.channels, try ImageDifference(part, actual: actual), tolerance)
  }

  /// Nil is a difference that is known to be none.
  private init(_ channels: Channels, _ difference: ImageDifference?, _ tolerance: Tolerance) {
    channelNames = channels.sampleIndices.map { ImageDifference.name(of: $0, in: channels) }
    guard let difference else {
      (status, verdict) = (.exact, nil)
      return
    }
    let verdict = tolerance.verdict(on: difference)
    status = difference.isIdentical ? .exact : verdict.passes ? .within : .differs
    self.verdict = verdict
  }

  private static func isEqual(_ a: Image, _ b: Image) -> Bool {
    a.size == b.size && a.channels == b.channels && a.depth == b.depth && a.bytes.hasSameBytes(as: b.bytes)
  }
}

/// What a thread finds out of one pair.
struct PairOutcome<Study: Sendable>: Sendable {
  let comparison: Result<PictureComparison, SafelightError>
  /// Nil if one cannot be read.
  let pictures: PicturePair?
  let thumbnails: (expected: FrameThumbnail, actual: FrameThumbnail)?
  let study: Study?
  /// How long reading and comparing took.
  let duration: Duration

  /// Compares what `read` returns.
  init(
    _ pair: FramePairing.Pair, _ rules: ComparisonRules,
    _ study: (FramePairing.Pair, PictureComparison, Image) throws -> Study,
    read: () throws(SafelightError) -> (expected: Image, actual: Image)
  ) throws {
    let start = ContinuousClock.now
    do throws(SafelightError) {
      let (expected, actual) = try read()
      (pictures, comparison) = Self.compare(expected, actual, rules, pair.actual)
    } catch {
      (pictures, comparison) = (nil, .failure(error))
    }
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

  private static func compare(
    _ expected: Image, _ actual: Image, _ rules: ComparisonRules, _ name: String
  ) -> (PicturePair, Result<PictureComparison, SafelightError>) {
    var pictures = PicturePair(expected: expected, actual: actual)
    do throws(SafelightError) {
      pictures = try rules.pair(expected, actual)
      let comparison = try PictureComparison(
        expected: pictures.expected, actual: pictures.actual, tolerance: rules.tolerance, mask: pictures.mask)
      return (pictures, .success(comparison))
    } catch {
      return (pictures, .failure(error.during(name)))
    }
  }
}

/// The picture in the file at `path`.
func readPicture(_ path: String, _ codec: PNGCodec) throws(SafelightError) -> Image {
  do {
    return try PNGFile(reading: path, codec: codec).image
  } catch let error as SafelightError {
    throw error
  } catch {
    throw SafelightError(.transfer, path, why: "\(error)")
  }
}

/// What became of one pair of pictures.
public struct FrameComparison: Sendable {
  /// Which pictures.
  public let pair: FramePairing.Pair
  /// How it ended: as a comparison of pictures does, or `incomparable` or `unreadable`.
  public let status: ComparisonStatus
  /// The figures; nil where every sample is equal, or nothing could be compared.
  public let verdict: Verdict?
  /// Why nothing could be compared.
  public let error: SafelightError?
  /// How much the difference itself changed since the frame before: the mean of |(bᵢ − bᵢ₋₁) − (aᵢ − aᵢ₋₁)| over the samples, in steps, for
  /// the expected frames a and the actual ones b. Steady differences do not flicker. nil for the first frame and behind one of
  /// another kind.
  public let flicker: Double?
  /// How long reading and comparing took.
  public let duration: Duration
}
