internal import Dispatch
public import SafelightImage
internal import Synchronization

extension FrameView {
  /// Calls the delegate to draw once, and returns after it has; draws of other threads come before or after.
  ///
  /// The view releases ``currentDrawable`` afterwards. Without a delegate nothing is drawn.
  public func draw() {
    trap(
      unless: DispatchQueue.getSpecific(key: Self.drawingKey) != ObjectIdentifier(self),
      "draw() of '\(label)' was called while it draws; call setNeedsDisplay() to have another picture drawn after this")
    drawing.sync { drawOnce() }
  }

  /// Schedules one draw on the view's own thread; further calls before it begins have no effect.
  ///
  /// Has no effect unless ``enableSetNeedsDisplay`` and ``isPaused`` are both true, as in MetalKit.
  public func setNeedsDisplay() {
    let isFirst = state.withLock { state -> Bool in
      guard state.enableSetNeedsDisplay, state.isPaused, !state.needsDisplay else { return false }
      state.needsDisplay = true
      return true
    }
    guard isFirst else { return }
    drawing.async { [weak self] in
      guard let self else { return }
      // Before the draw, as changes during it need another.
      state.withLock { $0.needsDisplay = false }
      drawOnce()
    }
  }

  /// True if ``setNeedsDisplay()`` draws; by default false.
  public var enableSetNeedsDisplay: Bool {
    get { state.withLock { $0.enableSetNeedsDisplay } }
    set { state.withLock { $0.enableSetNeedsDisplay = newValue } }
  }

  /// True if the view draws only on request, as by default; if false, it draws by a clock, on its own thread.
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

  /// The maximum number of draws a second while ``isPaused`` is false, by default 60. A draw that takes longer delays
  /// the next.
  public var preferredFramesPerSecond: Int {
    get { state.withLock { $0.preferredFramesPerSecond } }
    set {
      trap(unless: newValue > 0, "a view draws 1 frame a second or more, not \(newValue); set isPaused to stop it")
      state.withLock { $0.preferredFramesPerSecond = newValue }
    }
  }

  /// Draws at `due`, and repeatedly after that until the clock is stopped.
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
    releaseCurrentDrawable()
  }
}

extension FrameView {
  /// The drawable to draw into: the same until it is presented, the draw ends or the view changes; afterwards the next.
  ///
  /// Nil if all are in use because the device or the sink is busy: draw nothing then, as in MetalKit, or wait with
  /// ``nextDrawable(timeout:)``. Also nil if the device cannot make one; ``waitUntilPresented()`` throws the reason.
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

  /// A render pass that fills the ``currentDrawable`` with ``clearColor``; nil if there is no drawable.
  public var currentRenderPassDescriptor: RenderPassDescriptor? {
    let color = clearColor
    return currentDrawable.map { drawable in
      RenderPassDescriptor(
        texture: drawable.texture,
        loadAction: .clear(Float(color.red), Float(color.green), Float(color.blue), Float(color.alpha)))
    }
  }

  /// Waits for a drawable for at most `timeout`, and returns nil after that; `CAMetalLayer`'s `nextDrawable()`, with
  /// its one second.
  ///
  /// Each call returns another drawable, and never the ``currentDrawable``. Waiting threads are served in turn. Throws
  /// if the device cannot make a drawable.
  public func nextDrawable(timeout: Duration = .seconds(1)) throws(SafelightError) -> Drawable? {
    trap(
      unless: !delivery.isCurrent && !device.thread.contextThread.isCurrent,
      "nextDrawable() was called by the sink or in a completion handler of '\(label)', which keeps drawables from "
        + "returning; call it on another thread")
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex(DrawableRing.Outcome.success(nil))
    let number = ring.wait { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    if done.wait(timeout: .now() + timeout.inSeconds) == .timedOut {
      // This ends the wait, unless a drawable has come since: the outcome is then that drawable.
      ring.giveUp(number)
      done.wait()
    }
    return try outcome.withLock { $0 }.get().map { Drawable($0, ring: ring, delivery: delivery) }
  }

  /// Returns the next drawable as soon as one is free. Throws if the device cannot make one, or a `CancellationError`
  /// if the task is cancelled before.
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

  /// Releases the current drawable, which returns to the ring if it was not presented.
  func releaseCurrentDrawable() {
    let released = state.withLock { $0.current.take() }
    // Released outside the lock, as its deinit may wake waiters.
    _ = consume released
  }
}
