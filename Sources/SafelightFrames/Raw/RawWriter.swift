public import SafelightImage

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
