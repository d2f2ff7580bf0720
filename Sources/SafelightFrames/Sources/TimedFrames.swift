public import SafelightImage

/// Shows what a source shows at a time, as a player does that draws by a clock of its own: the counterpart of
/// `AVPlayerItemVideoOutput.copyPixelBuffer(forItemTime:)`.
public struct TimedFrames {
  private var iterator: any AsyncIteratorProtocol<VideoFrame, SafelightError>
  private var shown: VideoFrame?
  private var next: VideoFrame?
  private var hasBegun = false

  /// Opens `source` at its beginning.
  public init(_ source: some FrameSource) { iterator = source.makeAsyncIterator() }

  /// The last frame that begins at `time` or before; nil before the first, the last one from then on. Times are asked
  /// for in ascending order: an earlier one gets the frame that is shown.
  ///
  /// Reads one frame ahead, and throws what the source throws on the way.
  public mutating func frame(at time: MediaTime) async throws(SafelightError) -> VideoFrame? {
    if !hasBegun { (next, hasBegun) = (try await iterator.next(isolation: nil), true) }
    while let frame = next, frame.presentationTime <= time {
      shown = frame
      next = try await iterator.next(isolation: nil)
    }
    return shown
  }
}
