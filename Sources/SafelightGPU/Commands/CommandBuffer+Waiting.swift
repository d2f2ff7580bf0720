internal import Dispatch
public import SafelightImage

/// Who is told how far a command buffer is.
extension CommandBuffer {
  /// Calls `handler` once every command was handed to the driver, on the device's thread; at once if they have been.
  ///
  /// It comes before every handler of completion, also for a buffer that fails before all was handed over. Handlers hold the device up:
  /// hand longer work to another thread.
  public func addScheduledHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    scheduledMilestone.add(handler, of: self)
  }

  /// Calls `handler` once the buffer completed or failed, on the device's thread; at once if it has already.
  ///
  /// Handlers hold the device up: hand longer work to another thread.
  public func addCompletedHandler(_ handler: @escaping @Sendable (CommandBuffer) -> Void) {
    completedMilestone.add(handler, of: self)
  }

  /// Blocks until every command was handed to the driver, or the buffer failed, and its scheduled handlers were called.
  public func waitUntilScheduled() { block("waitUntilScheduled()", scheduledMilestone) }

  /// Returns once every command was handed to the driver, or the buffer failed, and its scheduled handlers were called.
  public func scheduled() async { await pass("scheduled()", scheduledMilestone) }

  /// Blocks until the buffer completed and its handlers were called; throws its error.
  public func waitUntilCompleted() throws(SafelightError) {
    block("waitUntilCompleted()", completedMilestone)
    if let error { throw error }
  }

  /// Returns once the buffer completed and its handlers were called; throws its error.
  public func completed() async throws(SafelightError) {
    await pass("completed()", completedMilestone)
    if let error { throw error }
  }

  private func block(_ call: String, _ milestone: Milestone) {
    requireCommitted(call)
    trap(
      unless: milestone.isPassed || !device.executor.thread.isCurrent,
      "\(call) was called on the device's own thread, as in a handler, where it would wait for ever; use a handler of the buffer itself"
    )
    let done = DispatchSemaphore(value: 0)
    milestone.wait { done.signal() }
    done.wait()
  }

  private func pass(_ call: String, _ milestone: Milestone) async {
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
