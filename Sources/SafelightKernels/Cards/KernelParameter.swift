internal import SafelightImage

/// A setting of a filter: its name, a summary and the values it takes.
public struct KernelParameter: Hashable, Sendable {
  /// The kind of a parameter's value, with its limits and default.
  public enum Kind: Hashable, Sendable {
    /// A real number inside `range`, both ends included.
    case number(range: ClosedRange<Double>, default: Double)
    /// A whole number inside `range`, both ends included.
    case integer(range: ClosedRange<Int>, default: Int)
    /// One of several words.
    case choice([ParameterChoice], default: String)
    /// A text that the filter parses; `form` describes it in a phrase with an example. A path is a `file`.
    case text(form: String, default: String)
    /// The path of a file, a folder or a sequence of pictures (a printf pattern or a glob); `form` names its kind, `a
    /// .cube file`. An optional one may be empty. Runs protect what it names from their outputs, and verify existing
    /// outputs by its contents.
    case file(form: String, isRequired: Bool)
    /// A PNG picture for all frames, or PNG pictures in step with them by position: a folder or a pattern. A call may
    /// give the parameter as often as it likes if `areSeveral`.
    case pictures(areSeveral: Bool, isRequired: Bool)
  }

  /// The name on the left of the equals sign, such as `amount`.
  public let name: String
  /// A line for a listing, without a final full stop.
  public let summary: String
  /// The allowed values.
  public let kind: Kind

  /// Makes a parameter; traps if the default is not allowed.
  public init(_ name: String, _ summary: String, _ kind: Kind) {
    self.name = name
    self.summary = summary
    self.kind = kind
    trap(
      unless: isRequired || allows(defaultValue),
      "the default of '\(name)' is \(defaultValue), which is not \(allowedValues)")
  }

  /// True if the value is a path: that of a file, a folder or pictures.
  package var isPath: Bool {
    switch kind {
    case .file, .pictures: true
    case .number, .integer, .choice, .text: false
    }
  }

  /// Returns whether `text` is one of the words that it takes.
  package func hasWord(_ text: String) -> Bool {
    if case .choice(let choices, _) = kind { choices.contains { $0.value == text } } else { false }
  }

  /// True if the value is a number, which may change over time.
  package var isNumber: Bool {
    switch kind {
    case .number, .integer: true
    case .choice, .text, .file, .pictures: false
    }
  }

  /// The lowest allowed number as text, or the highest if `text` is the lowest.
  package func otherEnd(of text: String) -> String {
    switch kind {
    case .number(let range, _):
      let lowest = ParameterValue.number(range.lowerBound).description
      return lowest == text ? ParameterValue.number(range.upperBound).description : lowest
    case .integer(let range, _): return "\(range.lowerBound)" == text ? "\(range.upperBound)" : "\(range.lowerBound)"
    case .choice, .text, .file, .pictures: return text
    }
  }

  /// True if the value names second pictures.
  package var isPictures: Bool { if case .pictures = kind { true } else { false } }

  /// True if a chain must give a value. A call of a filter alone may lack its pictures.
  public var isRequired: Bool {
    switch kind {
    case .file(_, let isRequired), .pictures(_, let isRequired): isRequired
    case .number, .integer, .choice, .text: false
    }
  }

  /// The value if a call gives none.
  public var defaultValue: ParameterValue {
    switch kind {
    case .number(_, let value): .number(value)
    case .integer(_, let value): .integer(value)
    case .choice(_, let value): .choice(value)
    case .text(_, let value): .text(value)
    case .file, .pictures: .text("")
    }
  }

  /// The allowed values as a phrase: `a number from 0 to 4`, `each or luma`.
  public var allowedValues: String {
    switch kind {
    case .number(let range, _):
      "a number from \(ParameterValue.number(range.lowerBound)) to \(ParameterValue.number(range.upperBound))"
    case .integer(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let choices, _): alternatives(choices.map(\.value))
    case .text(let form, _): form
    case .file(let form, _): "the path of \(form)"
    case .pictures: "the path of a PNG picture, or of a folder or pattern of them, one for each frame"
    }
  }

  /// Returns whether `value` is of this parameter's kind and within its limits.
  public func allows(_ value: ParameterValue) -> Bool {
    switch (kind, value) {
    case (.number(let range, _), .number(let number)): range.contains(number)
    case (.integer(let range, _), .integer(let number)): range.contains(number)
    case (.number, .series(let series)), (.integer, .series(let series)): series.values.allSatisfy { allows($0) }
    case (.choice(let choices, _), .choice(let word)): choices.contains { $0.value == word }
    case (.text, .text), (.pictures, .text): true
    case (.file(_, let isRequired), .text(let path)): !(isRequired && path.isEmpty)
    default: false
    }
  }
}

/// A word that a parameter accepts.
public struct ParameterChoice: Hashable, Sendable {
  /// The word, such as `luma`.
  public let value: String
  /// The effect in one line, without a final full stop.
  public let summary: String

  /// Makes a choice.
  public init(_ value: String, _ summary: String) {
    self.value = value
    self.summary = summary
  }
}

/// Joins words for a sentence: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.first ?? "" }
  return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}

/// A parameter's value.
public enum ParameterValue: Hashable, Sendable, CustomStringConvertible {
  /// A real number.
  case number(Double)
  /// A whole number.
  case integer(Int)
  /// A word.
  case choice(String)
  /// A text, or a path.
  case text(String)
  /// A number's values over time, for a parameter that is a number.
  case series(ValueSeries)

  /// The text that ``FilterSyntax`` parses to the same value: `1.2`, `3`, `luma`.
  public var description: String {
    switch self {
    case .number(let number): DecimalText.text(number)
    case .integer(let number): String(number)
    case .choice(let word): word
    case .text(let text): FilterQuotes.quoted(text)
    case .series(let series): series.description
    }
  }

  /// Returns the value for the frame at `index`, from 0; the same for all unless it is a series.
  package func value(at index: Int) -> ParameterValue {
    if case .series(let series) = self { series.value(at: index) } else { self }
  }

  /// The values over time; nil for a value that is the same for all frames.
  package var series: ValueSeries? { if case .series(let series) = self { series } else { nil } }
}
