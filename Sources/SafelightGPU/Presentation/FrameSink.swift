/// Where the frames of a ``FrameView`` go: the counterpart of the screen.
///
/// Called on a serial queue of the view's own, one frame after the other in the order in which their command buffers
/// were committed. A sink may block: its drawable comes back to the view when the call returns, and a view whose
/// drawables are all out draws nothing until then.
public protocol FrameSink: AnyObject, Sendable {
  /// Takes a frame. An error thrown here makes the frame a lost one: ``lose(_:)`` is called with it.
  func consume(_ frame: PresentedFrame) throws

  /// Learns of a frame that was presented and will not come.
  func lose(_ frame: LostFrame)
}

/// A sink made of two closures.
public final class ClosureFrameSink: FrameSink {
  private let onFrame: @Sendable (PresentedFrame) throws -> Void
  private let onLoss: @Sendable (LostFrame) -> Void

  /// Makes a sink; `onLoss` is asked for, as a frame that is missing in silence is found late.
  public init(
    onLoss: @escaping @Sendable (LostFrame) -> Void, onFrame: @escaping @Sendable (PresentedFrame) throws -> Void
  ) {
    self.onFrame = onFrame
    self.onLoss = onLoss
  }

  /// Calls the first closure.
  public func consume(_ frame: PresentedFrame) throws { try onFrame(frame) }

  /// Calls the second closure.
  public func lose(_ frame: LostFrame) { onLoss(frame) }
}
