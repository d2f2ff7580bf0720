/// Single quotes around a value that holds separators: `lut=file='a,b.cube'`; a quote inside is written twice.
package enum FilterQuotes {
  /// `text` as it stands in a chain: quoted where it would not be read back as it is.
  package static func quoted(_ text: String) -> String {
    func mustBeQuoted(_ character: Character) -> Bool {
      ",:'".contains(character) || (character.isWhitespace && character != " ")
    }
    let isPlain = !text.isEmpty && !text.contains(where: mustBeQuoted) && text.first != " " && text.last != " "
    return isPlain
      ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// `text` with one kind of space outside quotes, so that no line break of a script reaches a message; inside them
  /// every character counts.
  package static func withPlainSpaces(_ text: String) -> String {
    var isQuoted = false
    return String(
      text.map { character in
        if character == "'" { isQuoted.toggle() }
        return character.isWhitespace && !isQuoted ? " " : character
      })
  }

  /// What a value of a chain stands for.
  package static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.first == "'", text.last == "'" else { return text }
    return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'")
  }

  /// The parts between separators that stand outside quotes; nil where a quote is not closed.
  package static func split(_ text: Substring, at separator: Character) -> [Substring]? {
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
    return isQuoted ? nil : parts + [text[start...]]
  }
}
