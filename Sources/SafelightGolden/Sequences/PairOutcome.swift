import SafelightFrames
import SafelightImage

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
