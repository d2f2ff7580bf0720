internal import SafelightImage
internal import SafelightShaders

/// What there is to know of a kernel beside its formula's code: everything that help, conformance, goldens and
/// benchmarks say of it or do with it is derived from here.
public struct KernelCard<Kernel: ImageKernel>: Sendable {
  /// The name by which a chain calls it, such as `white-balance`.
  public let name: String
  /// One line for a listing, without a final full stop.
  public let summary: String
  /// The formula and what else a user should know; several lines.
  public let discussion: String
  /// The parameters, in the order of the canonical text. A value without a name sets the first.
  public let parameters: [ParameterBinding<Kernel>]
  /// Calls that together reach every branch of the kernel's functions.
  public let examples: [String]
  /// Mistakes in its shader that conformance must find.
  public let defects: [KernelDefect]

  /// Makes a card, whose parameters must have different names.
  public init(
    _ name: String, _ summary: String, discussion: String, _ parameters: [ParameterBinding<Kernel>] = [],
    examples: [String], defects: [KernelDefect]
  ) {
    trap(
      unless: Set(parameters.map(\.parameter.name)).count == parameters.count,
      "kernel '\(name)' has two parameters of the same name")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
    self.examples = examples
    self.defects = defects
  }

  /// What the functions of the kernel are called in GLSL, captures and labels: underscores for hyphens.
  var functionName: String { String(name.map { $0 == "-" ? "_" : $0 }) }

  /// The text of this package whose file is called as the kernel.
  var shader: ShaderText {
    guard let source = ShaderSource(named: functionName) else {
      trap("kernel '\(name)' has no \(functionName).glsl in Shaders/; add it, or give the kernel a shader")
    }
    return ShaderText(source)
  }

  /// Stops the program where a property of `kernel` lies outside the range of its parameter.
  func check(_ kernel: Kernel) {
    for binding in parameters {
      let value = binding.value(kernel)
      // A case of a type cannot be wrong, and there may be values without a word.
      if case .choice = value { continue }
      trap(
        unless: binding.parameter.allows(value),
        "\(name): \(binding.parameter.name) is \(value), and must be \(binding.parameter.allowedValues)")
    }
  }
}

/// One mistake in the GLSL of a kernel, which conformance must find.
public struct KernelDefect: Sendable, CustomStringConvertible {
  /// The mistakes that programmers make.
  public enum Kind: String, Sendable, CaseIterable {
    /// A factor or a limit is wrong.
    case coefficient
    /// A channel is taken for another.
    case channel
    /// The last row is not reached.
    case lastRow
    /// A rounding is missing, or another one.
    case rounding
  }

  /// What kind of mistake it is.
  public let kind: Kind
  /// The kernel, called so that the mistake matters: `saturation=1.2`.
  public let settings: String
  /// A part of the kernel's shader.
  public let find: String
  /// What stands there by mistake.
  public let replacement: String

  /// Plants `replacement` in the place of `find`, which the functions of the kernel contain.
  public init(_ kind: Kind, _ settings: String, _ find: String, _ replacement: String) {
    self.kind = kind
    self.settings = settings
    self.find = find
    self.replacement = replacement
  }

  /// `rounding of saturation=1.2: '+ 2048' → '+ 2047'`.
  public var description: String { "\(kind) of \(settings): '\(find)' → '\(replacement)'" }
}
