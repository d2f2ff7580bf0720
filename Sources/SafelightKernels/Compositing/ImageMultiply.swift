/// A kernel that multiplies a picture by a second: Metal Performance Shaders' `MPSImageMultiply`. The formula is on its
/// ``card``.
public struct ImageMultiply: ScaledArithmeticKernel {
  /// The factor of the picture, from −16 to 16.
  public var primaryScale = 1.0
  /// The factor of the second picture, from −16 to 16.
  public var secondaryScale = 1.0
  /// A number added to each result, from −1 to 1; 1 is the maximum sample.
  public var bias = 0.0

  /// Makes the kernel without factors.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.multiply

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "multiply", "multiplies the frames by a second picture or sequence",
    """
        out = scale * with-scale * frame * second / maximum + bias * maximum
    """, factors: "scale * with-scale is taken",
    examples: ["multiply", "multiply=scale=3:with-scale=1.3:bias=-0.2", "multiply=scale=-1.7:bias=0.9"])
}
