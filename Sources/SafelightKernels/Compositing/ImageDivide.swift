/// A kernel that divides a picture by a second: Metal Performance Shaders' `MPSImageDivide`. The formula is on its
/// ``card``.
public struct ImageDivide: ScaledArithmeticKernel {
  /// The factor of the picture, from −16 to 16.
  public var primaryScale = 1.0
  /// The factor of the second picture, from −16 to 16.
  public var secondaryScale = 1.0
  /// A number added to each result, from −1 to 1; 1 is the maximum sample.
  public var bias = 0.0

  /// Makes the kernel without factors.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.divide

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "divide", "divides the frames by a second picture or sequence",
    """
        out = (scale / with-scale) * frame * maximum / second + bias * maximum

    Where the second picture is 0, the quotient counts as 0, as in OpenCV.
    """, factors: "scale / with-scale is taken",
    examples: ["divide", "divide=scale=0.3:bias=0.1", "divide=scale=7:with-scale=-9:bias=1"])
}
