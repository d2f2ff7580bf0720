internal import Glibc
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
        try Executor.start { (home) throws(SafelightError) in CPUExecutor(options: options, home: home) },
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
          if software == nil { software = started } else { started.executor.close() }
          continue
        }
        software?.executor.close()
        return Device(started, logger: options.logger, refusals: refusals, capturingTo: sink)
      } catch {
        refusals.append(error)
      }
    }
    if let software { return Device(software, logger: options.logger, refusals: refusals, capturingTo: sink) }
    throw failure(selector, refusals)
  }

  /// Starts an executor on one candidate and makes sure that it is what was asked for.
  static func start(
    _ candidate: DeviceCandidate, selector: DeviceSelector, options: DeviceOptions
  ) throws(SafelightError) -> Started {
    let started = try Executor.start { (home) throws(SafelightError) in
      TurnTakingExecutor.wrapping(try GLESExecutor(candidate, options: options, home: home))
    }
    let refusal = DeviceSelection.refusal(
      candidate, renderer: started.info.name, isSoftware: started.info.isSoftware, selector: selector,
      softwareIsForced: isSoftwareForced(candidate.platform))
    guard let refusal else { return started }
    started.executor.close()
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
