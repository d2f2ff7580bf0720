/// A kernel that adds a second picture to a picture: Metal Performance Shaders' `MPSImageAdd`. The formula is on its
/// ``card``.
public struct ImageAdd: ScaledArithmeticKernel {
  /// The factor of the picture, from −16 to 16.
  public var primaryScale = 1.0
  /// The factor of the second picture, from −16 to 16.
  public var secondaryScale = 1.0
  /// A number added to each result, from −1 to 1; 1 is the maximum sample.
  public var bias = 0.0

  /// Makes the kernel without factors.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.add

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "add", "adds a second picture or sequence to the frames",
    """
        out = scale * frame + with-scale * second + bias * maximum
    """, factors: "scale and with-scale are taken",
    examples: ["add", "add=scale=0.75:with-scale=-0.4:bias=0.25", "add=scale=-3.7:with-scale=16"])
}
