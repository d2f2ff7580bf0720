public import SafelightImage

/// The frames of a ``FrameCapture`` as a sequence. See ``FrameCapture/frames``.
public struct CapturedFrames: AsyncSequence, Sendable {
  /// A frame, in its own memory.
  public typealias Element = VideoFrame
  /// What the source throws.
  public typealias Failure = SafelightError

  let capture: FrameCapture

  /// Opens the source; frames come in from now on.
  public func makeAsyncIterator() -> Iterator { Iterator(run: capture.makeRun()) }

  /// Takes frames, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: CaptureRun

    /// The next frame; nil at the end, and once the task is cancelled. Throws what the source throws.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      while let event = try await run.intake.next() {
        if case .frame(let frame, let line) = event, run.intake.settle(line, .delivered) { return frame }
      }
      return nil
    }
  }
}
