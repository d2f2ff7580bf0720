internal import Glibc
public import Logging
public import SafelightGLES
public import SafelightImage

extension Device {
  /// Opens the device that `selector` means; blocks until it is ready.
  ///
  /// `auto` takes the first GPU that works, else the first software renderer, and keeps why the others were not taken in
  /// ``refusals``. Every other selector opens what it names or throws, with every candidate and its reason in the message.
  public static func open(
    _ selector: DeviceSelector = .auto, options: DeviceOptions = DeviceOptions()
  ) throws(SafelightError) -> Device {
    let sink = if let asked = options.capture { asked } else { try CaptureRequest.sink() }
    if selector == .cpu {
      return Device(
        try DeviceThread.start { (home) throws(SafelightError) in CPUBackend(options: options, home: home) },
        logger: options.logger, capturingTo: sink)
    }
    // A folder that cannot be used is no reason to refuse every candidate.
    let options = try options.withArchiveOfEnvironment()
    let candidates = try DeviceEnumeration.candidates(for: selector)
    let order = try DeviceSelection.order(candidates, selector: selector, platform: options.platform)
    var refusals: [SafelightError] = []
    var software: Started?
    for candidate in order {
      do throws(SafelightError) {
        let started = try start(candidate, selector: selector, options: options)
        // A GPU's entry with software behind it must not keep a GPU further down from being found.
        if selector == .auto && started.info.isSoftware && !candidate.isSoftware {
          if software == nil { software = started } else { started.thread.close() }
          continue
        }
        software?.thread.close()
        return Device(started, logger: options.logger, refusals: refusals, capturingTo: sink)
      } catch {
        refusals.append(error)
      }
    }
    if let software { return Device(software, logger: options.logger, refusals: refusals, capturingTo: sink) }
    throw failure(selector, refusals)
  }

  /// Starts a backend on one candidate and makes sure that it is what was asked for.
  static func start(
    _ candidate: DeviceCandidate, selector: DeviceSelector, options: DeviceOptions
  ) throws(SafelightError) -> Started {
    let started = try DeviceThread.start { (home) throws(SafelightError) in
      TurnTakingBackend.wrapping(try GLESBackend(candidate, options: options, home: home))
    }
    let refusal = DeviceSelection.refusal(
      candidate, renderer: started.info.name, isSoftware: started.info.isSoftware, selector: selector,
      softwareIsForced: isSoftwareForced(candidate.platform))
    guard let refusal else { return started }
    started.thread.close()
    throw refusal
  }

  /// True where the environment asks Mesa for software on `platform`.
  static func isSoftwareForced(_ platform: DevicePlatform) -> Bool {
    func isSet(_ name: String) -> Bool {
      guard let value = unsafe getenv(name) else { return false }
      return unsafe !["", "0", "false", "no"].contains(String(cString: value).lowercased())
    }
    return isSet("LIBGL_ALWAYS_SOFTWARE") || (platform == .gbm && isSet("GBM_ALWAYS_SOFTWARE"))
  }

  private static func failure(_ selector: DeviceSelector, _ refusals: [SafelightError]) -> SafelightError {
    if refusals.count == 1 && selector != .hardware { return refusals[0] }
    return SafelightError(
      .environment, selector == .hardware ? "no hardware GPU" : "no usable device for \(selector)",
      why: refusals.map { "\($0.what): \($0.why)" }.joined(separator: "; "),
      remedy: refusals.last?.remedy ?? "use the device cpu")
  }
}

extension DeviceOptions {
  /// The same with the folder that `SAFELIGHT_CACHE` names, where none is given; throws where it cannot be used.
  fileprivate func withArchiveOfEnvironment() throws(SafelightError) -> DeviceOptions {
    var options = self
    if archive == nil { options.archive = try BinaryArchive.ofEnvironment() }
    return options
  }
}

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
