internal import Dispatch
internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// A list of commands, recorded on any thread and handed to the device in one step by ``commit()``; Metal's
/// `MTLCommandBuffer`.
public final class CommandBuffer: Sendable {
  /// How far a command buffer is; Metal's values.
  public enum Status: Int, Comparable, Sendable {
    /// Being recorded.
    case notEnqueued
    /// Has its place in the queue.
    case enqueued
    /// Recorded to the end.
    case committed
    /// Handed to the device.
    case scheduled
    /// Done.
    case completed
    /// Failed; see ``CommandBuffer/error``.
    case error

    /// In the order of the cases.
    public static func < (a: Status, b: Status) -> Bool { a.rawValue < b.rawValue }
  }

  private struct State {
    var status = Status.notEnqueued
    var recording: Recording
    var hasOpenEncoder = false
    var readbacks: [Readback] = []
    /// Drawables to be shown at the end.
    var presentations: [Drawable] = []
    var handlers: [@Sendable (CommandBuffer) -> Void] = []
    /// Those who wait until every handler was called.
    var waiters: [@Sendable () -> Void] = []
    /// True once every handler was called.
    var isOver = false
    var error: SafelightError?
    var seconds: Double = 0
  }

  /// A name for messages and debuggers.
  public let label: String
  /// The queue it belongs to.
  public let queue: CommandQueue

  private let state: Mutex<State>

  init(queue: CommandQueue, label: String) {
    self.queue = queue
    self.label = label
    state = Mutex(State(recording: Recording(label: label)))
  }

  /// The device that will run it.
  public var device: Device { queue.device }

  /// How far it is.
  public var status: Status { state.withLock { $0.status } }

  /// Why it failed; nil unless ``status`` is `error`.
  public var error: SafelightError? { state.withLock { $0.error } }

  /// Seconds the device spent on it, from the first command to the last, by the wall clock; 0 before completion.
  public var seconds: Double { state.withLock { $0.seconds } }

  /// What was recorded so far; it can be replayed on another device.
  public var recording: Recording { state.withLock { $0.recording } }

  // MARK: Encoders

  /// Begins a list of compute commands; end it before the next encoder begins.
  public func makeComputeCommandEncoder(label: String = "compute") -> ComputeCommandEncoder {
    beginEncoder(label)
    return ComputeCommandEncoder(CommandRecorder(buffer: self, label: label))
  }

  /// Begins a render pass; end it before the next encoder begins.
  public func makeRenderCommandEncoder(_ pass: RenderPassDescriptor, label: String = "render") -> RenderCommandEncoder {
    beginEncoder(label)
    return RenderCommandEncoder(CommandRecorder(buffer: self, label: label), pass: pass)
  }

  /// Begins a list of copies; end it before the next encoder begins.
  public func makeBlitCommandEncoder(label: String = "blit") -> BlitCommandEncoder {
    beginEncoder(label)
    return BlitCommandEncoder(CommandRecorder(buffer: self, label: label))
  }

  /// Opens a named group around the encoders that follow.
  public func pushDebugGroup(_ name: String) { append(.pushDebugGroup(name), label: name) }

  /// Closes the innermost group.
  public func popDebugGroup() { append(.popDebugGroup, label: label) }

  private func beginEncoder(_ name: String) {
    state.withLock { state in
      precondition(
        state.status < .committed,
        "encoder '\(name)' was made after command buffer '\(label)' was committed; make a new command buffer")
      precondition(
        !state.hasOpenEncoder,
        "encoder '\(name)' was made while another of '\(label)' is open; call endEncoding() on that one first")
      state.hasOpenEncoder = true
    }
  }

  func append(_ command: Command, label name: String) {
    state.withLock { state in
      precondition(
        state.status < .committed,
        "'\(name)' recorded a command after command buffer '\(label)' was committed; make a new command buffer")
      state.recording.commands.append(Recording.Entry(label: name, command: command))
      switch command {
      case .readTexture(let read): state.readbacks.append(read.readback)
      case .readBuffer(_, range: _, let readback): state.readbacks.append(readback)
      default: break
      }
    }
  }

