internal import Dispatch
internal import Logging
internal import SafelightImage
internal import Synchronization

/// Runs command buffers in the order in which they were enqueued or committed; Metal's `MTLCommandQueue`.
public final class CommandQueue: Sendable {
  /// The device that runs them.
  public let device: Device
  /// A name for messages.
  public let label: String
  /// The number of command buffers that may exist uncompleted.
  public let maxCommandBufferCount: Int

  /// The order of its replays on the device.
  let timeline = Timeline()

  /// Buffers enqueued but not yet handed to the device; uncommitted ones are not kept alive.
  private let places = Mutex<[(owner: ObjectIdentifier, committed: CommandBuffer?)]>([])
  private let turnstile: Turnstile

  init(device: Device, label: String, maxCommandBufferCount: Int) {
    trap(
      unless: maxCommandBufferCount > 0,
      "queue '\(label)' was to have \(maxCommandBufferCount) command buffers; it needs at least one")
    self.device = device
    self.label = label
    self.maxCommandBufferCount = maxCommandBufferCount
    turnstile = Turnstile(places: maxCommandBufferCount)
  }

  // MARK: Making buffers

  /// Makes an empty command buffer, by default named after the calling line of source.
  ///
  /// Blocks while the queue has ``maxCommandBufferCount`` buffers that are neither completed nor released uncommitted,
  /// as in Metal, with a log message after ten seconds. In a task use ``nextCommandBuffer(label:fileID:line:)``.
  public func makeCommandBuffer(label: String? = nil, fileID: String = #fileID, line: Int = #line) -> CommandBuffer {
    let label = label ?? "\(fileID):\(line)"
    if !turnstile.tryToEnter() { waitForRoom(label) }
    return CommandBuffer(queue: self, label: label)
  }

  /// Makes an empty command buffer once there is room; ``makeCommandBuffer(label:fileID:line:)`` without blocking a
  /// thread.
  public func nextCommandBuffer(
    label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async -> CommandBuffer {
    await withCheckedContinuation { continuation in
      turnstile.enter { continuation.resume() }
    }
    return CommandBuffer(queue: self, label: label ?? "\(fileID):\(line)")
  }

  private func waitForRoom(_ label: String) {
    trap(
      unless: !device.thread.contextThread.isCurrent,
      "makeCommandBuffer() of '\(label)' would wait forever: it was called on the device's own thread, as in a "
        + "handler, and queue '\(self.label)' has \(maxCommandBufferCount) uncompleted buffers; raise "
        + "maxCommandBufferCount, or make it on another thread")
    let entered = DispatchSemaphore(value: 0)
    turnstile.enter { entered.signal() }
    if entered.wait(timeout: .now() + 10) == .success { return }
    device.logger.warning(
      """
      makeCommandBuffer() of '\(label)' has waited for 10 s: none of the \(maxCommandBufferCount) command buffers of \
      queue '\(self.label)' has completed; commit or release them, or raise maxCommandBufferCount
      """)
    entered.wait()
  }

  /// Notes that a buffer completed, or was released uncommitted.
  func leave() { turnstile.leave() }

  // MARK: The order

  /// Gives `buffer` the next place; called once for each.
  func enqueue(_ buffer: CommandBuffer) {
    places.withLock { places in
      // Another thread may have committed it already, before it had a place.
      places.append((ObjectIdentifier(buffer), buffer.status == .committed ? buffer : nil))
    }
    advance()
  }

  /// Notes that `buffer` is committed, and submits the buffers that can be.
  func commit(_ buffer: CommandBuffer) {
    places.withLock { places in
      if let index = places.firstIndex(where: { $0.owner == ObjectIdentifier(buffer) }) {
        places[index].committed = buffer
      }
    }
    advance()
  }

  /// Removes a buffer that will never be committed, so that later ones do not wait forever.
  func withdraw(_ buffer: ObjectIdentifier) {
    places.withLock { $0.removeAll { $0.owner == buffer } }
    advance()
  }

  /// Submits, in order, every committed buffer without an uncommitted one before it.
  private func advance() {
    let refused = places.withLock { places in
      var refused: [(buffer: CommandBuffer, failure: ReplayFailure)] = []
      while let first = places.first?.committed {
        places.removeFirst()
        if let failure = first.submit() { refused.append((first, failure)) }
      }
      return refused
    }
    // Handlers may commit to this queue, so it must be unlocked.
    for (buffer, failure) in refused { buffer.complete(.failure(failure)) }
  }
}
