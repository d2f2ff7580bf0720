internal import Glibc
internal import SafelightImage

/// Where black and white lie before and after, and how what is between them bends: the levels of Photoshop and GIMP.
///
///     t   = clamp((x − black) / (white − black), 0, 1)
///     out = outputBlack + (outputWhite − outputBlack) · t^(1/gamma)
///
/// Values lie from 0 to 1. A gamma above 1 makes the middle lighter; `outputBlack` above `outputWhite` turns light into dark.
public struct Levels: Hashable, Sendable {
  /// What becomes `outputBlack`; below `white`.
  public let black: Double
  /// What becomes `outputWhite`.
  public let white: Double
  /// The bend between them, above 0; 1 for none.
  public let gamma: Double
  /// What `black` becomes.
  public let outputBlack: Double
  /// What `white` becomes.
  public let outputWhite: Double

  /// Traps on numbers that are not finite, where `black` is not below `white`, and where gamma is not above 0.
  public init(
    black: Double = 0, white: Double = 1, gamma: Double = 1, outputBlack: Double = 0, outputWhite: Double = 1
  ) {
    trap(
      unless: [white - black, outputBlack, outputWhite, outputWhite - outputBlack].allSatisfy(\.isFinite),
      "levels need finite numbers; \(black), \(white), \(outputBlack) and \(outputWhite) were given")
    trap(unless: black < white, "levels need a black below white; \(black) and \(white) were given")
    trap(unless: gamma > 0 && gamma.isFinite, "levels need a gamma above 0; \(gamma) was given")
    self.black = black
    self.white = white
    self.gamma = gamma
    self.outputBlack = outputBlack
    self.outputWhite = outputWhite
  }

  /// What becomes of `value`.
  public func output(_ value: Double) -> Double {
    let position = min(max((value - black) / (white - black), 0), 1)
    return outputBlack + (outputWhite - outputBlack) * pow(position, 1 / gamma)
  }
}
