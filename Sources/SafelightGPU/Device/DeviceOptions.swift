internal import Glibc
public import Logging
public import SafelightGLES

/// How a device is opened.
public struct DeviceOptions: Sendable {
  /// How EGL is reached.
  public var platform: DevicePlatform
  /// Limits to pretend to, such as `Capabilities.minimum`; the device's own where nil.
  public var limits: Capabilities?
  /// A debug context, the error flag read after every call, the driver's messages logged.
  public var isDebugging: Bool
  /// Where compiled programs are kept from one run to the next; nil for the folder that the variable `SAFELIGHT_CACHE`
  /// names, or nowhere.
  public var archive: BinaryArchive?
  /// How the device's work should rank among that of others; `Device.info.priority` says what became of it.
  public var priority: DevicePriority
  /// Where every command buffer is captured to; nil leaves that to the variable `SAFELIGHT_CAPTURE`.
  public var capture: (any CaptureSink)?
  /// Where messages go.
  public var logger: Logger

  /// Makes options; debugging follows the variable `SAFELIGHT_DEBUG` (1 switches it on).
  public init(
    platform: DevicePlatform = .auto, limits: Capabilities? = nil, isDebugging: Bool? = nil,
    archive: BinaryArchive? = nil, priority: DevicePriority = .medium, capture: (any CaptureSink)? = nil,
    logger: Logger = Logger(label: "safelight")
  ) {
    self.platform = platform
    self.limits = limits
    self.isDebugging = isDebugging ?? (unsafe getenv("SAFELIGHT_DEBUG").map { unsafe String(cString: $0) } == "1")
    self.archive = archive
    self.priority = priority
    self.capture = capture
    self.logger = logger
  }
}
