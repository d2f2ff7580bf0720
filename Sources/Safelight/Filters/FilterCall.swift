import SafelightImage

/// A filter with a value for each of its parameters, all inside their limits.
public struct FilterCall: Hashable, Sendable, CustomStringConvertible {
  /// A parameter and its value.
  public struct Argument: Hashable, Sendable {
    /// The parameter's name.
    public let name: String
    /// Its value.
    public let value: ParameterValue
  }

  /// The filter's name.
  public let name: String
  /// Every parameter of the filter, in the order of its description.
  public let arguments: [Argument]

  init(name: String, arguments: [Argument]) {
    self.name = name
    self.arguments = arguments
  }

  /// Calls `filter` with `values`; parameters not among them keep their defaults.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a parameter the filter does not have or a value it does not
  /// allow.
  public init(_ filter: FilterDescription, _ values: [String: ParameterValue] = [:]) throws {
    for name in values.keys.sorted() where filter.parameter(name) == nil {
      throw FilterErrors.unknownParameter(name, of: filter)
    }
    name = filter.name
    arguments = try filter.parameters.map { parameter in
      guard let value = values[parameter.name] ?? (parameter.isRequired ? nil : parameter.defaultValue) else {
        throw FilterErrors.missing(parameter, of: filter)
      }
      guard parameter.allows(value) else {
        throw FilterErrors.refused(value.description, for: parameter, of: filter)
      }
      return Argument(name: parameter.name, value: value)
    }
  }

  /// The value of a parameter of numbers, whole or not.
  public func number(_ parameter: String) -> Double {
    switch value(parameter) {
    case .number(let number): number
    case .integer(let number): Double(number)
    case .choice, .text: trap("'\(parameter)' of '\(name)' is not a number; ask choice or text")
    }
  }

  /// The value of a parameter of whole numbers.
  public func integer(_ parameter: String) -> Int {
    guard case .integer(let number) = value(parameter) else {
      trap("'\(parameter)' of '\(name)' is not of kind integer; look it up in the filter's description")
    }
    return number
  }

  /// The word chosen for a parameter.
  public func choice(_ parameter: String) -> String {
    guard case .choice(let word) = value(parameter) else {
      trap("'\(parameter)' of '\(name)' is not a choice; ask number or text")
    }
    return word
  }

  /// The text or path given for a parameter; empty where none was.
  public func text(_ parameter: String) -> String {
    guard case .text(let text) = value(parameter) else {
      trap("'\(parameter)' of '\(name)' is neither a text nor a path; ask number or choice")
    }
    return text
  }

  /// The files that it reads; a `data:` address is none.
  public var files: [String] {
    let filter = FilterCatalogue.descriptions.first { $0.name == name }
    return arguments.compactMap { argument in
      guard case .file = filter?.parameter(argument.name)?.kind, case .text(let path) = argument.value, !path.isEmpty,
        !path.hasPrefix("data:")
      else { return nil }
      return path
    }
  }

  private func value(_ parameter: String) -> ParameterValue {
    guard let argument = arguments.first(where: { $0.name == parameter }) else {
      trap("'\(name)' has no parameter '\(parameter)'; use a name of the filter's description")
    }
    return argument.value
  }

  /// The canonical text, `equalize=rule=opencv:channels=luma`: every parameter, in the order of the description.
  public var description: String {
    guard !arguments.isEmpty else { return name }
    return name + "=" + arguments.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
  }
}
