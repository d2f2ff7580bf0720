internal import CPNGShim
import SafelightImage

/// Carries libpng's words out of the C functions.
enum PNGReport {
  /// Runs `operation` with room for libpng's texts; throws an error of kind `refusal` about `name` unless it is done.
  /// Returns the result and libpng's remarks.
  static func collect<Result>(
    name: String, refusal: SafelightError.Kind, _ operation: (CPNGReport) throws -> (Result, CPNGStatus)
  ) throws -> (Result, [String]) {
    var message = [CChar](repeating: 0, count: 256)
    var warnings = [CChar](repeating: 0, count: 1024)
    let (result, status) = try unsafe message.withUnsafeMutableBufferPointer { message in
      try unsafe warnings.withUnsafeMutableBufferPointer { warnings in
        try unsafe operation(
          CPNGReport(
            message: message.baseAddress, message_capacity: message.count,
            warnings: warnings.baseAddress, warnings_capacity: warnings.count))
      }
    }
    switch status {
    case CPNG_DONE:
      return (result, text(warnings).split(separator: "\n").map(String.init))
    case CPNG_NO_MEMORY:
      throw noMemory(for: name)
    default:
      let why = "libpng refused it: \(text(message))"
      throw SafelightError(refusal, name, why: why, remedy: refusal == .input ? "write or copy the file again" : nil)
    }
  }

  static func noMemory(for name: String) -> SafelightError {
    SafelightError(.limit, name, why: "no memory is left for it", remedy: "process fewer frames at a time")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
