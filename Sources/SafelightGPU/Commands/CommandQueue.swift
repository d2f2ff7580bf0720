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
  /// The number of command buffers that may exist without being completed.
  public let maxCommandBufferCount: Int

  /// The order of its replays on the device.
  let lane = Lane()

  /// A place in the order.
  private struct Place {
    let owner: ObjectIdentifier
    /// The buffer once it is committed: a queue keeps nobody alive who may never be.
    var committed: CommandBuffer?
  }

  /// Buffers with a place in the order that have not been handed to the device yet.
  private let places = Mutex<[Place]>([])
  private let turnstile: Turnstile
  /// What it keeps alive.
  let residencySets = Mutex<[ObjectIdentifier: ResidencySet]>([:])

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

  /// Makes an empty command buffer; without a label it is named by the place in the source that made it.
  ///
  /// Blocks while ``maxCommandBufferCount`` buffers of the queue are neither completed nor let go of uncommitted, as in Metal; the log says
  /// so after ten seconds. In a task use ``nextCommandBuffer(label:fileID:line:)``.
  public func makeCommandBuffer(label: String? = nil, fileID: String = #fileID, line: Int = #line) -> CommandBuffer {
    let label = label ?? "\(fileID):\(line)"
    if !turnstile.tryToEnter() { waitForRoom(label) }
    return CommandBuffer(queue: self, label: label)
  }

  /// Makes an empty command buffer as soon as there is room for one; ``makeCommandBuffer(label:fileID:line:)`` without blocking a thread.
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
      "makeCommandBuffer() of '\(label)' would wait for ever: it was called on the device's own thread, as in a handler, and queue "
        + "'\(self.label)' has \(maxCommandBufferCount) buffers under way; raise maxCommandBufferCount, or make it on another thread"
    )
    let entered = DispatchSemaphore(value: 0)
    turnstile.enter { entered.signal() }
    if entered.wait(timeout: .now() + 10) == .success { return }
    device.logger.warning(
      """
      makeCommandBuffer() of '\(label)' has waited for 10 s: all \(maxCommandBufferCount) command buffers of queue '\(self.label)' are \
      under way; commit them or let go of them, or raise maxCommandBufferCount
      """)
    entered.wait()
  }

  /// A buffer is over, or gone without having been committed.
  func leave() { turnstile.leave() }

  // MARK: The order

  /// Gives `buffer` the next place; called once for each.
  func enqueue(_ buffer: CommandBuffer) {
    places.withLock { places in
      // Another thread may have committed it already, and found it without a place.
      places.append(Place(owner: ObjectIdentifier(buffer), committed: buffer.isReady ? buffer : nil))
    }
    advance()
  }

  /// Notes that `buffer` is recorded to the end, and hands on what can be.
  func commit(_ buffer: CommandBuffer) {
    places.withLock { places in
      if let index = places.firstIndex(where: { $0.owner == ObjectIdentifier(buffer) }) {
        places[index].committed = buffer
      }
    }
    advance()
  }

  /// Takes back the place of a buffer that will never be committed: those behind it must not wait for ever.
  func withdraw(_ buffer: ObjectIdentifier) {
    places.withLock { $0.removeAll { $0.owner == buffer } }
    advance()
  }

  /// Hands every buffer that is committed and has no uncommitted one before it to the device, in order.
  private func advance() {
    let refused = places.withLock { places in
      var refused: [(buffer: CommandBuffer, failure: ReplayFailure)] = []
      while let first = places.first?.committed {
        places.removeFirst()
        if let failure = first.submit() { refused.append((first, failure)) }
      }
      return refused
    }
    // Handlers run here, and may commit to this queue: it must not be locked.
    for (buffer, failure) in refused { buffer.complete(.failure(failure)) }
  }
}
