/// What `ffprobe -of flat` writes: a line `streams.stream.0.width=640` for each value, texts in quotes.
struct FlatListing {
  private(set) var values: [String: String] = [:]

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let sign = line.firstIndex(of: "=") else { continue }
      values[String(line[..<sign])] = Self.unquoted(line[line.index(after: sign)...])
    }
  }

  /// The value, unless it is one of ffprobe's words for none.
  subscript(_ name: String) -> String? {
    guard let value = values[name], !["unknown", "N/A", "unspecified", "reserved"].contains(value) else { return nil }
    return value
  }

  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// `numerator/denominator`, neither 0.
  func fraction(_ name: String) -> (numerator: Int, denominator: Int)? {
    guard let parts = self[name]?.split(separator: "/"), parts.count == 2, let numerator = Int(parts[0]),
      let denominator = Int(parts[1]), numerator > 0, denominator > 0
    else { return nil }
    return (numerator, denominator)
  }

  /// Quotes, backslashes and line ends are escaped as in C (ffprobe's flat writer).
  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if isEscaped {
        result.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
