package import SafelightImage

/// Single quotes around a value with separators: `lut=file='a,b.cube'`; a quote inside is doubled.
package enum FilterQuotes {
  /// Returns `text` as written in a chain: quoted if it would not be parsed unchanged.
  package static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text.first != " " && text.last != " "
      && !text.contains { ",:'".contains($0) || ($0.isWhitespace && $0 != " ") }
    return isPlain ? text : "'\(text.replacing("'", with: "''"))'"
  }

  /// Returns `text` with spaces for all white space outside quotes: no line break of a script reaches a message.
  package static func withPlainSpaces(_ text: String) -> String {
    var isQuoted = false
    return String(
      text.map { character in
        if character == "'" { isQuoted.toggle() }
        return character.isWhitespace && !isQuoted ? " " : character
      })
  }

  /// Returns the text that a value of a chain stands for.
  package static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.first == "'", text.last == "'" else { return text }
    return text.dropFirst().dropLast().replacing("''", with: "'").description
  }

  /// Returns the parts between separators outside quotes; throws if a quote is not closed.
  package static func split(_ text: Substring, at separator: Character) throws(SafelightError) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    for index in text.indices {
      if text[index] == "'" { isQuoted.toggle() }
      if text[index] == separator, !isQuoted {
        parts.append(text[start..<index])
        start = text.index(after: index)
      }
    }
    try ensure(
      !isQuoted, .usage, "filter chain", why: "a quote is not closed",
      remedy: "put the whole value in quotes, and double each quote inside it")
    return parts + [text[start...]]
  }
}
