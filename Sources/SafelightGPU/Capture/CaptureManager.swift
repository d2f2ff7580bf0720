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
  /// The capture in progress. Holds no reference to its objects, so that a queue is not kept alive.
  private struct Capturing: Sendable {
    /// The queue or command buffer that is captured; nil for the whole device.
    var object: ObjectIdentifier?
    /// The scope that opens and ends the capture.
    var scope: ObjectIdentifier?
    var isOpen = true
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

  /// True if a command buffer that is recorded now may be captured.
  package var mayCapture: Bool { permanent != nil || isCapturing }

  /// Starts a capture; throws if one is in progress.
  public func startCapture(_ descriptor: CaptureDescriptor) throws(SafelightError) {
    var capturing = Capturing(sink: descriptor.destination)
    switch descriptor.captureObject {
    case .device: break
    case .commandQueue(let queue): capturing.object = ObjectIdentifier(queue)
    case .commandBuffer(let buffer): capturing.object = ObjectIdentifier(buffer)
    case .scope(let scope):
      capturing.object = scope.queue.map { ObjectIdentifier($0) }
      capturing.scope = ObjectIdentifier(scope)
      capturing.isOpen = false
    }
    let isStarted = current.withLock { [capturing] current -> Bool in
      guard current == nil else { return false }
      current = capturing
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
    current.withLock { if $0?.scope == ObjectIdentifier(scope) { $0?.isOpen = true } }
  }

  func end(_ scope: CaptureScope) {
    current.withLock { if $0?.scope == ObjectIdentifier(scope), $0?.isOpen == true { $0 = nil } }
  }

  func sink(for buffer: CommandBuffer) -> (any CaptureSink)? {
    let requested = current.withLock { current -> (any CaptureSink)? in
      guard let current, current.isOpen else { return nil }
      let isCaptured = [nil, ObjectIdentifier(buffer.queue), ObjectIdentifier(buffer)].contains(current.object)
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
