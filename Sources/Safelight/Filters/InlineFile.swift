import FoundationEssentials
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
    guard let bytes = percentDecoded(path[path.index(after: comma)...]) else {
      throw fault("a % is not followed by two hexadecimal digits")
    }
    guard isBase64 else { return bytes }
    // Foundation accepts surplus and misplaced padding.
    let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard bytes.count % 4 == 0, padding <= 2, !bytes.dropLast(padding).contains(UInt8(ascii: "=")),
      let decoded = Data(base64Encoded: Data(bytes))
    else { throw fault("it is not valid base64") }
    return [UInt8](decoded)
  }

  /// Returns the name in errors.
  static func name(_ path: String) -> String { path.hasPrefix("data:") ? "the data: address" : path }

  private static func fault(_ why: String) -> SafelightError {
    SafelightError(
      .usage, "the data: address", why: why,
      remedy: "write data:,TEXT with %0A for a new line, or data:;base64,DATA; or name a file")
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for part in parts.dropFirst() {
      guard let digits = String(part.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes += [value] + part.dropFirst(2)
    }
    return bytes
  }
}
