internal import SafelightImage
internal import Synchronization

/// A sink that keeps frames in memory, for tests and for programs that make a few pictures.
public final class CollectingFrameSink: FrameSink {
  private struct State {
    var frames: [PresentedFrame] = []
    var lost: [LostFrame] = []
  }

  /// Frames kept at most; the oldest go first.
  public let limit: Int
  private let state = Mutex(State())

  /// Makes a sink that keeps the last `limit` frames.
  public init(limit: Int = .max) {
    trap(unless: limit > 0, "a sink that keeps \(limit) frames collects nothing; pass a limit above 0")
    self.limit = limit
  }

  /// The frames, in the order of presentation.
  public var frames: [PresentedFrame] { state.withLock { $0.frames } }

  /// The frames that did not come.
  public var lostFrames: [LostFrame] { state.withLock { $0.lost } }

  /// Keeps the frame.
  public func consume(_ frame: PresentedFrame) {
    state.withLock { state in
      if state.frames.count == limit { state.frames.removeFirst() }
      state.frames.append(frame)
    }
  }

  /// Keeps the loss.
  public func lose(_ frame: LostFrame) { state.withLock { $0.lost.append(frame) } }
}
