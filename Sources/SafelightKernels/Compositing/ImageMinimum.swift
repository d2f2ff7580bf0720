/// A kernel that makes the lesser samples of two pictures. The formula is on its ``card``.
public struct ImageMinimum: ArithmeticKernel {
  /// Makes the kernel.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.minimum

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "minimum", "the lesser of the frames and a second picture or sequence", "    out = min(frame, second)",
    examples: ["minimum"])
}
