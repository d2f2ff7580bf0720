/// A kernel that makes the greater samples of two pictures. The formula is on its ``card``.
public struct ImageMaximum: ArithmeticKernel {
  /// Makes the kernel.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.maximum

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "maximum", "the greater of the frames and a second picture or sequence", "    out = max(frame, second)",
    examples: ["maximum"])
}
