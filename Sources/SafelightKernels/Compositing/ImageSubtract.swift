/// A kernel that subtracts a second picture from a picture: Metal Performance Shaders' `MPSImageSubtract`. The formula
/// is on its ``card``.
public struct ImageSubtract: ScaledArithmeticKernel {
  /// The factor of the picture, from −16 to 16.
  public var primaryScale = 1.0
  /// The factor of the second picture, from −16 to 16.
  public var secondaryScale = 1.0
  /// A number added to each result, from −1 to 1; 1 is the maximum sample.
  public var bias = 0.0

  /// Makes the kernel without factors.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.subtract

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "subtract", "subtracts a second picture or sequence from the frames",
    """
        out = scale * frame - with-scale * second + bias * maximum
    """, factors: "scale and with-scale are taken",
    examples: ["subtract", "subtract=scale=0.5:with-scale=0.5:bias=0.5", "subtract=scale=-1:with-scale=-1"])
}
