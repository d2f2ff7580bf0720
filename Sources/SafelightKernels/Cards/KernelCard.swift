internal import SafelightImage
internal import SafelightShaders

/// The description of a kernel, from which help, conformance, goldens and benchmarks are derived.
public struct KernelCard<Kernel: ImageKernel>: Sendable {
  /// The kernel's name in a chain, such as `white-balance`.
  public let name: String
  /// A line for a listing, without a final full stop.
  public let summary: String
  /// The formula and other facts for users; several lines.
  public let discussion: String
  /// The parameters in the order of the canonical text. A value without a name sets the first.
  public let parameters: [ParameterBinding<Kernel>]
  /// Calls that together reach every branch of the kernel's functions; the first makes the golden.
  public let examples: [String]
  /// True if the kernel's results are upright as they are stored, so that a viewer must not turn them.
  public let makesUpright: Bool
  /// A phrase that describes the kernel's second picture, which chains name by a last parameter, `with`. Nil if the
  /// kernel reads one picture.
  public let secondPicture: String?

  /// Makes a card; traps if two parameters have the same name.
  public init(
    _ name: String, _ summary: String, discussion: String, _ parameters: [ParameterBinding<Kernel>] = [],
    examples: [String], makesUpright: Bool = false, secondPicture: String? = nil
  ) {
    trap(
      unless: Set(parameters.map(\.parameter.name)).count == parameters.count
        && (secondPicture == nil || !parameters.contains { $0.parameter.name == "with" }),
      "kernel '\(name)' has two parameters of the same name")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
    self.examples = examples
    self.makesUpright = makesUpright
    self.secondPicture = secondPicture
  }

  /// The name of the kernel's functions in GLSL, captures and labels, with underscores for hyphens.
  var functionName: String { String(name.map { $0 == "-" ? "_" : $0 }) }

  /// This package's shader file with the kernel's name.
  var shader: ShaderText {
    guard let source = ShaderSource(named: functionName) else {
      trap("kernel '\(name)' has no \(functionName).glsl in Shaders/; add it, or give the kernel a shader")
    }
    return ShaderText(source)
  }

  /// Returns the call of `kernel` in a chain, `median=diameter=5`, with every parameter.
  func call(_ kernel: Kernel) -> String {
    let values = parameters.map { "\($0.parameter.name)=\($0.value(kernel))" }
    return values.isEmpty ? name : "\(name)=\(values.joined(separator: ":"))"
  }

  /// Traps if a property of `kernel` lies outside the range of its parameter.
  func check(_ kernel: Kernel) {
    for binding in parameters {
      let value = binding.value(kernel)
      // A case of a type is always valid, and some values have no word.
      if case .choice = value { continue }
      trap(
        unless: binding.parameter.allows(value),
        "\(name): \(binding.parameter.name) is \(value), and must be \(binding.parameter.allowedValues)")
    }
  }
}
