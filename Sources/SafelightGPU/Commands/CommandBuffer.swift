public import SafelightImage
internal import Synchronization

/// A list of commands, recorded on any thread and handed to the device in one step by ``commit()``; Metal's
/// `MTLCommandBuffer`.
///
/// It keeps every resource of its commands alive, as Metal's does with retained references.
public final class CommandBuffer: Sendable {
  /// How far a command buffer is; Metal's values.
  public enum Status: Int, Comparable, Sendable {
    /// Being recorded.
    case notEnqueued
    /// Has its place in the queue.
    case enqueued
    /// Recorded to the end.
    case committed
    /// Every command was handed to the driver, which works on them.
    case scheduled
    /// Done.
    case completed
    /// Failed; see ``CommandBuffer/error``.
    case error

    /// In the order of the cases.
    public static func < (a: Status, b: Status) -> Bool { a.rawValue < b.rawValue }
  }

  struct State {
    var status = Status.notEnqueued
    var recording: Recording
    var linear = LinearTextures()
    var hasOpenEncoder = false
    /// Debug groups around the encoders.
    var openGroups = 0
    var readbacks: [Readback] = []
    /// Drawables to be shown at the end.
    var presentations: [Drawable] = []
    /// What it keeps alive besides its commands' resources.
    var residencySets: [ResidencySet] = []
    var error: SafelightError?
    /// The command that failed, and whether one can be blamed at all.
    var failedCommand: Int?
    var result = ReplayResult()
  }

  /// A name for messages and debuggers.
  public let label: String
  /// The queue it belongs to.
  public let queue: CommandQueue

  let state: Mutex<State>
  let scheduledMilestone = Milestone()
  let completedMilestone = Milestone()

  init(queue: CommandQueue, label: String) {
    self.queue = queue
    self.label = label
    state = Mutex(State(recording: Recording(label: label)))
  }

  deinit {
    let status = state.withLock { $0.status }
    guard status < .committed else { return }
    if status == .enqueued { queue.withdraw(ObjectIdentifier(self)) }
    queue.leave()
  }

  /// The device that will run it.
  public var device: Device { queue.device }

  /// How far it is.
  public var status: Status { state.withLock { $0.status } }

  /// Why it failed, with the encoder and the place in the source that recorded the command; nil unless ``status`` is `error`.
  public var error: SafelightError? { state.withLock { $0.error } }

  /// What was recorded so far; it can be replayed on another device.
  public var recording: Recording { state.withLock { $0.recording } }

  // MARK: Encoders

  /// Begins a list of compute commands; end it before the next encoder begins.
  public func makeComputeCommandEncoder(
    label: String = "compute", fileID: StaticString = #fileID, line: Int = #line
  ) -> ComputeCommandEncoder {
    ComputeCommandEncoder(self, label, Recording.Place(fileID, line))
  }

  /// Begins a render pass; end it before the next encoder begins.
  public func makeRenderCommandEncoder(
    _ pass: RenderPassDescriptor, label: String = "render", fileID: StaticString = #fileID, line: Int = #line
  ) -> RenderCommandEncoder {
    RenderCommandEncoder(self, label, Recording.Place(fileID, line), pass: pass)
  }

  /// Begins a list of copies; end it before the next encoder begins.
  public func makeBlitCommandEncoder(
    label: String = "blit", fileID: StaticString = #fileID, line: Int = #line
  ) -> BlitCommandEncoder {
    BlitCommandEncoder(self, label, Recording.Place(fileID, line))
  }

  /// Notes a new encoder; returns its number.
  func beginEncoder(_ name: String) -> Int {
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "encoder '\(name)' was made after command buffer '\(label)' was committed; make a new command buffer")
      trap(
        unless: !state.hasOpenEncoder,
        "encoder '\(name)' was made while another of '\(label)' is open; call endEncoding() on that one first")
      state.hasOpenEncoder = true
      state.recording.encoders.append(name)
      return state.recording.encoders.count - 1
    }
  }

  func append(_ entry: Recording.Entry) {
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "'\(entry.label)' recorded a command after command buffer '\(label)' was committed; make a new command buffer")
      if device.hasLinearTextures.load(ordering: .relaxed) {
        state.recording.commands += state.linear.surround(entry.command).map(entry.with)
      } else {
        state.recording.commands.append(entry)
      }
      switch entry.command {
      case .readTexture(let read): state.readbacks.append(read.readback)
      case .readBuffer(_, range: _, let readback): state.readbacks.append(readback)
      default: break
      }
    }
  }

  /// Has `drawable` shown once the buffer is done; its readback is recorded at the commit, after all else.
  func schedulePresentation(_ drawable: Drawable) {
    state.withLock { state in
      trap(
        unless: state.status < .committed,
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

  // MARK: Commit

  /// Takes the next place in the queue, before being committed.
  public func enqueue() {
    let isNew = state.withLock { state -> Bool in
      guard state.status == .notEnqueued else { return false }
      state.status = .enqueued
      return true
    }
    if isNew { queue.enqueue(self) }
  }

  /// Hands the list to the device once all buffers enqueued before it were; call once.
  public func commit() {
    enqueue()
    for drawable in takePresentations() { drawable.commit(in: self) }
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "command buffer '\(label)' was committed twice; make a new one for each commit")
      trap(
        unless: !state.hasOpenEncoder,
        "command buffer '\(label)' was committed with an open encoder; call endEncoding() first")
      trap(
        unless: state.openGroups == 0,
        "command buffer '\(label)' was committed with \(state.openGroups) open debug groups; call popDebugGroup() for each"
      )
      state.status = .committed
    }
    queue.commit(self)
  }

  /// True when it may be handed to the device.
  var isReady: Bool { status == .committed }

  /// Hands it to the device, or returns why that is not possible; called by the queue, in order.
  func submit() -> ReplayFailure? {
    let recording = recording
    if let failure = recording.foreignResource(to: device.thread) { return failure }
    return hand(recording).map { ReplayFailure(error: $0) }
  }

  private func hand(_ recording: Recording) -> SafelightError? {
    let submission = Submission(recording: recording, lane: queue.lane, scheduled: schedule, completed: complete)
    guard let sink = device.captureManager.sink(for: self) else { return device.thread.submit(submission) }
    do throws(SafelightError) {
      return try CaptureSession(submission, info: device.info, sink: sink).submit(to: device.thread)
    } catch {
      return error.during("capture")
    }
  }

  /// Every command was handed over; called on the device's thread, a second time after a lost context.
  private func schedule() {
    let isFirst = state.withLock { state -> Bool in
      guard state.status == .committed else { return false }
      state.status = .scheduled
      return true
    }
    if isFirst { scheduledMilestone.pass(self) }
  }

  /// It is over: frees its place in the queue, then tells its handlers and whoever waits.
  func complete(_ outcome: Result<ReplayResult, ReplayFailure>) {
    let wasScheduled = status == .scheduled
    state.withLock { state in
      switch outcome {
      case .success(let result):
        for readback in state.readbacks {
          if let contents = result.contents(of: readback) { readback.fill(contents) }
        }
        state.result.seconds = result.seconds
        state.result.times = result.times
        state.status = .completed
      case .failure(let failure):
        state.error = state.recording.locate(failure.error, at: failure.command)
        state.failedCommand = failure.command
        state.status = .error
      }
    }
    queue.leave()
    if !wasScheduled { scheduledMilestone.pass(self) }
    completedMilestone.pass(self)
  }
}
