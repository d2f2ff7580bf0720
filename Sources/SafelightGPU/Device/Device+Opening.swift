internal import Glibc
public import Logging
public import SafelightGLES
public import SafelightImage

extension Device {
  /// Opens the device that `selector` names; blocks until it is ready.
  ///
  /// `auto` takes the first working GPU, else the first software renderer, and records in ``refusals`` why others were
  /// not taken: whether your functions have twins is not known yet, so it does not take those. For a chain of filters,
  /// `Device.open(_:for:options:)` does. `auto` and `hardware` leave out GPUs that Slurm or CUDA, by their variables in
  /// the environment, have given to others. Every other selector opens the device that it names, or throws an error
  /// with every candidate and its reason.
  public static func open(
    _ selector: DeviceSelector = .auto, options: DeviceOptions = DeviceOptions()
  ) throws(SafelightError) -> Device {
    if selector == .cpu { return try twins(options) }
    let sink = try sink(options)
    // Outside the loop: an unusable folder is not a fault of the candidates.
    var options = options
    if options.archive == nil { options.archive = try BinaryArchive.ofEnvironment() }
    let candidates = try DeviceEnumeration.candidates(for: selector)
    let allocation = DeviceAllocation.ofThisProcess
    let order = try DeviceSelection.order(
      candidates, selector: selector, platform: options.platform, allocation: allocation)
    if selector == .auto || selector == .hardware, let warning = allocation?.warning(candidates) {
      options.logger.warning("\(warning)")
    }
    var refusals: [SafelightError] = []
    var software: Started?
    for candidate in order {
      do throws(SafelightError) {
        let started = try start(candidate, selector: selector, options: options)
        // A GPU's entry that turns out to be software must not hide a GPU further down the list.
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

  /// Opens the device for work that `hasTwins`: then `auto` takes the first working GPU, else the twins, which make the
  /// same bytes several times as fast as a software renderer, and records in ``refusals`` why there is no GPU.
  ///
  /// A platform that is asked for, or shaders from the folder of `SAFELIGHT_SHADERS`, need OpenGL ES in any case.
  package static func open(
    _ selector: DeviceSelector, options: DeviceOptions, hasTwins: Bool
  ) throws(SafelightError) -> Device {
    let isFree = selector == .auto && hasTwins && options.platform == .auto && variable("SAFELIGHT_SHADERS").isEmpty
    do throws(SafelightError) {
      return try open(isFree ? .hardware : selector, options: options)
    } catch {
      guard isFree, error.kind == .environment else { throw error }
      return try twins(options, refusals: [error])
    }
  }

  private static func twins(
    _ options: DeviceOptions, refusals: [SafelightError] = []
  ) throws(SafelightError) -> Device {
    Device(
      try DeviceThread.start { (home) throws(SafelightError) in CPUBackend(options: options, home: home) },
      logger: options.logger, refusals: refusals, capturingTo: try sink(options))
  }

  private static func sink(_ options: DeviceOptions) throws(SafelightError) -> (any CaptureSink)? {
    if let asked = options.capture { asked } else { try CaptureRequest.sink() }
  }

  /// Starts a backend on a candidate and checks that it is what `selector` requests.
  static func start(
    _ candidate: DeviceCandidate, selector: DeviceSelector, options: DeviceOptions
  ) throws(SafelightError) -> Started {
    let started = try DeviceThread.start { (home) throws(SafelightError) in
      try GLESBackend(candidate, options: options, home: home)
    }
    guard let refusal = refusal(candidate, started.info, selector) else { return started }
    started.thread.close()
    throw refusal
  }

  /// Why a candidate with the names and kind `info` is not what `selector` requests; nil if it is.
  fileprivate static func refusal(
    _ candidate: DeviceCandidate, _ info: DeviceInfo, _ selector: DeviceSelector
  ) -> SafelightError? {
    DeviceSelection.refusal(
      candidate, renderer: info.name, isSoftware: info.isSoftware, selector: selector,
      softwareIsForced: isSoftwareForced(candidate.platform))
  }

  /// True if the environment makes Mesa use software on `platform`.
  static func isSoftwareForced(_ platform: DevicePlatform) -> Bool {
    func isSet(_ name: String) -> Bool { !["", "0", "false", "no"].contains(variable(name).lowercased()) }
    return isSet("LIBGL_ALWAYS_SOFTWARE") || (platform == .gbm && isSet("GBM_ALWAYS_SOFTWARE"))
  }

  /// The value of a variable of the environment; empty if it is not set.
  private static func variable(_ name: String) -> String {
    unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  }

  private static func failure(_ selector: DeviceSelector, _ refusals: [SafelightError]) -> SafelightError {
    if refusals.count == 1 && selector != .hardware { return refusals[0] }
    return SafelightError(
      .environment, selector == .hardware ? "no hardware GPU" : "no usable device for \(selector)",
      why: "tried " + refusals.map { "\($0.what) (\($0.why))" }.joined(separator: ", "),
      remedy: refusals.last?.remedy ?? "use the device 'cpu'")
  }
}

/// Options for opening a device.
public struct DeviceOptions: Sendable {
  /// The EGL platform.
  public var platform: DevicePlatform
  /// Upper bounds on the device's limits, such as `Capabilities.minimum`; nil for its own limits. The CPU's own are
  /// those that most GPUs have, such as textures of 16384 pixels a side.
  public var limits: Capabilities?
  /// True to use a debug context, check the error flag after every call, and log the driver's messages.
  public var isDebugging: Bool
  /// The archive of compiled programs; nil for the folder that the variable `SAFELIGHT_CACHE` names, or none.
  public var archive: BinaryArchive?
  /// The requested priority of the device's work; `Device.info.priority` is the actual one.
  public var priority: DevicePriority
  /// The sink to which every command buffer is captured; nil for that of the variable `SAFELIGHT_CAPTURE`, or none.
  public var capture: (any CaptureSink)?
  /// The log for messages.
  public var logger: Logger

  /// Makes options; by default the variable `SAFELIGHT_DEBUG` of 1 enables debugging.
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

/// A trial of every device candidate on this machine: which ones work, which one was chosen, and why the others were
/// not.
public struct DeviceSurvey: Sendable {
  /// A candidate and its outcome.
  public struct Entry: Sendable {
    /// The candidate as the system lists it.
    public let candidate: DeviceCandidate
    /// The device's names and kind; nil if it does not work.
    public let info: DeviceInfo?
    /// The device's limits and features; nil if it does not work.
    public let capabilities: Capabilities?
    /// True if the selector chooses it.
    public let isChosen: Bool
    /// The reason why it was chosen or not.
    public let reason: String
  }

  /// All candidates in the order of their numbers.
  public let entries: [Entry]
  /// The variables of the environment that decide what drivers do, of those that are set, each as `NAME=value`.
  public let variables = DriverVariables.inForce
  /// The reason why the selector chooses none; nil if it chooses one.
  public let failure: SafelightError?
  /// One working entry for each GPU that the selector admits, in the order in which it tries them.
  package let gpus: [Entry]

  /// Opens every candidate in turn and closes it again.
  public init(selector: DeviceSelector, options: DeviceOptions) {
    var candidates: [DeviceCandidate] = []
    var order: [DeviceCandidate] = []
    var failure: SafelightError?
    let allocation = selector == .auto || selector == .hardware ? DeviceAllocation.ofThisProcess : nil
    do throws(SafelightError) {
      candidates = try DeviceEnumeration.candidates(for: selector)
      if selector != .cpu {
        order = try DeviceSelection.order(
          candidates, selector: selector, platform: options.platform, allocation: allocation)
      }
    } catch {
      // The CPU needs none of them.
      failure = selector == .cpu ? nil : error
    }
    var working: [Int: DeviceInfo] = [:]
    var faults: [Int: SafelightError] = [:]
    var capabilities: [Int: Capabilities] = [:]
    for candidate in candidates {
      do throws(SafelightError) {
        let started = try Device.start(candidate, selector: .auto, options: options)
        started.thread.close()
        capabilities[candidate.index] = started.capabilities
        if order.contains(candidate), let refusal = Device.refusal(candidate, started.info, selector) { throw refusal }
        working[candidate.index] = started.info
      } catch {
        faults[candidate.index] = error
      }
    }
    let usable = order.filter { working[$0.index] != nil }
    let hardware = usable.filter { working[$0.index]?.isSoftware == false }
    // A GPU's entry that turns out to be software must not hide a GPU further down the list.
    let preferred = selector == .auto ? usable.first { $0.isSoftware || hardware.contains($0) } : nil
    let chosen = preferred ?? usable.first
    if chosen == nil && failure == nil && selector != .cpu {
      failure = SafelightError(
        .environment, "no usable device for \(selector)", why: "none of the candidates works as asked",
        remedy: "see the reasons above, or use the device 'cpu'")
    }
    self.failure = failure
    let entries = candidates.map { candidate in
      let isOthers = allocation?.excludes(candidate, among: candidates) == true
      return Entry(
        candidate: candidate, info: working[candidate.index], capabilities: capabilities[candidate.index],
        isChosen: candidate == chosen,
        reason: isOthers
          ? "given to another job: \(allocation?.origin ?? "")"
          : faults[candidate.index]?.description
            ?? Self.reason(candidate, working[candidate.index], chosen: chosen, selector: selector, order: order))
    }
    self.entries = entries
    let gpus = DeviceSelection.distinct(hardware).compactMap { gpu in entries.first { $0.candidate == gpu } }
    // If nobody knows which of them were given to this process, all but one may be others'.
    let warning = allocation?.warning(candidates)
    self.gpus = warning == nil ? gpus : Array(gpus.prefix(1))
    if let warning { options.logger.warning("\(warning)") }
  }

  private static func reason(
    _ candidate: DeviceCandidate, _ info: DeviceInfo?, chosen: DeviceCandidate?, selector: DeviceSelector,
    order: [DeviceCandidate]
  ) -> String {
    let isSoftware = info?.isSoftware ?? candidate.isSoftware
    if candidate == chosen {
      return switch selector {
      case .auto:
        isSoftware
          ? "no hardware GPU works; the first software renderer, for work on OpenGL ES" : "the first hardware GPU"
      default: "asked for by \(selector)"
      }
    }
    if let other = candidate.duplicateOf { return "another entry of device \(other)" }
    if selector == .cpu { return "the CPU was asked for" }
    if !order.contains(candidate) { return "not selected by \(selector)" }
    if isSoftware && selector == .hardware { return "a software renderer" }
    return "works; device \(chosen?.index ?? 0) comes first"
  }
}
