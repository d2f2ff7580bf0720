import ArgumentParser
import Glibc
import Logging
import Safelight

/// `--device` and `--platform`, shared by all commands that use a device.
struct DeviceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to run: auto, hardware, software, cpu, index:N, node:PATH, pci:ADDR, cuda:N; or all, or a list.",
      discussion: """
        auto takes the first GPU. Without one, frames are processed on the CPU by Swift twins of the kernels (cpu), \
        which make the same bytes and are faster than a software renderer; work that needs OpenGL ES runs on the \
        software renderer. A line names the choice. An explicit choice never falls back. process and equalize also \
        divide pictures among several devices, each with a process of its own: index:0,index:2, or all for every GPU. \
        (default: $SAFELIGHT_DEVICE, else auto)
        """), completion: .list(["auto", "hardware", "software", "cpu", "all"]))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "How EGL reaches the device: auto, device, gbm or surfaceless. (default: $SAFELIGHT_PLATFORM, else auto)"),
    completion: .list(["auto", "device", "gbm", "surfaceless"]))
  var platform: String?

  /// The device selector asked for.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it is malformed, or if several devices are asked for.
  func selector() throws -> DeviceSelector {
    guard let several = try selectors() else { return try DeviceSelector(parsing: text) }
    throw SafelightError(
      .usage, "device '\(text)'", why: "only process and equalize divide their work among several devices",
      remedy: "name one device\(several.first.map { ", as in \($0)" } ?? "")")
  }

  /// The selectors of several devices: none for all GPUs; nil if one device is asked for.
  func selectors() throws -> [DeviceSelector]? {
    if text == "all" { return [] }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    return parts.count < 2 ? nil : try parts.map { try DeviceSelector(parsing: String($0)) }
  }

  /// The device or devices as they were written.
  var text: String { device ?? variable("SAFELIGHT_DEVICE") ?? "auto" }

  func options() throws -> DeviceOptions {
    let text = platform ?? variable("SAFELIGHT_PLATFORM") ?? "auto"
    guard let platform = DevicePlatform(rawValue: text) else {
      throw SafelightError(
        .usage, "platform '\(text)'", why: "there is no such platform", remedy: "use auto, device, gbm or surfaceless")
    }
    if let shaders = variable("SAFELIGHT_SHADERS"), !Folder.exists(shaders) {
      throw SafelightError(
        .missingInput, "SAFELIGHT_SHADERS=\(shaders)", why: "there is no such folder to read shaders from",
        remedy: "name a copy of the folder Shaders, or unset the variable")
    }
    return DeviceOptions(platform: platform, logger: Logger(label: "safelight") { _ in ConsoleLog() })
  }

  /// The option or variable that chose the device, for messages.
  var origin: String { device == nil ? "SAFELIGHT_DEVICE" : "--device" }

  /// Opens the device of a run over frames; if it is `comparing` it with the twins, then never the twins themselves.
  func openFastest(for calls: [FilterCall], comparing: Bool) throws -> Device {
    let (selector, options) = (try selector(), try options())
    return comparing
      ? try Device.open(selector, options: options) : try Device.open(selector, for: calls, options: options)
  }

  /// Prints the line that describes the device of a run, unless the run `isQuiet`. A run without `progress` hears only
  /// that no GPU works, if `auto` had to do without one.
  func tell(_ device: Device, progress: ProgressStyle, isQuiet: Bool) throws {
    let selector = try selector()
    let isWarning = selector == .auto && device.info.isSoftware
    if !isQuiet && (isWarning || progress != .none) {
      Console.line("safelight: " + Self.line(device, selector: selector))
    }
  }

  /// Opens the device and prints a line that describes it.
  func open(options: DeviceOptions? = nil) throws -> Device {
    let selector = try selector()
    let device = try Device.open(selector, options: options ?? self.options())
    Console.line("safelight: " + Self.line(device, selector: selector))
    return device
  }

  /// Describes the device in one line; for `auto` also says why it is not a GPU.
  static func line(_ device: Device, selector: DeviceSelector) -> String {
    let info = device.info
    if info.isCPU {
      let why = selector == .auto ? "no GPU works here (see safelight devices), " : ""
      return why + "running on the CPU (Swift twins)"
    }
    let place = [info.platform?.rawValue, info.node].compactMap { $0 }.joined(separator: ", ")
    let what = "device \(info.index ?? 0): \(info.name) (\(place)), \(info.driver)"
    guard selector == .auto && info.isSoftware else { return what }
    // A GPU that exists and does not work is reported with its reason and remedy.
    let reason = device.refusals.first.map { "no GPU works (\($0))" } ?? "no GPU found"
    return "\(reason), rendering in software on \(what)"
  }

  private func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Messages of the driver and of the library, as lines on standard error.
struct ConsoleLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { Console.line("safelight: \(event.level): \(event.message)") }
}
