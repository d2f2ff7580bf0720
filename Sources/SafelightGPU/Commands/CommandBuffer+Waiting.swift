internal import Dispatch
public import SafelightImage
internal import Synchronization

/// Synchronizes queues with each other and with the CPU.
extension CommandBuffer {
  /// Raises `event` to `value` once everything recorded before is done.
  public func encodeSignalEvent(_ event: Event, value: UInt64, fileID: StaticString = #fileID, line: Int = #line) {
    check(event)
    appendBetweenEncoders(.signalEvent(event, value: value), Recording.CallSite(fileID, line))
  }

  /// Raises `event` to `value` once everything recorded before is done (`glFenceSync`, `glClientWaitSync`).
  public func encodeSignalEvent(
    _ event: SharedEvent, value: UInt64, fileID: StaticString = #fileID, line: Int = #line
  ) {
    appendBetweenEncoders(.signalEvent(event.event, value: value), Recording.CallSite(fileID, line))
  }

  /// Holds back the commands recorded after it, and the queue, until `event` reaches `value`; other queues continue.
  ///
  /// The buffer fails if that takes longer than `timeout`.
  public func encodeWaitForEvent(
    _ event: Event, value: UInt64, timeout: Duration = .seconds(30), fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(event)
    appendBetweenEncoders(
      .waitForEvent(event, value: value, seconds: timeout.inSeconds), Recording.CallSite(fileID, line))
  }

  /// Holds back the commands recorded after it, and the queue, until `event` reaches `value`; other queues continue.
  ///
  /// The buffer fails if that takes longer than `timeout`.
  public func encodeWaitForEvent(
    _ event: SharedEvent, value: UInt64, timeout: Duration = .seconds(30), fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    appendBetweenEncoders(
      .waitForEvent(event.event, value: value, seconds: timeout.inSeconds), Recording.CallSite(fileID, line))
  }

  private func check(_ event: Event) {
    trap(
      unless: event.home === device.thread,
      "event '\(event.label)' of another device was used on '\(label)'; use a SharedEvent between devices")
  }

  private func appendBetweenEncoders(_ command: Command, _ callSite: Recording.CallSite) {
    trap(
      unless: !state.withLock { $0.hasOpenEncoder },
      "command buffer '\(label)' recorded an event while an encoder is open; call endEncoding() first")
    append(command, callSite)
  }
}

/// Debug groups (KHR_debug) around the encoders of a buffer.
extension CommandBuffer {
  /// Opens a named group around the encoders that follow (`glPushDebugGroup`).
  public func pushDebugGroup(_ name: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.pushDebugGroup(name), Recording.CallSite(fileID, line))
    state.withLock { $0.openGroups += 1 }
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  public func popDebugGroup(fileID: StaticString = #fileID, line: Int = #line) {
    state.withLock { state in
      trap(
        unless: state.openGroups > 0,
        "popDebugGroup() was called on command buffer '\(label)', which has no open group; call pushDebugGroup(_:) "
          + "first")
      state.openGroups -= 1
    }
    append(.popDebugGroup, Recording.CallSite(fileID, line))
  }

  /// Inserts a text for debuggers between the encoders (`glDebugMessageInsert`).
  public func insertDebugSignpost(_ text: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.insertDebugSignpost(text), Recording.CallSite(fileID, line))
  }

  func append(_ command: Command, _ callSite: Recording.CallSite) {
    append(Recording.Entry(label: label, command: command, callSite: callSite))
  }
}

/// The times of the work, in seconds of the host's monotonic clock (`CLOCK_MONOTONIC`); 0 before completion and after a
/// failure.
extension CommandBuffer {
  /// The time when the device's thread began to hand the commands to the driver; Metal's `kernelStartTime`.
  public var kernelStartTime: Double { times.kernelStart }

  /// The time when the driver had all of them; Metal's `kernelEndTime`.
  public var kernelEndTime: Double { times.kernelEnd }

  /// The time when the GPU began, by ``gpuTimeSource``; Metal's `gpuStartTime`.
  public var gpuStartTime: Double { times.gpuStart }

  /// The time when the GPU was done; Metal's `gpuEndTime`.
  public var gpuEndTime: Double { times.gpuEnd }

  /// The clock of ``gpuStartTime`` and ``gpuEndTime``; `wallClock` if the GPU has none or it was disturbed.
  public var gpuTimeSource: GPUTimeSource { times.source }

  /// Seconds from the device's first command to its last, by the wall clock; 0 before completion.
  public var seconds: Double { state.withLock { $0.result.seconds } }

  /// Seconds of CPU time that the device's thread spent between ``kernelStartTime`` and ``kernelEndTime``.
  var kernelCPUTime: Double { times.kernelCPU }

  private var times: ReplayTimes { state.withLock { $0.result.times } }
}

extension CommandBuffer {
  /// Calls `handler` on the device's thread once the driver has every command; immediately if it has them.
  ///
  /// Scheduled handlers precede completed handlers, even if the buffer fails before the driver has everything. Handlers
  /// block the device: hand longer work to another thread.
  public func addScheduledHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    scheduledMilestone.add(handler, of: self)
  }

  /// Calls `handler` on the device's thread once the buffer completed or failed; immediately if it has.
  ///
  /// Handlers block the device: hand longer work to another thread.
  public func addCompletedHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    completedMilestone.add(handler, of: self)
  }

  /// Blocks until the driver has every command, or the buffer failed, and its scheduled handlers returned.
  public func waitUntilScheduled() { block("waitUntilScheduled()", scheduledMilestone) }

  /// Suspends until the driver has every command, or the buffer failed, and its scheduled handlers returned.
  public func scheduled() async { await pass("scheduled()", scheduledMilestone) }

  /// Blocks until the buffer completed and its handlers returned; throws its error.
  public func waitUntilCompleted() throws(SafelightError) {
    block("waitUntilCompleted()", completedMilestone)
    if let error { throw error }
  }

  /// Suspends until the buffer completed and its handlers returned; throws its error.
  public func completed() async throws(SafelightError) {
    await pass("completed()", completedMilestone)
    if let error { throw error }
  }

  private func block(_ call: String, _ milestone: Milestone<CommandBuffer>) {
    requireCommitted(call)
    trap(
      unless: milestone.isPassed || !device.thread.contextThread.isCurrent,
      "\(call) was called on the device's own thread, as in a handler, where it would wait forever; add a completion "
        + "handler to the buffer instead")
    let done = DispatchSemaphore(value: 0)
    milestone.wait { done.signal() }
    done.wait()
  }

  private func pass(_ call: String, _ milestone: Milestone<CommandBuffer>) async {
    requireCommitted(call)
    await withCheckedContinuation { continuation in
      milestone.wait { continuation.resume() }
    }
  }

  private func requireCommitted(_ call: String) {
    trap(
      unless: status >= .committed,
      "\(call) waits for command buffer '\(label)', which was never committed; call commit() first")
  }
}
