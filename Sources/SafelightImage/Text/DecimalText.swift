/// Decimal numbers as people and programs write them.
package enum DecimalText {
  /// Parses a finite decimal number; nil for anything else, including forms that Swift accepts: `nan`, `infinity`,
  /// `0x1p3`.
  package static func number(_ text: some StringProtocol) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// Returns the shortest text that reads back as `number`; whole numbers have no fraction.
  package static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
  }

  /// Returns `number` with its digits in groups of three, such as `240,000`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = digits.indices.map { index in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digits[index])" : "\(digits[index])"
    }
    return (number < 0 ? "-" : "") + groups.joined()
  }
}

package extension Double {
  /// The number with two decimals.
  var hundredths: String {
    let count = Int((magnitude * 100).rounded())
    let fraction = count % 100
    let sign = self < 0 ? "-" : ""
    return "\(sign)\(count / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

extension String {
  /// The string quoted, if necessary, so that a shell reads it as one word.
  package var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-_./@".contains(character))
      }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}

/// Text escaped for XML 1.0.
package enum XMLText {
  /// Escapes text between tags.
  package static func content(_ text: String) -> String { escaped(text, keepingLines: true) }

  /// Escapes text in quotation marks.
  ///
  /// XML readers turn line breaks and tabs in attributes into spaces unless they are written as references (XML 1.0,
  /// 3.3.3).
  package static func attribute(_ text: String) -> String { escaped(text, keepingLines: false) }

  private static func escaped(_ text: String, keepingLines: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n" where keepingLines: result += "\n"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      // XML cannot contain control characters, not even as references (XML 1.0, 2.2).
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
