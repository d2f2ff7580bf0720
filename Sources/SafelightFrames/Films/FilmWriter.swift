public import SafelightImage

/// What takes the frames of a film in their order: the counterpart of an `AVAssetWriter` with one video input.
///
/// One task writes, a frame at a time, and then either finishes or abandons; whoever lets go of a writer abandons the film. A film that goes to a
/// file is there whole under its name once ``finish()`` returns, and never in part.
public protocol FilmWriter: Sendable {
  /// The file or the pipe, as messages call it.
  var name: String { get }
  /// What every frame must have: its size and its layout. The rate is that of the film, where its form has one.
  var format: VideoFormat { get }

  /// Appends `frame`; returns once its bytes are on their way, and waits where the reader of a pipe does.
  ///
  /// Throws a ``SafelightError`` of kind `input` for a frame of another size or layout, `transfer` where it cannot be written; abandon the film
  /// then.
  func write(_ frame: VideoFrame) async throws(SafelightError)

  /// Ends the film, and gives a file its name.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` or `output` where that fails; nothing is left behind then.
  func finish() async throws(SafelightError)

  /// Gives the film up: no file is left behind. Does nothing after ``finish()``.
  func abandon() async
}

extension FilmWriter {
  /// Throws unless `frame` is one of this film, and returns it with its planes in the process's own memory.
  func own(_ frame: VideoFrame) throws(SafelightError) -> VideoFrame {
    guard frame.size == format.size else {
      throw SafelightError(
        .input, "frame \(frame.index + 1)", why: "it has \(frame.size); the film began with \(format.size)",
        remedy: "bring all frames to one size")
    }
    guard frame.layout == format.layout else {
      throw SafelightError(
        .input, "frame \(frame.index + 1)",
        why: "its pixels are \(frame.layout); those of the film are \(format.layout)",
        remedy: "bring all frames to one layout, or ask for luma and chroma, such as yuv444p", setting: .filmPixels)
    }
    if format.color.alpha == .opaque, [.straight, .premultiplied].contains(frame.color.alpha) {
      throw SafelightError(
        .input, "frame \(frame.index + 1)", why: "it has alpha; the film began without",
        remedy: "bring all frames to one kind: the alpha would be lost")
    }
    return try frame.copied()
  }
}
