import SafelightImage

/// Reads filter chains, written as ffmpeg's are: `equalize=rule=opencv:channels=luma,saturation=1.2`.
///
/// A comma separates filters, the first `=` a filter from its parameters, a colon its parameters. The first value may
/// stand without a name and then sets the filter's first parameter. Space around names, values and separators is
/// ignored. Texts and paths with separators in them stand in single quotes, where a quote is written twice.
public enum FilterSyntax {
  /// Reads `text` as a chain of filters of `catalogue`, in the order in which they apply.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`, one line that says what to write instead: for an empty chain,
  /// filter or
  ///   parameter, a name that does not exist, a value outside its limits, a parameter given twice or without a value.
  public static func parse(_ text: String, catalogue: [FilterDescription]) throws -> [FilterCall] {
    let text = FilterQuotes.withPlainSpaces(text)
    guard !trimmed(text[...]).isEmpty else { throw FilterErrors.emptyChain() }
    guard let parts = FilterQuotes.split(text[...], at: ",") else { throw FilterErrors.openQuote() }
    return try parts.enumerated().map { index, part in
      let (name, arguments) = halves(part)
      guard !name.isEmpty else { throw FilterErrors.emptyFilter(position: index + 1) }
      return try call(filter(named: name, in: catalogue), arguments: arguments)
    }
  }

  /// The chain's canonical text, which ``parse(_:catalogue:)`` reads back as the same calls.
  public static func text(of chain: [FilterCall]) -> String {
    chain.map(\.description).joined(separator: ",")
  }

  /// The filter of `catalogue` that is called `name`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that lists the nearest names, or all where none is near.
  public static func filter(named name: String, in catalogue: [FilterDescription]) throws -> FilterDescription {
    guard let found = catalogue.first(where: { $0.name == name }) else {
      throw FilterErrors.unknownFilter(name, catalogue: catalogue.map(\.name))
    }
    return found
  }

  private static func call(_ filter: FilterDescription, arguments: Substring?) throws -> FilterCall {
    guard let arguments else { return try FilterCall(filter) }
    guard let parts = FilterQuotes.split(arguments, at: ":") else { throw FilterErrors.openQuote() }
    var filter = filter
    var values: [String: ParameterValue] = [:]
    for (index, part) in parts.enumerated() {
      let (parameter, text) = try argument(part, isFirst: index == 0, of: filter)
      guard values[parameter.name] == nil else { throw FilterErrors.duplicate(parameter, of: filter) }
      guard let value = value(text, as: parameter.kind), parameter.allows(value) else {
        throw FilterErrors.refused(text, for: parameter, of: filter)
      }
      values[parameter.name] = value
      // The file, which comes first, says which parameters follow.
      if index == 0, filter.name == ShaderFilter.card.name, case .text(let file) = value {
        filter = try ShaderFilter.description(of: file)
      }
    }
    return try FilterCall(filter, values)
  }

  /// The parameter that `part` sets and the text of its value.
  private static func argument(
    _ part: Substring, isFirst: Bool, of filter: FilterDescription
  ) throws -> (KernelParameter, String) {
    let (left, right) = halves(part)
    guard let right else {
      guard !left.isEmpty else { throw FilterErrors.emptyParameter(of: filter) }
      if let parameter = filter.parameter(left) { throw FilterErrors.noValue(for: parameter, of: filter) }
      guard let first = filter.parameters.first else { throw FilterErrors.unknownParameter(left, of: filter) }
      guard isFirst else { throw FilterErrors.noKey(left, of: filter) }
      return (first, left)
    }
    guard !left.isEmpty else { throw FilterErrors.emptyParameter(of: filter) }
    guard let parameter = filter.parameter(left) else { throw FilterErrors.unknownParameter(left, of: filter) }
    let text = trimmed(right)
    guard !text.isEmpty else { throw FilterErrors.noValue(for: parameter, of: filter) }
    return (parameter, text)
  }

  private static func value(_ text: String, as kind: KernelParameter.Kind) -> ParameterValue? {
    switch kind {
    case .choice: return .choice(text)
    case .text, .file: return .text(FilterQuotes.unquoted(text))
    case .integer: return Int(text).map(ParameterValue.integer)
    case .number: return DecimalText.number(text).map(ParameterValue.number)
    }
  }

  /// What stands before the first equals sign, and what follows it; a quoted value may hold one.
  private static func halves(_ text: Substring) -> (String, Substring?) {
    guard let sign = text.firstIndex(of: "="), !trimmed(text[..<sign]).hasPrefix("'") else {
      return (trimmed(text), nil)
    }
    return (trimmed(text[..<sign]), text[text.index(after: sign)...])
  }

  private static func trimmed(_ text: Substring) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[first...last])
  }
}

/// What a catalogue says of one filter: its name, its meaning and its settings.
public struct FilterDescription: Hashable, Sendable {
  /// The name a chain calls it by, such as `equalize`.
  public let name: String
  /// One line for a listing, without a final full stop.
  public let summary: String
  /// The formula and what else a user should know; several lines.
  public let discussion: String
  /// The settings, in the order of the canonical text. A value without a key sets the first.
  public let parameters: [KernelParameter]

  /// Makes a description, whose parameters must have different names.
  public init(name: String, summary: String, discussion: String = "", parameters: [KernelParameter] = []) {
    trap(
      unless: Set(parameters.map(\.name)).count == parameters.count,
      "filter '\(name)' has two parameters of the same name")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
  }

  /// What is on the card of a kernel.
  init<Kernel: ImageKernel>(_ card: KernelCard<Kernel>) {
    self.init(
      name: card.name, summary: card.summary, discussion: card.discussion,
      parameters: card.parameters.map(\.parameter))
  }

  /// The parameter called `name`, if there is one.
  public func parameter(_ name: String) -> KernelParameter? {
    parameters.first { $0.name == name }
  }
}
