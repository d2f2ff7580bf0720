/// A kernel that makes the means of two pictures. The formula is on its ``card``.
public struct ImageAverage: ArithmeticKernel {
  /// Makes the kernel.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.average

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "average", "the mean of the frames and a second picture or sequence", "    out = (frame + second) / 2, halves up",
    examples: ["average"])
}
