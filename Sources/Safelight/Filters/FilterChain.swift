public import SafelightGPU
public import SafelightImage
public import SafelightKernels

/// Filters one after the other, made for one device.
public struct FilterChain: Sendable {
  /// The filters as they were called, every parameter spelled out.
  public let calls: [FilterCall]

  package var filters: [any ImageStage]
  /// SHA-256 of the calls and of what is in the files that they name.
  let hash: [UInt8]

  /// Reads a chain such as `equalize=channels=luma,saturation=amount=1.2` and makes its filters on `device`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public init(parsing text: String, device: Device, form: KernelForm = .automatic) throws {
    try self.init(FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions), device: device, form: form)
  }

  /// Makes the filters of `calls` on `device`; `form` is that of all point kernels.
  public init(_ calls: [FilterCall], device: Device, form: KernelForm = .automatic) throws {
    self.calls = calls
    filters = try calls.map { try FilterCatalogue.entry($0).make($0, device, form) }
    // Behind what says that a call makes no sense, which may name a file that is not there.
    hash = try FrameRecipe.hash(of: calls)
  }

  /// True where every filter leaves all samples as they are.
  public var isPassthrough: Bool { calls.allSatisfy { $0.name == "passthrough" } }

  /// How many pictures before its own a picture's result depends on.
  public var history: Int { filters.reduce(0) { $0 + $1.history } }

  /// Returns the size, the format and the meaning of what a picture like `image` becomes.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` or `limit` if a stage is not defined for what the one
  /// before
  /// makes.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try plan(image).last ?? image
  }

  /// What each stage makes of pictures like `image`.
  func plan(_ image: ImageDescriptor) throws(SafelightError) -> [ImageDescriptor] {
    var made = image
    var plan: [ImageDescriptor] = []
    for filter in filters {
      made = try filter.output(of: made)
      plan.append(made)
    }
    return plan
  }

  /// True where each pixel of a result depends on the pixel at its place alone.
  var isPointwise: Bool { filters.allSatisfy { $0.reach == .pixel && $0.history == 0 } }

  /// Forgets the pictures before: the next is the first.
  public func reset() {
    for filter in filters { filter.reset() }
  }
}

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
