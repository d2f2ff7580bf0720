internal import Glibc
internal import SafelightImage

/// More or less light, in stops: doubled or halved where light is counted, which is behind the curve of sRGB.
///
///     out = encoded(linear(x) · 2^stops)
///
/// with the functions of ``SRGBCurve``; what becomes lighter than white is white.
public struct Exposure: Hashable, Sendable {
  /// How often the light is doubled; halved where negative.
  public let stops: Double

  /// Makes an exposure of finite `stops`.
  public init(stops: Double) {
    trap(unless: stops.isFinite, "an exposure of \(stops) stops has no meaning; give a number")
    self.stops = stops
  }

  /// What becomes of `value`, from 0 to 1. Black stays black: beyond 1000 stops, all else is white anyway, the light stays finite.
  public func output(_ value: Double) -> Double {
    SRGBCurve.encoded(min(SRGBCurve.linear(value) * exp2(min(stops, 1000)), 1))
  }
}

/// The curve of sRGB, IEC 61966-2-1, between samples and light, both from 0 to 1.
public enum SRGBCurve {
  /// The light that a sample stands for: `x / 12.92` up to 0.04045, `((x + 0.055) / 1.055)^2.4` above.
  public static func linear(_ sample: Double) -> Double {
    sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
  }

  /// The sample that stands for a light: `12.92 · y` up to 0.0031308, `1.055 · y^(1/2.4) − 0.055` above.
  public static func encoded(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
