public import SafelightGLES
public import SafelightImage

extension Device {
  /// Opens the device that `selector` means; blocks until it is ready.
  ///
  /// `auto` takes the first that works, hardware before software; every other selector opens what it names or throws,
  /// with every candidate and its reason in the message.
  public static func open(
    _ selector: DeviceSelector = .auto, options: DeviceOptions = DeviceOptions()
  ) throws(SafelightError) -> Device {
    if selector == .cpu {
      return Device(try Executor.start { (home) throws(SafelightError) in CPUExecutor(options: options, home: home) })
    }
    let candidates = try DeviceEnumeration.candidates(for: selector)
    let order = try DeviceSelection.order(candidates, selector: selector, platform: options.platform)
    var refusals: [SafelightError] = []
    for candidate in order {
      do throws(SafelightError) {
        return try open(candidate, selector: selector, options: options)
      } catch {
        refusals.append(error)
      }
    }
    throw failure(selector, refusals)
  }

  /// Opens one candidate and makes sure that it is what was asked for.
  static func open(
    _ candidate: DeviceCandidate, selector: DeviceSelector, options: DeviceOptions
  ) throws(SafelightError) -> Device {
    let device = Device(
      try Executor.start { (home) throws(SafelightError) in
        try GLESExecutor(candidate, options: options, home: home)
      })
    switch selector {
    case .hardware where device.info.isSoftware:
      throw SafelightError(
        .environment, candidate.name, why: "only a software renderer (\(device.name)) is behind it",
        remedy: "use --device software, or give this machine or container a GPU")
    case .software where !device.info.isSoftware:
      throw SafelightError(
        .environment, candidate.name, why: "a GPU (\(device.name)) is behind it, not a software renderer",
        remedy: "use --device hardware")
    default: return device
    }
  }

  private static func failure(_ selector: DeviceSelector, _ refusals: [SafelightError]) -> SafelightError {
    if refusals.count == 1 { return refusals[0] }
    return SafelightError(
      .environment, "no usable device for \(selector)",
      why: refusals.map { "\($0.what): \($0.why)" }.joined(separator: "; "),
      remedy: refusals.last?.remedy ?? "use --device cpu")
  }
}
