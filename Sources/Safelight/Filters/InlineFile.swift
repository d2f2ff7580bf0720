internal import SafelightFrames
internal import SafelightImage

/// The files that filters read: those of the system, and small ones written in the chain as `data:` addresses (RFC
/// 2397).
///
/// Such a chain works on machines that do not have the file: `lut=file='data:,LUT_1D_SIZE 2%0A0 0 0%0A1 1 0.8'`.
enum InlineFile {
  /// Returns the bytes at `path`.
  ///
  /// - Throws: ``SafelightError`` of reading a file, and of kind `usage` for an invalid address.
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
    guard path.hasPrefix("data:") else { return try readFile(path, limit: limit) }
    guard let comma = path.firstIndex(of: ",") else { throw fault("there is no comma before the data") }
    let isBase64 = path[..<comma].hasSuffix(";base64")
    guard let bytes = percentDecoded(path[path.index(after: comma)...].utf8) else {
      throw fault("a % is not followed by two hexadecimal digits")
    }
    guard isBase64 else { return bytes }
    guard let decoded = base64Decoded(bytes) else { throw fault("it is not valid base64") }
    return decoded
  }

  /// Returns the name in errors.
  static func name(_ path: String) -> String { path.hasPrefix("data:") ? "the data: address" : path }

  private static func fault(_ why: String) -> SafelightError {
    SafelightError(
      .usage, "the data: address", why: why,
      remedy: "write data:,TEXT with %0A for a new line, or data:;base64,DATA; or name a file")
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Decodes base64 with its padding (RFC 4648).
  private static func base64Decoded(_ text: [UInt8]) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard text.count % 4 == 0, padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for letter in text.dropLast(padding) {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = (bits << 6 | value) & 0xffff
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }
}
