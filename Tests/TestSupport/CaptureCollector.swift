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

extension Device {
  /// The captures of what `body` commits, of `object` alone and of labels that contain `pattern`.
  package func captures(
    of object: CaptureDescriptor.Object = .device, labels pattern: String = "", _ body: () throws -> Void
  ) throws -> [Capture] {
    let collector = CaptureCollector(labels: pattern)
    try captureManager.startCapture(CaptureDescriptor(captureObject: object, destination: collector))
    defer { captureManager.stopCapture() }
    try body()
    return collector.captures
  }
}

extension Capture {
  /// Its outputs, and what `device` makes of them with `twins`.
  package func replay(on device: Device, twins: TwinLibrary = TwinLibrary()) throws -> [CaptureReplay.Output] {
    try CaptureReplay(self, device: device, twins: twins).run()
  }
}

extension TwinLibrary {
  /// The twins of these functions.
  package init(_ functions: ShaderFunction...) {
    self.init()
    for function in functions { add(function) }
  }
}
