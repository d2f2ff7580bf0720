internal import Dispatch
public import SafelightImage
internal import Synchronization

extension FrameView {
  /// The drawable to draw into: the same until it is presented, the draw ends or the view changes, then the next.
  ///
  /// Nil where all are out, because the device or the sink is busy: draw nothing then, as in MetalKit, or wait with
  /// ``nextDrawable(timeout:)``. Nil also where the device cannot make one; ``waitUntilPresented()`` throws why.
  public var currentDrawable: Drawable? {
    state.withLock { state in
      if let current = state.current, current.isFree { return current }
      state.current = nil
      do throws(SafelightError) {
        state.current = try ring.take().map { Drawable($0, ring: ring, delivery: delivery) }
      } catch {
        delivery.note(error)
      }
      return state.current
    }
  }

  /// A render pass that fills the ``currentDrawable`` with ``clearColor``; nil where there is none.
  public var currentRenderPassDescriptor: RenderPassDescriptor? {
    let color = clearColor
    return currentDrawable.map { drawable in
      RenderPassDescriptor(
        texture: drawable.texture,
        loadAction: .clear(Float(color.red), Float(color.green), Float(color.blue), Float(color.alpha)))
    }
  }

  /// Blocks until a drawable is back, for at most `timeout`, and returns nil where none came; `CAMetalLayer`'s
  /// `nextDrawable()`, with its one second.
  ///
  /// Not the ``currentDrawable``: each call returns another. Those who wait are served in turn. Throws where the device
  /// cannot make one.
  public func nextDrawable(timeout: Duration = .seconds(1)) throws(SafelightError) -> Drawable? {
    trap(
      unless: !delivery.isCurrent && !device.executor.thread.isCurrent,
      "nextDrawable() was called by the sink or in a completion handler of '\(label)', which keeps drawables from coming back; wait on another thread"
    )
    let wait = DrawableWait()
    let number = ring.wait { wait.end($0) }
    if !wait.isOver(within: timeout) { ring.giveUp(number) }
    return try wait.outcome().get().map { Drawable($0, ring: ring, delivery: delivery) }
  }

  /// Returns the next drawable as soon as one is back. Throws where the device cannot make one, and a
  /// `CancellationError` where the task is cancelled before.
  public func nextDrawable() async throws -> Drawable {
    let number = Mutex<Int?>(nil)
    let turn = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiting = ring.wait { outcome in
          continuation.resume(with: outcome.mapError { $0 as any Error })
        }
        number.withLock { $0 = waiting }
        if Task.isCancelled { ring.giveUp(waiting) }
      }
    } onCancel: {
      if let waiting = number.withLock({ $0 }) { ring.giveUp(waiting) }
    }
    guard let turn else { throw CancellationError() }
    return Drawable(turn, ring: ring, delivery: delivery)
  }

  /// Ends the time of the current drawable; one that was not presented goes back to the ring.
  func letGoOfCurrent() {
    let released = state.withLock { state in
      defer { state.current = nil }
      return state.current
    }
    // Let go of outside the lock: its end may wake others.
    _ = consume released
  }
}

/// Where a thread waits for its turn.
private final class DrawableWait: Sendable {
  private let result = Mutex<DrawableRing.Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func end(_ outcome: DrawableRing.Outcome) {
    result.withLock { $0 = outcome }
    done.signal()
  }

  /// False when nothing came in time; whoever gives up then must still look, as it may have come since.
  func isOver(within timeout: Duration) -> Bool {
    guard done.wait(timeout: .now() + timeout.inSeconds) == .success else { return false }
    done.signal()
    return true
  }

  /// What came; blocks until something did.
  func outcome() -> DrawableRing.Outcome {
    done.wait()
    return result.withLock { $0 } ?? .success(nil)
  }
}
