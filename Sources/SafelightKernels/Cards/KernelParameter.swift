internal import SafelightImage

/// One setting of a filter: what it is called, what it does and which values it takes.
public struct KernelParameter: Hashable, Sendable {
  /// What a parameter's value is made of, with its limits and the value it has when none is given.
  public enum Kind: Hashable, Sendable {
    /// A real number inside `range`, both ends included.
    case number(range: ClosedRange<Double>, default: Double)
    /// A whole number inside `range`, both ends included.
    case integer(range: ClosedRange<Int>, default: Int)
    /// One of several words.
    case choice([ParameterChoice], default: String)
    /// A text that the filter reads itself; `form` says how it is written, as a phrase with an example.
    case text(form: String, default: String)
    /// The path of a file of some kind, `a .cube file`. Where the file is not required, no path is an empty text.
    case file(form: String, isRequired: Bool)
  }

  /// The name on the left of the equals sign, such as `amount`.
  public let name: String
  /// One line for a listing, without a final full stop.
  public let summary: String
  /// The values allowed.
  public let kind: Kind

  /// Makes a parameter, whose default must itself be allowed.
  public init(_ name: String, _ summary: String, _ kind: Kind) {
    self.name = name
    self.summary = summary
    self.kind = kind
    trap(
      unless: isRequired || allows(defaultValue),
      "the default of '\(name)' is \(defaultValue), which is not \(allowedValues)")
  }

  /// True where a call must name a value.
  public var isRequired: Bool {
    guard case .file(_, let isRequired) = kind else { return false }
    return isRequired
  }

  /// The value used where a call names none.
  public var defaultValue: ParameterValue {
    switch kind {
    case .number(_, let value): .number(value)
    case .integer(_, let value): .integer(value)
    case .choice(_, let value): .choice(value)
    case .text(_, let value): .text(value)
    case .file: .text("")
    }
  }

  /// The values allowed, as a phrase: `a number from 0 to 4`, `each or luma`.
  public var allowedValues: String {
    switch kind {
    case .number(let range, _):
      "a number from \(ParameterValue.number(range.lowerBound)) to \(ParameterValue.number(range.upperBound))"
    case .integer(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let choices, _): alternatives(choices.map(\.value))
    case .text(let form, _): form
    case .file(let form, _): "the path of \(form)"
    }
  }

  /// True when `value` is of this parameter's kind and inside its limits.
  public func allows(_ value: ParameterValue) -> Bool {
    switch (kind, value) {
    case (.number(let range, _), .number(let number)): range.contains(number)
    case (.integer(let range, _), .integer(let number)): range.contains(number)
    case (.choice(let choices, _), .choice(let word)): choices.contains { $0.value == word }
    case (.text, .text): true
    case (.file(_, let isRequired), .text(let path)): !(isRequired && path.isEmpty)
    default: false
    }
  }
}

/// A word that a parameter accepts.
public struct ParameterChoice: Hashable, Sendable {
  /// The word, such as `luma`.
  public let value: String
  /// What choosing it does, in one line without a final full stop.
  public let summary: String

  /// Makes a choice.
  public init(_ value: String, _ summary: String) {
    self.value = value
    self.summary = summary
  }
}

/// Words as a list for a sentence: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.first ?? "" }
  return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}
