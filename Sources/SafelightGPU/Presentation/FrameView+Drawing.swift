internal import Dispatch
internal import SafelightImage
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
