public import SafelightGPU
public import SafelightImage
import Synchronization

/// Keeps captures, for tests to look at.
public final class CaptureCollector: CaptureSink {
  private let kept = Mutex<[Capture]>([])
  private let refusal: SafelightError?
  private let pattern: String

  /// Takes command buffers whose label contains `pattern`; with `refusal` it takes none and throws that.
  public init(labels pattern: String = "", refusal: SafelightError? = nil) {
    self.pattern = pattern
    self.refusal = refusal
  }

  /// What came so far, in order.
  public var captures: [Capture] { kept.withLock { $0 } }

  /// True for labels that contain the pattern.
  public func wants(_ label: String) -> Bool { pattern.isEmpty || label.contains(pattern) }

  /// Keeps the capture.
  public func receive(_ capture: Capture) throws(SafelightError) {
    if let refusal { throw refusal }
    kept.withLock { $0.append(capture) }
  }
}