  /// Has `drawable` shown once the buffer is done; its readback is recorded at the commit, after all else.
  func schedulePresentation(_ drawable: Drawable) {
    state.withLock { state in
      precondition(
        state.status < .committed,
        "drawable \(drawable.drawableID) was presented after command buffer '\(label)' was committed; present it before"
      )
      state.presentations.append(drawable)
    }
  }

  private func takePresentations() -> [Drawable] {
    state.withLock { state in
      defer { state.presentations = [] }
      return state.presentations
    }
  }

  func endEncoder() { state.withLock { $0.hasOpenEncoder = false } }

  // MARK: Commit and completion

  /// Takes the next place in the queue, before being committed.
  public func enqueue() {
    let isNew = state.withLock { state -> Bool in
      guard state.status == .notEnqueued else { return false }
      state.status = .enqueued
      return true
    }
    guard isNew else { return }
    queue.enqueue(self)
    // Another thread may have committed it between the two steps, and found it without a place.
    queue.advance()
  }

  /// Hands the list to the device once all buffers enqueued before it were; call once.
  public func commit() {
    enqueue()
    for drawable in takePresentations() { drawable.commit(in: self) }
    state.withLock { state in
      precondition(
        state.status < .committed, "command buffer '\(label)' was committed twice; make a new one for each commit")
      precondition(
        !state.hasOpenEncoder, "command buffer '\(label)' was committed with an open encoder; call endEncoding() first")
      state.status = .committed
    }
    queue.advance()
  }

  /// Calls `handler` once the buffer completed or failed, on the device's thread; at once if it has already.
  ///
  /// Handlers hold the device up: hand longer work to another thread.
  public func addCompletedHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    let isOver = state.withLock { state -> Bool in
      if state.isOver { return true }
      state.handlers.append(handler)
      return false
    }
    if isOver { handler(self) }
  }

  /// Blocks until the buffer completed and its handlers were called; throws its error.
  public func waitUntilCompleted() throws(SafelightError) {
    requireCommitted("waitUntilCompleted()")
    precondition(
      state.withLock { $0.isOver } || !device.executor.thread.isCurrent,
      "waitUntilCompleted() was called on the device's own thread, as in a completion handler, where it would wait for ever"
    )
    let done = DispatchSemaphore(value: 0)
    whenOver { done.signal() }
    done.wait()
    if let error { throw error }
  }

  /// Returns once the buffer completed and its handlers were called; throws its error.
  public func completed() async throws(SafelightError) {
    requireCommitted("completed()")
    await withCheckedContinuation { continuation in
      whenOver { continuation.resume() }
    }
    if let error { throw error }
  }

  private func requireCommitted(_ call: String) {
    precondition(
      status >= .committed,
      "\(call) waits for command buffer '\(label)', which was never committed; call commit() first")
  }

  /// True when it may be handed to the device.
  var isReady: Bool { status == .committed }

  /// Hands it to the device, or returns why the device refused it; called by the queue, in order.
  func submit() -> SafelightError? {
    let recording = state.withLock { state -> Recording in
      state.status = .scheduled
      return state.recording
    }
    return device.executor.replay(recording) { self.complete($0) }
  }

  func complete(_ outcome: Result<ReplayResult, SafelightError>) {
    state.withLock { state in
      switch outcome {
      case .success(let result):
        for readback in state.readbacks {
          if let contents = result.contents(of: readback) { readback.fill(contents) }
        }
        state.seconds = result.seconds
        state.status = .completed
      case .failure(let error):
        state.error = error
        state.status = .error
      }
    }
    // Handlers may add others.
    while let handler = nextHandler() { handler(self) }
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// The handler whose turn it is; nil when all were called.
  private func nextHandler() -> (@Sendable (CommandBuffer) -> Void)? {
    state.withLock { state in
      guard !state.handlers.isEmpty else {
        state.isOver = true
        return nil
      }
      return state.handlers.removeFirst()
    }
  }

  /// Calls `body` once every handler was called; at once if they have been.
  private func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state -> Bool in
      if !state.isOver { state.waiters.append(body) }
      return state.isOver
    }
    if isOver { body() }
  }
}
