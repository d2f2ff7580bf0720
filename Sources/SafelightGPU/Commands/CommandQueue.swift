internal import SafelightImage
internal import Synchronization

/// Runs command buffers in the order in which they were enqueued or committed; Metal's `MTLCommandQueue`.
public final class CommandQueue: Sendable {
  /// The device that runs them.
  public let device: Device
  /// A name for messages.
  public let label: String

  /// Buffers with a place in the order that have not been handed to the device yet.
  private let places = Mutex<[CommandBuffer]>([])

  init(device: Device, label: String) {
    self.device = device
    self.label = label
  }

  /// Makes an empty command buffer; without a label it is named by the place in the source that made it.
  public func makeCommandBuffer(label: String? = nil, fileID: String = #fileID, line: Int = #line) -> CommandBuffer {
    CommandBuffer(queue: self, label: label ?? "\(fileID):\(line)")
  }

  /// Gives `buffer` the next place, unless it has one.
  func enqueue(_ buffer: CommandBuffer) {
    places.withLock { places in
      if !places.contains(where: { $0 === buffer }) { places.append(buffer) }
    }
  }

  /// Hands every buffer that is committed and has no uncommitted one before it to the device, in order.
  func advance() {
    let refused = places.withLock { places in
      var refused: [(buffer: CommandBuffer, error: SafelightError)] = []
      while let first = places.first, first.isReady {
        places.removeFirst()
        if let error = first.submit() { refused.append((first, error)) }
      }
      return refused
    }
    // Handlers run here, and may commit to this queue: it must not be locked.
    for (buffer, error) in refused { buffer.complete(.failure(error)) }
  }
}
