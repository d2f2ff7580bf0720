/// A parameter's value, read and sorted by kind.
public enum ParameterValue: Hashable, Sendable, CustomStringConvertible {
  /// A real number.
  case number(Double)
  /// A whole number.
  case integer(Int)
  /// A word.
  case choice(String)
  /// A text or a path.
  case text(String)

  /// The text that ``FilterSyntax`` reads back as the same value: `1.2`, `3`, `luma`.
  public var description: String {
    switch self {
    case .number(let number): Self.text(number)
    case .integer(let number): String(number)
    case .choice(let word): word
    case .text(let text): FilterQuotes.quoted(text)
    }
  }

  /// The shortest text that names `number` and no other, without the `.0` that Swift writes after a whole one.
  private static func text(_ number: Double) -> String {
    guard number != 0 else { return "0" }  // −0 is the same setting as 0 and reads the same.
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
