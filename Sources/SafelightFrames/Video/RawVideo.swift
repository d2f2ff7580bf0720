public import SafelightImage

/// The pixel format of a film without headers, by ffmpeg's name for it (`-pix_fmt`): `rgba`, `rgb24`, `gray16le`,
/// `yuv420p`.
public struct RawPixels: Hashable, Sendable, CustomStringConvertible {
  /// ffmpeg's name.
  public let description: String
  /// The layout of the frames; if the stream has no alpha, that of the frames is opaque.
  public let layout: PixelLayout
  package let samples: StoredSamples
  /// True for red, green and blue without the alpha that frames of the layout have.
  public var leavesAlphaOut: Bool { if case .withoutAlpha = samples { true } else { false } }

  /// All pixel formats.
  public static let all: [RawPixels] =
    [
      RawPixels("rgb24", .rgba8, .withoutAlpha(.bits8)), RawPixels("rgb48le", .rgba16, .withoutAlpha(.bits16)),
      RawPixels("bgra", .rgba8, .blueFirst),
    ] + PixelLayout.allCases.filter { $0 != .bgra8 }.map { RawPixels($0.ffmpegName, $0, .same) }

  private init(_ name: String, _ layout: PixelLayout, _ samples: StoredSamples) {
    (description, self.layout, self.samples) = (name, layout, samples)
  }

  /// Makes the pixel format of frames of `layout`.
  public init(_ layout: PixelLayout) { self.init(layout.ffmpegName, layout, .same) }

  /// Finds a pixel format by its name.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a name that is not in ``all``.
  public init(named name: String) throws(SafelightError) {
    self = try required(
      Self.all.first { $0.description == name }, .usage, "pixels \(name)", why: "this pixel format is unknown",
      remedy: "name one of \(Self.all.map(\.description).joined(separator: ", "))")
  }
}

struct RawCoding: StreamCoding {
  let format: VideoFormat
  let samples: StoredSamples

  var beginning: [UInt8] { [] }
  var frameBeginning: [UInt8] { [] }

  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool { true }
}

/// A film of raw samples, as `ffmpeg -f rawvideo` writes it: the simplest format for a pipe between two programs.
///
/// The stream does not describe itself, so the caller does. A stream that ends inside a frame is an error after the
/// complete frames. A pipe can be iterated once.
public struct RawSource: FrameSource {
  /// The format that the caller described.
  public let format: VideoFormat
  private let stream: VideoStream

  /// Opens `location`, for pictures of `size`, without reading it. `color` describes the samples; if it leaves the
  /// range of red, green, blue or gray open, they are full range.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `usage` if the size or duration is not
  ///   above 0, `limit` for pictures of more than `pixelLimit` columns × rows.
  public init(
    _ location: VideoLocation, pixels: RawPixels, size: Size, frameDuration: MediaTime,
    color: ColorDescription = .unspecified,
    pixelLimit: Int = PNGLimits().pixels
  ) throws(SafelightError) {
    try ensure(
      !size.isEmpty && Swift.max(size.width, size.height) <= 1 << 28, .usage, location.name,
      why: "a picture cannot be \(size)", remedy: "state columns and rows, both 1 or more")
    try size.check(within: pixelLimit, film: location.name)
    try ensure(
      frameDuration > .zero, .usage, location.name, why: "a frame cannot be shown for \(frameDuration)",
      remedy: "pass a duration above 0")
    var color = color
    if !pixels.layout.isYCbCr && color.matrix == .unspecified {
      color.matrix = .identity
      if color.range == .unspecified { color.range = .full }
    }
    if case .withoutAlpha = pixels.samples { color.alpha = .opaque }
    format = VideoFormat(
      size: size, layout: pixels.layout, timeBase: MediaTime(value: 1, timescale: frameDuration.timescale),
      frameDuration: frameDuration, color: color)
    stream = VideoStream(try ByteInput(location), at: location, RawCoding(format: format, samples: pixels.samples))
  }

  /// Starts at the first frame.
  public func makeAsyncIterator() -> VideoFrames { stream.read { _ in } }
}

/// Writes a film as raw samples.
public struct RawWriter: VideoWriter {
  /// The name of the file or the pipe.
  public var name: String { writer.name }
  /// The format that every frame must have.
  public var format: VideoFormat { writer.coding.format }
  private let writer: StreamWriter

  /// Opens `location`. `pixels` are those of the frames unless given; they can leave alpha out (`rgb24`, `rgb48le`).
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created, `usage` if the frames have other pixels.
  public init(_ location: VideoLocation, format: VideoFormat, pixels: RawPixels? = nil) throws(SafelightError) {
    let pixels = pixels ?? RawPixels(format.layout)
    try ensure(
      pixels.layout == format.layout, .usage, location.name,
      why: "pixels \(pixels) store \(pixels.layout), but the frames are \(format.layout)",
      remedy: "convert the frames first, or choose the pixel format \(format.layout.ffmpegName)")
    writer = try StreamWriter(location, RawCoding(format: format, samples: pixels.samples))
  }

  /// Appends `frame`; see ``VideoWriter/write(_:)``.
  public func write(_ frame: VideoFrame) async throws(SafelightError) { try await writer.write(own(frame)) }
  /// Ends the film; see ``VideoWriter/finish()``.
  public func finish() async throws(SafelightError) { try await writer.finish() }
  /// Abandons the film; see ``VideoWriter/abandon()``.
  public func abandon() async { writer.abandon() }
}
