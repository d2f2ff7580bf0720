/// A kernel that turns hues about the gray axis, red towards green; Core Image's `CIHueAdjust`. The formula is on its
/// ``card``.
public struct ImageHue: ColorMatrixKernel {
  /// The angle in degrees, from −360 to 360.
  public var angle = 0.0
  /// The weights of the luma that is kept.
  public var weights = LumaWeights.bt601

  /// Makes the kernel that changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "hue", "turns hues about the gray axis; luma stays",
    discussion: """
      With w the luma's weights, s = sin(angle) / sqrt(3), c = cos(angle), and N the rows (0, -1, 1), (1, 0, -1),
      (-1, 1, 0), as in P. Haeberli, Matrix Operations for Image Processing, 1993, row i of the matrix is

          w + c * (unit(i) - w) + s * (N(i) - w * N)

      and then

      \(KernelCard<Self>.quantizedMatrix)
      Grays stay, and so does the luma of colors that are not cut at 0 or maximum. Red turns towards green. A gray
      picture stays as it is.
      """,
    [.number("angle", "degrees", \.angle, in: -360...360), .lumaWeights(\.weights)],
    examples: ["hue=30", "hue=angle=-100:weights=bt709"])

  /// The matrix of the turn.
  public var vectors: ColorVectors { ColorVectors(hueTurnedBy: angle, weights: weights) }
}
