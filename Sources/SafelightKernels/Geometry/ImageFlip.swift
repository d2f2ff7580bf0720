public import SafelightGPU
internal import SafelightImage

/// A kernel that mirrors a picture. The formula is on its ``card``.
public struct ImageFlip: PassKernel {
  /// The direction along which pixels change their places.
  public enum Axis: Sendable {
    /// Left and right are exchanged.
    case horizontal
    /// Top and bottom are exchanged.
    case vertical
  }

  /// The direction along which pixels change their places.
  public var axis = Axis.horizontal

  /// Makes a kernel that exchanges left and right.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, axis: Axis) { self.axis = axis }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "flip", "mirrors the picture",
    discussion: """
      horizontal exchanges left and right, vertical top and bottom; samples stay as they are. rotate turns.
      """,
    [.choice("axis", "what is exchanged", \.axis)], examples: ["flip=horizontal", "flip=vertical"])

  /// One pass.
  public func passes(for picture: PassPicture) -> [Pass] {
    [.orienting(axis == .horizontal ? .upMirrored : .downMirrored, of: picture.size)]
  }
}

extension ImageFlip.Axis: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [(.horizontal, "horizontal", "left and right"), (.vertical, "vertical", "top and bottom")]
  }
}
