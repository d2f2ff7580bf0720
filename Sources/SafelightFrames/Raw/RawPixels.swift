public import SafelightImage

/// How the pixels of a film without any header lie, by ffmpeg's name for it (`-pix_fmt`): `rgba`, `rgb24`, `gray16le`, `yuv420p`.
public struct RawPixels: Hashable, Sendable, CustomStringConvertible {
  /// ffmpeg's name.
  public let description: String
  /// The planes that frames have; without alpha in the stream, that of frames is opaque.
  public let layout: PixelLayout
  package let samples: StoredSamples

  /// True for red, green and blue without the alpha that frames of the layout have.
  public var leavesAlphaOut: Bool { if case .withoutAlpha = samples { true } else { false } }

  /// Every one there is.
  public static let all: [RawPixels] =
    [RawPixels("rgb24", .rgba8, .withoutAlpha(.bits8)), RawPixels("rgb48le", .rgba16, .withoutAlpha(.bits16))]
    + PixelLayout.allCases.map { RawPixels($0.ffmpegName, $0, .same) }

  private init(_ name: String, _ layout: PixelLayout, _ samples: StoredSamples) {
    (description, self.layout, self.samples) = (name, layout, samples)
  }

  /// Pixels that lie as frames of `layout` have them.
  public init(_ layout: PixelLayout) { self.init(layout.ffmpegName, layout, .same) }

  /// Throws a ``SafelightError`` of kind `usage` for a name that stands for none of ``all``.
  public init(named name: String) throws(SafelightError) {
    guard let found = Self.all.first(where: { $0.description == name }) else {
      throw SafelightError(
        .usage, "pixels \(name)", why: "no such pixels are known",
        remedy: "name one of \(Self.all.map(\.description).joined(separator: ", "))")
    }
    self = found
  }
}

/// Frames and nothing else.
struct RawCoding: StreamCoding {
  let format: VideoFormat
  let samples: StoredSamples

  var beginning: [UInt8] { [] }
  var frameBeginning: [UInt8] { [] }

  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool { true }
}

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

/// Writes a film as its samples and nothing else.
public struct RawWriter: FilmWriter {
  /// The file or the pipe.
  public var name: String { writer.name }
  /// What every frame must have.
  public var format: VideoFormat { writer.coding.format }
  private let writer: StreamWriter

  /// Opens `place`. `pixels` are those of the frames unless given; alpha can be left out (`rgb24`, `rgb48le`).
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be created, `usage` where the frames have no such pixels.
  public init(_ place: FilmPlace, format: VideoFormat, pixels: RawPixels? = nil) throws(SafelightError) {
    let pixels = pixels ?? RawPixels(format.layout)
    guard pixels.layout == format.layout else {
      throw SafelightError(
        .usage, place.name, why: "pixels \(pixels) are made of \(pixels.layout); the frames are \(format.layout)",
        remedy: "convert the frames first, or name \(format.layout.ffmpegName)")
    }
    writer = try StreamWriter(place, RawCoding(format: format, samples: pixels.samples))
  }

  /// Appends `frame`; see ``FilmWriter/write(_:)``.
  public func write(_ frame: VideoFrame) async throws(SafelightError) { try await writer.write(own(frame)) }
  /// Ends the film; see ``FilmWriter/finish()``.
  public func finish() async throws(SafelightError) { try await writer.finish() }
  /// Gives the film up; see ``FilmWriter/abandon()``.
  public func abandon() async { writer.abandon() }
}
