public import SafelightImage

/// A film that is its samples and nothing else, as `ffmpeg -f rawvideo` writes it: what a pipe between two programs is simplest with.
///
/// Nothing in it says what it is, so all of that is told. A stream that ends inside a frame is an error behind the frames before. A pipe can be
/// iterated once.
public struct RawSource: FrameSource {
  /// As it was told.
  public let format: VideoFormat
  private let stream: FrameStream

  /// Opens `place`, for pictures of `size`; nothing is read. `color` is that of the samples; red, green, blue and grey are of the full range
  /// where it leaves that open.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened, `usage` where size or duration are none,
  /// `limit` for pictures of more than `pixelLimit` columns × rows.
  public init(
    _ place: FilmPlace, pixels: RawPixels, size: Size, frameDuration: MediaTime, color: ColorDescription = .unspecified,
    pixelLimit: Int = PNGLimits().pixels
  ) throws(SafelightError) {
    guard !size.isEmpty, Swift.max(size.width, size.height) <= 1 << 28 else {
      throw SafelightError(
        .usage, place.name, why: "a picture of \(size) cannot be", remedy: "say its columns and rows")
    }
    try size.check(within: pixelLimit, film: place.name)
    guard frameDuration > .zero else {
      throw SafelightError(
        .usage, place.name, why: "a frame cannot be shown for \(frameDuration)", remedy: "pass a duration above 0")
    }
    var color = color
    if !pixels.layout.isYCbCr && color.matrix == .unspecified {
      color.matrix = .identity
      if color.range == .unspecified { color.range = .full }
    }
    if case .withoutAlpha = pixels.samples { color.alpha = .opaque }
    format = VideoFormat(
      size: size, layout: pixels.layout, timeBase: MediaTime(value: 1, timescale: frameDuration.timescale),
      frameDuration: frameDuration, color: color)
    stream = FrameStream(try ByteInput(place), at: place, RawCoding(format: format, samples: pixels.samples))
  }

  /// Starts at the first frame.
  public func makeAsyncIterator() -> StreamedFrames { stream.read { _ in } }
}
