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
  package static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

  /// Returns `number` with its digits in groups of three, such as `240,000`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = digits.indices.map { index in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digits[index])" : "\(digits[index])"
    }
    return (number < 0 ? "-" : "") + groups.joined()
  }

  /// Returns the share of `part` in `whole`, such as `2.86 %`, with two digits if it is below one per cent. Only an
  /// empty part is `0 %`, and only a whole one `100 %`.
  package static func percentage(_ part: Int, of whole: Int) -> String {
    guard part > 0 else { return "0 %" }
    guard part < whole else { return "100 %" }
    let share = 100 * Double(part) / Double(whole)
    var scale = 100.0
    while share * scale < 10 { scale *= 10 }
    return text(min((share * scale).rounded() / scale, 99.99)) + " %"
  }
}

extension Double {
  /// The number with two decimals.
  package var hundredths: String {
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

extension Sequence<UInt8> {
  /// The bytes as lowercase hexadecimal, two digits each.
  package var hexadecimal: String { map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
}

/// Suggestions for a mistyped name.
package enum NearestNames {
  /// Returns at most three of the names most similar to `text`; empty if none is similar.
  ///
  /// A name is similar if fewer than about a third of its letters differ, or else if one begins with the other.
  package static func find(_ text: String, among names: [String]) -> [String] {
    let wanted = Array(text.lowercased().unicodeScalars)
    guard !wanted.isEmpty else { return [] }
    let scored = names.map { name in (name: name, distance: distance(wanted, Array(name.lowercased().unicodeScalars))) }
    let limit = max(1, (wanted.count + 1) / 3)
    let close = scored.filter { $0.distance <= limit }
    if let best = close.map(\.distance).min() {
      return Array(close.filter { $0.distance == best }.map(\.name).sorted().prefix(3))
    }
    // An abbreviation differs in many letters, yet names the same thing.
    guard wanted.count >= 2 else { return [] }
    let begun = names.filter { name in
      name.lowercased().hasPrefix(text.lowercased()) || text.lowercased().hasPrefix(name.lowercased())
    }
    return Array(begun.sorted().prefix(3))
  }

  /// Returns the optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of
  /// neighbors that turn one word into the other.
  package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
