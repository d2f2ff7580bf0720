import ArgumentParser
import Glibc
import Logging
import Safelight

/// `--device` and `--platform`, shared by all commands that use a device.
struct DeviceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to run: auto, hardware, software, cpu, index:N, node:PATH, pci:ADDR or cuda:N.",
      discussion: """
        auto takes the first GPU, else a software renderer, and says so. Every explicit choice never falls back. cpu \
        runs the Swift twins. (default: $SAFELIGHT_DEVICE, else auto)
        """))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "How EGL reaches it: auto, device, gbm or surfaceless. (default: $SAFELIGHT_PLATFORM, else auto)"))
  var platform: String?

  /// The selector asked for.
  func selector() throws -> DeviceSelector {
    try DeviceSelector(parsing: device ?? variable("SAFELIGHT_DEVICE") ?? "auto")
  }

  /// The options asked for.
  func options() throws -> DeviceOptions {
    let text = platform ?? variable("SAFELIGHT_PLATFORM") ?? "auto"
    guard let platform = DevicePlatform(rawValue: text) else {
      throw SafelightError(
        .usage, "platform '\(text)'", why: "not a platform", remedy: "use auto, device, gbm or surfaceless")
    }
    return DeviceOptions(platform: platform, logger: Logger(label: "safelight") { _ in ConsoleLog() })
  }

  /// Opens the device and says in one line what it is.
  func open(quietly: Bool = false, options: DeviceOptions? = nil) throws -> Device {
    let selector = try selector()
    let device = try Device.open(selector, options: options ?? self.options())
    if !quietly { Console.line("safelight: " + Self.line(device, selector: selector)) }
    return device
  }

  /// What the device is, in one line, and where it was asked for as `auto` why it is no GPU.
  static func line(_ device: Device, selector: DeviceSelector) -> String {
    let info = device.info
    if info.isCPU { return "running on the CPU (Swift twins)" }
    let place = [info.platform?.rawValue, info.node].compactMap { $0 }.joined(separator: ", ")
    let what = "device \(info.index ?? 0): \(info.name) (\(place)), \(info.driver)"
    guard selector == .auto && info.isSoftware else { return what }
    // A GPU that is there and does not work is worth its reason and remedy.
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

  func log(event: LogEvent) {
    Console.line("safelight: \(event.level): \(event.message)")
  }
}
