/// A kernel that replaces each pixel's color by its luma. The formula is on its ``card``.
public struct ImageGray: ColorMatrixKernel {
  /// The weights of the luma.
  public var weights = LumaWeights.bt601

  /// Makes the kernel with the weights of BT.601.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "gray", "each pixel's luma in place of its color",
    discussion: """
          R = G = B = (wr*R + wg*G + wb*B + 32768) >> 16

      with weights in 1/65536 and sum 65536. The picture keeps its samples, three of them now alike. Alpha stays; a gray
      picture stays as it is.
      """,
    [.lumaWeights(\.weights)], examples: ["gray", "gray=bt2020"])

  /// The weights in each row.
  public var vectors: ColorVectors { ColorVectors(grayOf: weights) }
}
