internal import Glibc
public import SafelightImage

/// A kernel that moves black and white and bends the values between: the levels of Photoshop and GIMP. The formula is
/// on its ``card``.
///
/// Values lie from 0 to 1. `outputBlack` above `outputWhite` turns light into dark.
public struct ImageLevels: ToneKernel {
  /// The value that becomes `outputBlack`; below `white`.
  public var black = 0.0
  /// The value that becomes `outputWhite`.
  public var white = 1.0
  /// The bend between them, from 0.1 to 10; above 1 is lighter.
  public var gamma = 1.0
  /// The output for `black`.
  public var outputBlack = 0.0
  /// The output for `white`.
  public var outputWhite = 1.0
  /// The channels that are changed.
  public var channels = ToneChannels.all

  /// Makes levels that change nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "levels", "moves black, white and the middle",
    discussion: """
          t = clamp((x - black) / (white - black), 0, 1)
          y = output-black + (output-white - output-black) * t^(1 / gamma)

      \(quantized)
      """,
    [
      .number("black", "what becomes output-black; below white", \.black, in: 0...1),
      .number("white", "what becomes output-white", \.white, in: 0...1),
      .number("gamma", "the bend between them; above 1 is lighter", \.gamma, in: 0.1...10),
      .number("output-black", "what black becomes", \.outputBlack, in: 0...1),
      .number("output-white", "what white becomes", \.outputWhite, in: 0...1), .toneChannels(\.channels),
    ],
    examples: [
      "levels=black=0.1:white=0.9:gamma=1.2", "levels=output-black=0.91:output-white=0.23:channels=green",
      "levels=gamma=0.45:channels=red",
    ])

  /// Checks that black lies below white.
  public func check() throws(SafelightError) {
    try ensure(
      black < white, .usage, "levels=black=\(black):white=\(white)", why: "black must be less than white",
      remedy: "lower black or raise white; to invert the picture, set output-black above output-white")
  }

  /// Returns the output for `value`, both from 0 to 1.
  public func output(_ value: Double) -> Double {
    let position = min(max((value - black) / (white - black), 0), 1)
    return outputBlack + (outputWhite - outputBlack) * pow(position, 1 / gamma)
  }
}
