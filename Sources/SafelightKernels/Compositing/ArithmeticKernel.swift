public import SafelightGPU
public import SafelightImage

/// A kernel that makes each color sample of those of two pictures at its place.
public protocol ArithmeticKernel: PassKernel {
  /// The operation on each pair of samples.
  static var operation: ArithmeticOperation { get }
}

/// The operations on two samples.
public enum ArithmeticOperation: Sendable, CaseIterable {
  /// The sum, at most the maximum.
  case add
  /// The first without the second, at least 0.
  case subtract
  /// The product of fractions of the maximum.
  case multiply
  /// The quotient as a fraction of the maximum.
  case divide
  /// The distance.
  case difference
  /// The lesser sample.
  case minimum
  /// The greater sample.
  case maximum
  /// The mean, halves rounded up.
  case average
}

/// An arithmetic kernel whose pictures are multiplied by factors first: Metal Performance Shaders'
/// `MPSImageArithmetic`.
public protocol ScaledArithmeticKernel: ArithmeticKernel {
  /// The factor of the frame, from −16 to 16; taken in 65536ths.
  var primaryScale: Double { get set }
  /// The factor of the second picture, from −16 to 16; not 0 in a quotient.
  var secondaryScale: Double { get set }
  /// A number added to each result, from −1 to 1; 1 is the maximum sample. It is rounded to a whole sample.
  var bias: Double { get set }
}

extension ArithmeticKernel {
  /// Requires straight alpha and full range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try ensure(
      color.alpha != .premultiplied, .unsupported, "filter '\(Self.card.name)'",
      why: "the frame's colors are multiplied by alpha, which stays as it is",
      remedy: "put unpremultiply before it, and premultiply behind")
    return try color.ofFullRange(for: Self.card.name)
  }

  /// One pass.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    try check()
    let factors = (self as? any ScaledArithmeticKernel)?.factors(picture.pixelFormat)
    let operation = factors != nil && Self.operation == .subtract ? .add : Self.operation
    let function = ArithmeticFunction(operation: operation, isScaled: factors != nil)
    let uniforms = factors.map { .words([$0.first, $0.second, $0.bias, 0]) } ?? [UInt8]()
    return [Pass(function, uniforms: uniforms, inputs: [.source(.pixel), .second(.pixel)])]
  }

  /// Records the kernel for `primary` and `secondary`. All textures need the same size and format, and the destination
  /// other memory.
  public func encode(
    to buffer: CommandBuffer, primary: Texture, secondary: Texture, destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: primary, seconds: [secondary], destination: destination, pipeline: pipeline)
  }

  /// Returns the card of a kernel whose discussion begins with `formula`.
  static func makeCard(
    _ name: String, _ summary: String, _ formula: String, _ parameters: [ParameterBinding<Self>] = [],
    examples: [String]
  ) -> KernelCard<Self> {
    KernelCard(
      name, summary,
      discussion: """
        \(formula)

        This is made of each sample of red, green, blue or gray. The frame's alpha stays, and that of the second picture
        does not count.

        \(secondPictures)
        """, parameters, examples: examples, secondPicture: "the picture or the pictures that go with the frames")
  }
}

extension ScaledArithmeticKernel {
  /// Refuses a quotient whose factor has no bounds.
  public func check() throws(SafelightError) {
    try ensure(
      Self.operation != .divide || primaryScale.magnitude <= 256 * secondaryScale.magnitude && secondaryScale != 0,
      .usage, "divide=scale=\(ParameterValue.number(primaryScale)):with-scale=\(ParameterValue.number(secondaryScale))",
      why: "the quotient of both factors is not between -256 and 256", remedy: "make with-scale greater")
  }

  /// The factors in 65536ths and the bias in samples; nil if they change nothing.
  fileprivate func factors(_ format: PixelFormat) -> (first: Int, second: Int, bias: Int)? {
    func rounded(_ factor: Double) -> Int { Int((factor * 65536).rounded()) }
    let bias = Int((bias * Double(format.maximum)).rounded())
    let one = 1 << 16
    switch Self.operation {
    case .multiply, .divide:
      let isProduct = Self.operation == .multiply
      let factor = rounded(isProduct ? primaryScale * secondaryScale : primaryScale / secondaryScale)
      return factor == one && bias == 0 ? nil : (factor, 0, bias)
    default:
      let (first, second) = (rounded(primaryScale), rounded(secondaryScale))
      if first == one && second == one && bias == 0 { return nil }
      return (first, Self.operation == .subtract ? -second : second, bias)
    }
  }

  /// Returns the card of a kernel whose discussion begins with `formula`, and says that `factors` in 65536ths.
  static func makeCard(
    _ name: String, _ summary: String, _ formula: String, factors: String, examples: [String]
  ) -> KernelCard<Self> {
    makeCard(
      name, summary,
      """
      \(formula)

      \(factors) in 65536ths, and bias * maximum is a whole sample. The result is rounded
      once, halves up; below 0 it becomes 0, and above the maximum the maximum.
      """,
      [
        .number("scale", "the factor of the frame", \.primaryScale, in: -16...16),
        .number("with-scale", "the factor of the second picture", \.secondaryScale, in: -16...16),
        .number("bias", "what is added in the end; 1 is the maximum", \.bias, in: -1...1),
      ], examples: examples)
  }
}
