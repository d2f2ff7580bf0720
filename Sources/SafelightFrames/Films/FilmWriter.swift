public import SafelightImage

/// Takes the frames of a film, one after the other: a file of video, a pipe, a program that encodes. The counterpart of an
/// `AVAssetWriter` with one track.
///
/// Frames come in their order, each once the one before it was taken.
public protocol FilmWriter: Sendable {
  /// The file or the pipe, as messages call it.
  var name: String { get }
  /// What all frames must have in common.
  var format: VideoFormat { get }

  /// Takes the next frame; waits where whoever reads the film is slower.
  ///
  /// Throws a ``SafelightImage/SafelightError`` of kind `input` where the frame is not of the film's size, layout or colour, `transfer`
  /// where it cannot be written; abandon the film then.
  func write(_ frame: VideoFrame) async throws(SafelightError)

  /// Ends the film: now it is there, whole.
  ///
  /// Throws a ``SafelightImage/SafelightError`` where it cannot be; nothing is left behind then.
  func finish() async throws(SafelightError)

  /// Gives the film up: of a file nothing is left behind, a pipe is closed.
  func abandon() async
}
