internal import Dispatch
internal import SafelightImage
internal import Synchronization

/// Receives the frames of a ``FrameView``, in place of a screen.
///
/// Called on a serial queue of the view, one frame after the other in the order in which their command buffers were
/// committed. A sink may block: its drawable returns to the view when the call returns, and a view whose drawables are
/// all in use does not draw.
public protocol FrameSink: AnyObject, Sendable {
  /// Takes a frame. If it throws, the frame is lost and ``lose(_:)`` is called with the error.
  func consume(_ frame: PresentedFrame) throws

  /// Takes a frame that was presented and lost.
  func lose(_ frame: LostFrame)
}

/// A sink made of two closures.
public final class ClosureFrameSink: FrameSink {
  private let onFrame: @Sendable (PresentedFrame) throws -> Void
  private let onLoss: @Sendable (LostFrame) -> Void

  /// Makes a sink; `onLoss` is required, so that no lost frame is missed.
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

/// A sink that keeps frames in memory, for tests and programs that make few pictures.
public final class CollectingFrameSink: FrameSink {
  private struct State {
    var frames: [PresentedFrame] = []
    var lost: [LostFrame] = []
  }

  /// The maximum number of frames kept; the oldest are removed first.
  public let limit: Int
  private let state = Mutex(State())

  /// Makes a sink that keeps the last `limit` frames.
  public init(limit: Int = .max) {
    trap(unless: limit > 0, "a sink that keeps \(limit) frames collects nothing; pass a limit above 0")
    self.limit = limit
  }

  /// The frames, in the order of presentation.
  public var frames: [PresentedFrame] { state.withLock { $0.frames } }

  /// The lost frames.
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

/// Delivers the frames of one view to its sink, one by one, in the order in which their command buffers ran.
final class FrameDelivery: Sendable {
  private struct State {
    var presented = 0
    var lost = 0
    var nextIndex = 0
    var firstError: SafelightError?
  }

  let sink: any FrameSink
  /// The frames committed, and neither consumed nor lost.
  let pending = DispatchGroup()
  private let queue: DispatchQueue
  private let state = Mutex(State())
  /// Marks the queue, to detect waits on it.
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  init(sink: any FrameSink, label: String) {
    self.sink = sink
    queue = DispatchQueue(label: "safelight.frames.\(label)")
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  var counts: (presented: Int, lost: Int) { state.withLock { ($0.presented, $0.lost) } }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

  /// Counts a drawable whose command buffer was committed.
  func expect() { pending.enter() }

  /// Delivers a drawable whose command buffer has ended, with `failure` if it failed. Returns at once.
  func deliver(_ drawable: Drawable, failure: SafelightError?) {
    queue.async { [self] in
      let index = state.withLock { state in
        defer { state.nextIndex += 1 }
        return state.nextIndex
      }
      let error = failure ?? consume(drawable, index: index)
      if let error {
        sink.lose(
          LostFrame(
            drawableID: drawable.drawableID, index: index, presentationTime: drawable.presentationTime, error: error))
      }
      drawable.finish(isPresented: error == nil)
      end(error)
    }
  }

  /// Calls the sink; returns its error. The frame is released when this returns, so that only the drawable refers to
  /// its memory, unless the sink kept it.
  private func consume(_ drawable: Drawable, index: Int) -> SafelightError? {
    do {
      let frame = PresentedFrame(
        drawableID: drawable.drawableID, index: index, size: drawable.texture.size,
        pixelFormat: drawable.texture.pixelFormat, bytes: try drawable.contents(),
        presentationTime: drawable.presentationTime)
      try sink.consume(frame)
      return nil
    } catch let error as SafelightError {
      return error
    } catch {
      return SafelightError(.output, "frame \(index + 1)", why: "the sink failed: \(error)", remedy: "correct the sink")
    }
  }

  private func end(_ error: SafelightError?) {
    state.withLock { state in
      state.presented += error == nil ? 1 : 0
      state.lost += error == nil ? 0 : 1
      state.firstError = state.firstError ?? error
    }
    pending.leave()
  }

  /// Keeps an error without a frame for the next wait.
  func note(_ error: SafelightError) { state.withLock { $0.firstError = $0.firstError ?? error } }

  /// Returns the first error since the last call.
  func takeError() -> SafelightError? { state.withLock { $0.firstError.take() } }
}
