import SafelightImage
package import SafelightKernels

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

  /// Calls the filter that `kernel` is, with its values.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a value that its parameter does not allow.
  package init<Kernel: ImageKernel>(_ kernel: Kernel) throws {
    let values = Kernel.card.parameters.map { ($0.parameter.name, $0.value(kernel)) }
    try self.init(FilterDescription(Kernel.card), Dictionary(uniqueKeysWithValues: values))
  }

  /// The value of a parameter; nil where the filter has none of the name.
  public subscript(_ parameter: String) -> ParameterValue? {
    arguments.first { $0.name == parameter }?.value
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

  /// The canonical text, `equalize=rule=opencv:channels=luma`: every parameter, in the order of the description.
  public var description: String {
    guard !arguments.isEmpty else { return name }
    return name + "=" + arguments.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
  }
}
