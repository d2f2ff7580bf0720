public import SafelightImage
internal import Synchronization

/// What is to be captured, and where it goes; Metal's `MTLCaptureDescriptor`.
public struct CaptureDescriptor: Sendable {
  /// Whose command buffers are captured.
  public enum Object: Sendable {
    /// All of the device.
    case device
    /// Those of one queue.
    case commandQueue(CommandQueue)
    /// A single one.
    case commandBuffer(CommandBuffer)
    /// Those within a scope, from its next ``CaptureScope/begin()`` to its ``CaptureScope/end()``, which ends the capture too.
    case scope(CaptureScope)
  }

  /// Whose command buffers are captured.
  public var captureObject: Object
  /// Where captures go.
  public var destination: any CaptureSink

  /// Describes a capture.
  public init(captureObject: Object = .device, destination: any CaptureSink) {
    self.captureObject = captureObject
    self.destination = destination
  }
}

/// Captures command buffers of one device; Metal's `MTLCaptureManager`.
///
/// A command buffer is captured when it is handed to the device, which is at `commit()` unless one before it in its queue was not
/// committed yet. Safe to use from any thread.
public final class CaptureManager: Sendable {
  /// What is captured at the moment; without references, so that a queue is not kept alive.
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
  /// Receives everything for as long as the device is open; nil where nobody asked for that.
  private let permanent: (any CaptureSink)?

  init(_ permanent: (any CaptureSink)? = nil) {
    self.permanent = permanent
    current = Mutex(nil)
  }

  /// True between ``startCapture(_:)`` and ``stopCapture()``.
  public var isCapturing: Bool { current.withLock { $0 != nil } }

  /// Captures from now on; throws where a capture is under way already.
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
    if !isStarted {
      throw SafelightError(
        .usage, "capture", why: "another one is under way on this device", remedy: "call stopCapture() first")
    }
  }

  /// Ends the capture; command buffers on their way to the device are still captured. Nothing happens where there is none.
  public func stopCapture() { current.withLock { $0 = nil } }

  /// Makes a scope for the command buffers of `queue`, of the whole device where nil; Metal's `makeCaptureScope`.
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

  /// Where a capture of `buffer` goes; nil where nobody wants one.
  func sink(for buffer: CommandBuffer) -> (any CaptureSink)? {
    let asked = current.withLock { current -> (any CaptureSink)? in
      guard let current else { return nil }
      let isMeant =
        switch current.object {
        case .device: true
        case .one(let object): object == ObjectIdentifier(buffer.queue) || object == ObjectIdentifier(buffer)
        case .scope(_, let isOpen, let queue): isOpen && (queue == nil || queue == ObjectIdentifier(buffer.queue))
        }
      return isMeant ? current.sink : nil
    }
    guard let sink = asked ?? permanent, sink.wants(buffer.label) else { return nil }
    return sink
  }
}

/// A stretch of work that can be captured by name, such as one frame; Metal's `MTLCaptureScope`.
public final class CaptureScope: Sendable {
  /// A name for people.
  public let label: String
  /// Whose command buffers it has; all of the device where nil.
  public let queue: CommandQueue?

  private let manager: CaptureManager

  init(manager: CaptureManager, label: String, queue: CommandQueue?) {
    self.manager = manager
    self.label = label
    self.queue = queue
  }

  /// The stretch begins; nothing happens unless a capture of this scope was started.
  public func begin() { manager.begin(self) }

  /// The stretch ends, and its capture with it.
  public func end() { manager.end(self) }
}
