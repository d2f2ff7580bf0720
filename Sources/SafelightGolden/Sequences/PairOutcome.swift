import SafelightFrames
import SafelightImage

/// What a thread finds out of one pair.
struct PairOutcome<Study: Sendable>: Sendable {
  let comparison: Result<PictureComparison, SafelightError>
  /// nil where one cannot be read.
  let pictures: PicturePair?
  let thumbnails: (expected: FrameThumbnail, actual: FrameThumbnail)?
  let study: Study?
  /// How long reading and comparing took.
  let duration: Duration

  init(
    _ pair: FramePairing.Pair, _ tolerance: Tolerance, _ mask: ImageMask?, _ codec: PNGCodec,
    _ study: (FramePairing.Pair, PictureComparison) throws -> Study
  ) throws {
    let start = ContinuousClock.now
    do throws(SafelightError) {
      let pictures = PicturePair(
        expected: try readPicture(pair.expected, codec), actual: try readPicture(pair.actual, codec))
      self.pictures = pictures
      let expected = FrameThumbnail(pictures.expected)
      let isEqual = pictures.expected.bytes == pictures.actual.bytes
      thumbnails = (expected, isEqual ? expected : FrameThumbnail(pictures.actual))
      do throws(SafelightError) {
        comparison = .success(
          try PictureComparison(
            expected: pictures.expected, actual: pictures.actual, tolerance: tolerance, mask: mask))
      } catch {
        comparison = .failure(error.during(pair.actual))
      }
    } catch {
      (pictures, thumbnails, comparison) = (nil, nil, .failure(error))
    }
    duration = ContinuousClock.now - start
    self.study = try (try? comparison.get()).map { try study(pair, $0) }
  }
}

/// The picture in the file at `path`.
private func readPicture(_ path: String, _ codec: PNGCodec) throws(SafelightError) -> Image {
  do {
    return try PNGFile(reading: path, codec: codec).image
  } catch let error as SafelightError {
    throw error
  } catch {
    throw SafelightError(.transfer, path, why: "\(error)")
  }
}
