internal import Glibc

/// A kernel that makes the middle lighter or darker, like ImageMagick's and GIMP's gamma, and Core Image's
/// `CIGammaAdjust` with the inverse. The formula is on its ``card``.
public struct ImageGamma: ToneKernel {
  /// The gamma, from 0.1 to 10; above 1 is lighter.
  public var gamma = 1.0
  /// The channels that are changed.
  public var channels = ToneChannels.all

  /// Makes a gamma of 1, which changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "gamma", "makes the middle lighter or darker",
    discussion: """
          y = x^(1 / gamma)

      \(quantized)
      """,
    [.number("gamma", "above 1 is lighter, below 1 darker", \.gamma, in: 0.1...10), .toneChannels(\.channels)],
    examples: ["gamma=2.2", "gamma=0.5:channels=blue"])

  /// Returns the output for `value`, both from 0 to 1.
  public func output(_ value: Double) -> Double { pow(value, 1 / gamma) }
}
