public import SafelightImage
internal import Synchronization

/// A list of commands, recorded on any thread and handed to the device in one step by ``commit()``; Metal's
/// `MTLCommandBuffer`.
///
/// It keeps the resources of its commands alive, as Metal's does with retained references.
public final class CommandBuffer: Sendable {
  /// The progress of a command buffer; Metal's values.
  public enum Status: Int, Comparable, Sendable {
    /// Being recorded.
    case notEnqueued
    /// Has a place in the queue.
    case enqueued
    /// Recorded completely.
    case committed
    /// The driver has every command.
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
    var presentations: [Drawable] = []
    var error: SafelightError?
    /// The index of the command that failed; nil if no single command did.
    var failedCommand: Int?
    var result = ReplayResult()
  }

  /// A name for messages and debuggers.
  public let label: String
  /// The queue that made it.
  public let queue: CommandQueue

  let state: Mutex<State>
  let scheduledMilestone = Milestone<CommandBuffer>()
  let completedMilestone = Milestone<CommandBuffer>()

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

  /// Its progress.
  public var status: Status { state.withLock { $0.status } }

  /// The error, with the encoder and the line of source that recorded the failed command; nil unless ``status`` is
  /// `error`.
  public var error: SafelightError? { state.withLock { $0.error } }

  /// The commands recorded so far, which any device can replay.
  public var recording: Recording { state.withLock { $0.recording } }

  // MARK: Encoders

  /// Begins a list of compute commands; end it before the next encoder begins.
  public func makeComputeCommandEncoder(
    label: String = "compute", fileID: StaticString = #fileID, line: Int = #line
  ) -> ComputeCommandEncoder {
    ComputeCommandEncoder(self, label, Recording.CallSite(fileID, line))
  }

  /// Begins a render pass; end it before the next encoder begins.
  public func makeRenderCommandEncoder(
    _ pass: RenderPassDescriptor, label: String = "render", fileID: StaticString = #fileID, line: Int = #line
  ) -> RenderCommandEncoder {
    RenderCommandEncoder(self, label, Recording.CallSite(fileID, line), pass: pass)
  }

  /// Begins a list of copies; end it before the next encoder begins.
  public func makeBlitCommandEncoder(
    label: String = "blit", fileID: StaticString = #fileID, line: Int = #line
  ) -> BlitCommandEncoder {
    BlitCommandEncoder(self, label, Recording.CallSite(fileID, line))
  }

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
    if let fault = entry.command.fault { trap(fault) }
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "'\(entry.label)' recorded a command after command buffer '\(label)' was committed; make a new command buffer")
      if device.hasLinearTextures.load(ordering: .relaxed) {
        state.recording.commands += state.linear.surround(entry)
      } else {
        state.recording.commands.append(entry)
      }
    }
  }

  /// Shows `drawable` once the buffer is done; the commit records its readback, after everything else.
  func schedulePresentation(_ drawable: Drawable) {
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "drawable \(drawable.drawableID) was presented after command buffer '\(label)' was committed; present it "
          + "before commit()")
      state.presentations.append(drawable)
    }
  }

  func endEncoder() { state.withLock { $0.hasOpenEncoder = false } }

  // MARK: Commit

  /// Takes the next place in the queue before the commit.
  public func enqueue() {
    if advance(from: .notEnqueued, to: .enqueued) { queue.enqueue(self) }
  }

  /// Hands the commands to the device, once those of all buffers enqueued earlier were handed over; call once.
  public func commit() {
    enqueue()
    let presentations = state.withLock { exchange(&$0.presentations, with: []) }
    for drawable in presentations { drawable.commit(in: self) }
    state.withLock { state in
      trap(
        unless: state.status < .committed,
        "command buffer '\(label)' was committed twice; make a new one for each commit")
      trap(
        unless: !state.hasOpenEncoder,
        "command buffer '\(label)' was committed with an open encoder; call endEncoding() first")
      trap(
        unless: state.openGroups == 0,
        "command buffer '\(label)' was committed with \(state.openGroups) open debug groups; call popDebugGroup() for "
          + "each")
      state.status = .committed
    }
    queue.commit(self)
  }

  /// Hands it to the device, or returns why that is impossible; called by the queue, in order.
  func submit() -> ReplayFailure? {
    let recording = recording
    if let failure = recording.foreignResource(to: device.thread) { return failure }
    let submission = Submission(
      recording: recording, timeline: queue.timeline, scheduled: schedule, completed: complete)
    do throws(SafelightError) {
      let refusal =
        if let sink = device.captureManager.sink(for: self) {
          try CaptureSession(submission, info: device.info, sink: sink).submit(to: device.thread)
        } else {
          device.thread.submit(submission)
        }
      return refusal.map { ReplayFailure(error: $0) }
    } catch {
      return ReplayFailure(error: error.during("capture"))
    }
  }

  /// Notes that the driver has every command; called on the device's thread, a second time after a lost context.
  private func schedule() {
    if advance(from: .committed, to: .scheduled) { scheduledMilestone.pass(self) }
  }

  /// Sets its status if it was `old`; returns whether it was.
  private func advance(from old: Status, to new: Status) -> Bool {
    state.withLock { state in
      guard state.status == old else { return false }
      state.status = new
      return true
    }
  }

  /// Notes the outcome: frees its place in the queue, then calls its handlers and resumes the waiting threads.
  func complete(_ outcome: Result<ReplayResult, ReplayFailure>) {
    let wasScheduled = status == .scheduled
    state.withLock { state in
      switch outcome {
      case .success(let result):
        for (readback, bytes) in result.readbacks.values { readback.fill(bytes) }
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
