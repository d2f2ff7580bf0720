/// A kernel that makes the distances of the samples of two pictures. The formula is on its ``card``.
public struct ImageAbsoluteDifference: ArithmeticKernel {
  /// Makes the kernel.
  public init() {}

  /// The operation.
  public static let operation = ArithmeticOperation.difference

  /// The kernel's card.
  public static let card: KernelCard<Self> = makeCard(
    "difference", "the distance of the frames from a second picture or sequence",
    "    out = max(frame, second) - min(frame, second)", examples: ["difference"])
}
