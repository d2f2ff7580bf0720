import ArgumentParser
import Safelight
import SafelightGolden

extension ExitCode {
  /// Compared, and it differs.
  static let differs = ExitCode(1)
  /// A golden or frame is missing or extra.
  static let missingFrame = ExitCode(3)
  /// Not comparable: size, depth, channels.
  static let incomparable = ExitCode(4)
  /// Bad parameters (EX_USAGE).
  static let usage = ExitCode(64)
  /// Bad input data (EX_DATAERR).
  static let badData = ExitCode(65)
  /// No such input (EX_NOINPUT).
  static let noInput = ExitCode(66)
  /// No device of the kind asked for (EX_UNAVAILABLE).
  static let noDevice = ExitCode(69)
  /// Internal (EX_SOFTWARE).
  static let `internal` = ExitCode(70)
  /// Too little memory, threads or descriptors: again elsewhere (EX_OSERR).
  static let resources = ExitCode(71)
  /// An output cannot be created (EX_CANTCREAT).
  static let cannotCreate = ExitCode(73)
  /// Reading or writing failed (EX_IOERR).
  static let transfer = ExitCode(74)
  /// Interrupted, run again (EX_TEMPFAIL).
  static let interrupted = ExitCode(75)
}

extension SafelightError.Kind {
  var exitCode: ExitCode {
    switch self {
    case .environment: .noDevice
    case .resources: .resources
    case .input, .limit, .unsupported: .badData
    case .missingInput: .noInput
    case .output: .cannotCreate
    case .transfer: .transfer
    case .driver, .kernel: .internal
    case .difference: .differs
    case .incomparable: .incomparable
    case .missingFrame: .missingFrame
    case .usage: .usage
    }
  }
}

extension SafelightError {
  var exitCode: ExitCode { kind.exitCode }

  /// The error in one line, with the options of this program that help.
  var message: String { description + (setting?.options.map { " (\($0))" } ?? "") }
}

extension SafelightError.Setting {
  /// The options that stand for it; nil if the command has none.
  fileprivate var options: String? {
    // Comparisons and goldens have no option for the size of pictures.
    let limitsPixels = ["process", "equalize", "histogram", "analyze"]
    if self == .pixelLimit, !limitsPixels.contains(CommandLine.arguments.dropFirst().first ?? "") { return nil }
    return Self.options[self]
  }

  private static let options: [Self: String] = [
    .device: "--device",
    .existingOutputs: "--existing",
    .filmDamage: "--ignore-errors",
    .filmMatrix: "--output-matrix",
    .filmPixels: "--output-format",
    .filmRange: "--output-range",
    .frameRate: "--frame-rate",
    .memory: "--memory",
    .missingAlpha: "--alpha-opaque",
    .pixelLimit: "--max-pixels",
    .rawPixels: "--input-format, --size",
    .reason: "--reason",
    .recursion: "--recursive",
  ]
}
