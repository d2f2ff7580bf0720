import Safelight

extension SafelightError {
  /// The error in one line, with the options of this program that help.
  var message: String { description + (setting.map { " (\($0.options))" } ?? "") }
}

extension SafelightError.Setting {
  fileprivate var options: String {
    switch self {
    case .frameRate: "--frame-rate"
    case .pixelLimit: "--max-pixels"
    case .rawPixels: "--input-format, --size"
    case .existingOutputs: "--existing"
    case .recursion: "--recursive"
    case .filmPixels: "--output-format"
    case .filmMatrix: "--output-matrix"
    case .filmRange: "--output-range"
    case .filmDamage: "--ignore-errors"
    case .missingAlpha: "--alpha-opaque"
    case .reason: "--reason"
    case .device: "--device"
    }
  }
}
