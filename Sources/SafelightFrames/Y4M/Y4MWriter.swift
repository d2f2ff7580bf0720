public import SafelightImage

/// Writes Y4M as ffmpeg does, to a file or into a pipe.
///
/// Frames of three planes and grey ones are written as they are. All are shown equally long: the format's duration counts, and the times of the
/// frames do not. Y4M says the range and, for 8 bits in 4:2:0, the siting; matrix, transfer, primaries and orientation are lost.
public struct Y4MWriter: FilmWriter {
  /// The file or the pipe.
  public var name: String { writer.name }
  /// What every frame must have.
  public var format: VideoFormat { writer.coding.format }
  private let writer: StreamWriter

  /// Opens `place`. `grayBits` are those of grey samples, of which frames have 16: 9, 10, 12, 14 or 16.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be created, `unsupported` for layouts that Y4M does not have and without a
  /// frame duration.
  public init(_ place: FilmPlace, format: VideoFormat, grayBits: Int? = nil) throws(SafelightError) {
    writer = try StreamWriter(place, Y4MCoding(format, grayBits: grayBits, name: place.name))
  }

  /// Appends `frame`; see ``FilmWriter/write(_:)``.
  public func write(_ frame: VideoFrame) async throws(SafelightError) { try await writer.write(own(frame)) }
  /// Ends the film; see ``FilmWriter/finish()``.
  public func finish() async throws(SafelightError) { try await writer.finish() }
  /// Gives the film up; see ``FilmWriter/abandon()``.
  public func abandon() async { writer.abandon() }
}
