/// Texts as XML 1.0 allows them.
package enum XMLText {
  /// What stands between tags.
  package static func content(_ text: String) -> String { escaped(text, keepingLines: true) }

  /// What stands in quotation marks.
  ///
  /// A reader turns line ends and tabs of an attribute into spaces, unless they are written as references (XML 1.0, 3.3.3).
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
      // Control characters cannot be written at all, not even as references (XML 1.0, 2.2).
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
