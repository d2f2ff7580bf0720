internal import SafelightImage

/// Contrast about the middle, then brightness: `out = (x − 1/2) · contrast + 1/2 + brightness`, clamped to 0 to 1.
public struct BrightnessContrast: Hashable, Sendable {
  /// What is added; 1 is all from black to white.
  public let brightness: Double
  /// The factor of the distance from the middle; 1 for none.
  public let contrast: Double

  /// Makes the function; both numbers must be finite.
  public init(brightness: Double = 0, contrast: Double = 1) {
    trap(
      unless: brightness.isFinite && contrast.isFinite,
      "brightness \(brightness) and contrast \(contrast) have no meaning; give numbers")
    self.brightness = brightness
    self.contrast = contrast
  }

  /// What becomes of `value`, from 0 to 1.
  public func output(_ value: Double) -> Double {
    min(max((value - 0.5) * contrast + 0.5 + brightness, 0), 1)
  }
}
