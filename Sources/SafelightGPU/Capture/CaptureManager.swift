public import SafelightImage
internal import Synchronization

/// Describes a capture: its command buffers and its destination; Metal's `MTLCaptureDescriptor`.
public struct CaptureDescriptor: Sendable {
  /// The object whose command buffers are captured.
  public enum Object: Sendable {
    /// The whole device.
    case device
    /// One queue.
    case commandQueue(CommandQueue)
    /// One command buffer.
    case commandBuffer(CommandBuffer)
    /// A scope: from its next ``CaptureScope/begin()`` to its ``CaptureScope/end()``, which also ends the capture.
    case scope(CaptureScope)
  }

  /// The object whose command buffers are captured.
  public var captureObject: Object
  /// The sink that receives the captures.
  public var destination: any CaptureSink

  /// Describes a capture.
  public init(captureObject: Object = .device, destination: any CaptureSink) {
    self.captureObject = captureObject
    self.destination = destination
  }
}

/// Captures command buffers of one device; Metal's `MTLCaptureManager`.
///
/// A command buffer is captured when it is submitted to the device: at `commit()`, or later if it waits for an earlier
/// one of its queue to be committed. Safe to use from any thread.
public final class CaptureManager: Sendable {
  /// The capture in progress. Holds no reference to its object, so that a queue is not kept alive.
  private struct Capturing: Sendable {
    enum Object: Hashable, Sendable {
      case device
      case one(ObjectIdentifier)
      case scope(ObjectIdentifier, isOpen: Bool, queue: ObjectIdentifier?)
    }

    var object: Object
    let sink: any CaptureSink
  }

  private let current: Mutex<Capturing?>
  /// Receives everything while the device is open; nil unless ``CaptureRequest`` or ``DeviceOptions`` asked for it.
  private let permanent: (any CaptureSink)?

  init(_ permanent: (any CaptureSink)? = nil) {
    self.permanent = permanent
    current = Mutex(nil)
  }

  /// True if a capture is in progress.
  public var isCapturing: Bool { current.withLock { $0 != nil } }

  /// Starts a capture; throws if one is in progress.
  public func startCapture(_ descriptor: CaptureDescriptor) throws(SafelightError) {
    let object: Capturing.Object =
      switch descriptor.captureObject {
      case .device: .device
      case .commandQueue(let queue): .one(ObjectIdentifier(queue))
      case .commandBuffer(let buffer): .one(ObjectIdentifier(buffer))
      case .scope(let scope):
        .scope(ObjectIdentifier(scope), isOpen: false, queue: scope.queue.map { ObjectIdentifier($0) })
      }
    let isStarted = current.withLock { current -> Bool in
      guard current == nil else { return false }
      current = Capturing(object: object, sink: descriptor.destination)
      return true
    }
    try ensure(
      isStarted, .usage, "capture", why: "another capture is in progress on this device",
      remedy: "call stopCapture() first")
  }

  /// Ends the capture in progress, if any. Command buffers that were submitted before are still captured.
  public func stopCapture() { current.withLock { $0 = nil } }

  /// Makes a scope for the command buffers of `queue`, or of the whole device if nil; Metal's `makeCaptureScope`.
  public func makeCaptureScope(label: String = "scope", queue: CommandQueue? = nil) -> CaptureScope {
    CaptureScope(manager: self, label: label, queue: queue)
  }

  func begin(_ scope: CaptureScope) {
    current.withLock { current in
      guard case .scope(ObjectIdentifier(scope), isOpen: _, let queue)? = current?.object else { return }
      current?.object = .scope(ObjectIdentifier(scope), isOpen: true, queue: queue)
    }
  }

  func end(_ scope: CaptureScope) {
    current.withLock { current in
      guard case .scope(ObjectIdentifier(scope), isOpen: true, queue: _)? = current?.object else { return }
      current = nil
    }
  }

  func sink(for buffer: CommandBuffer) -> (any CaptureSink)? {
    let requested = current.withLock { current -> (any CaptureSink)? in
      guard let current else { return nil }
      let isCaptured =
        switch current.object {
        case .device: true
        case .one(let object): object == ObjectIdentifier(buffer.queue) || object == ObjectIdentifier(buffer)
        case .scope(_, let isOpen, let queue): isOpen && (queue == nil || queue == ObjectIdentifier(buffer.queue))
        }
      return isCaptured ? current.sink : nil
    }
    guard let sink = requested ?? permanent, sink.wants(buffer.label) else { return nil }
    return sink
  }
}

/// A span of work that can be captured, such as one frame; Metal's `MTLCaptureScope`.
public final class CaptureScope: Sendable {
  /// A name for messages.
  public let label: String
  /// The queue whose command buffers it captures; nil for the whole device.
  public let queue: CommandQueue?

  private let manager: CaptureManager

  init(manager: CaptureManager, label: String, queue: CommandQueue?) {
    self.manager = manager
    self.label = label
    self.queue = queue
  }

  /// Begins the span; has no effect unless a capture of this scope was started.
  public func begin() { manager.begin(self) }

  /// Ends the span, and its capture.
  public func end() { manager.end(self) }
}
