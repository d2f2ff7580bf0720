internal import Dispatch
public import SafelightImage
internal import Synchronization

extension FrameView {
  /// Has the delegate draw once, and returns when it has; a second thread that draws meanwhile comes after it.
  ///
  /// The view lets go of ``currentDrawable`` afterwards. Without a delegate nothing is drawn.
  public func draw() {
    trap(
      unless: DispatchQueue.getSpecific(key: Self.drawingKey) != ObjectIdentifier(self),
      "draw() of '\(label)' was called while it draws; call setNeedsDisplay() to have another picture drawn after this")
    drawing.sync { drawOnce() }
  }

  /// Has a picture drawn soon, on the view's own thread, however often it is called before that.
  ///
  /// Does nothing unless ``enableSetNeedsDisplay`` is true and ``isPaused`` too, as in MetalKit.
  public func setNeedsDisplay() {
    let isFirst = state.withLock { state -> Bool in
      guard state.enableSetNeedsDisplay, state.isPaused, !state.needsDisplay else { return false }
      state.needsDisplay = true
      return true
    }
    guard isFirst else { return }
    drawing.async { [weak self] in
      guard let self else { return }
      // Before the draw: what changes during it needs another.
      state.withLock { $0.needsDisplay = false }
      drawOnce()
    }
  }

  /// Whether ``setNeedsDisplay()`` draws; false unless set.
  public var enableSetNeedsDisplay: Bool {
    get { state.withLock { $0.enableSetNeedsDisplay } }
    set { state.withLock { $0.enableSetNeedsDisplay = newValue } }
  }

  /// Whether the view draws when told to only; true unless set. Where false it draws by a clock, on its own thread.
  public var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      let clock = state.withLock { state -> Int? in
        guard state.isPaused != newValue else { return nil }
        state.isPaused = newValue
        state.clock += 1
        return newValue ? nil : state.clock
      }
      if let clock { tick(clock, due: .now()) }
    }
  }

  /// Draws a second at most while ``isPaused`` is false; a draw that takes longer delays the next. 60 unless set.
  public var preferredFramesPerSecond: Int {
    get { state.withLock { $0.preferredFramesPerSecond } }
    set {
      trap(unless: newValue > 0, "a view draws 1 frame a second or more, not \(newValue); set isPaused to stop it")
      state.withLock { $0.preferredFramesPerSecond = newValue }
    }
  }

  /// Draws when `due` is there, and again after that, until the clock is stopped.
  private func tick(_ clock: Int, due: DispatchTime) {
    drawing.asyncAfter(deadline: due) { [weak self] in
      guard let self, isRunning(clock) else { return }
      drawOnce()
      let interval = 1 / Double(preferredFramesPerSecond)
      tick(clock, due: max(due + interval, .now()))
    }
  }

  private func isRunning(_ clock: Int) -> Bool { state.withLock { $0.clock == clock && !$0.isPaused } }

  private func drawOnce() {
    delegate?.draw(in: self)
    letGoOfCurrent()
  }
}

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
      unless: !delivery.isCurrent && !device.thread.contextThread.isCurrent,
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
