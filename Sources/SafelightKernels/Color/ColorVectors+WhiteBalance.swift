internal import Glibc
internal import SafelightImage

extension ColorVectors {
  /// Color temperatures of light that ``init(temperature:tint:)`` takes, in kelvins.
  public static let temperatures = 2000.0...15000.0
  /// Distances from the locus of glowing bodies that it takes, in 1/3000 of CIE 1960 uv, as the DNG SDK counts tint.
  public static let tints = -100.0...100.0
  /// The temperature that changes nothing.
  public static let neutralTemperature = 6504.0

  /// Takes the color of a light out of a picture: more kelvins than the neutral 6504 say that the light was bluish, and
  /// make the picture warmer; a tint above 0 says that it was greenish, and makes the picture more magenta.
  ///
  /// The light's chromaticity lies on the locus of glowing bodies by M. Krystek, *Color Research & Application* 10 (1985) 38–40,
  /// moved across it by tint / 3000, and becomes linear sRGB by IEC 61966-2-1. With W(T, tint) that white, no part below 1/64:
  ///
  ///     g    = (W(6504, 0) / W(T, tint)) ^ (1 / 2.2)   for each channel: samples are about the 1/2.2th power of light
  ///     gain = g / (0.2126 · g.red + 0.7152 · g.green + 0.0722 · g.blue)   so that grays keep their luma
  public init(temperature: Double, tint: Double = 0) {
    trap(
      unless: Self.temperatures.contains(temperature) && Self.tints.contains(tint),
      "a light of \(temperature) K and tint \(tint) lies outside \(Self.temperatures) K and \(Self.tints)")
    let neutral = Self.white(Self.neutralTemperature, 0)
    let white = Self.white(temperature, tint)
    var gains = SIMD3<Double>.zero
    for channel in 0..<3 { gains[channel] = pow(neutral[channel] / white[channel], 1 / 2.2) }
    self.init(gains: gains / (gains * LumaWeights.bt709.shares).sum())
  }

  /// The light in linear sRGB, of luminance 1.
  private static func white(_ temperature: Double, _ tint: Double) -> SIMD3<Double> {
    let (below, above) = (locus(temperature - 1), locus(temperature + 1))
    let along = above - below
    // Across the locus, away from magenta.
    let across = SIMD2(along.y, -along.x) * (along.x < 0 ? 1 : -1) / hypot(along.x, along.y)
    let uv = locus(temperature) + across * tint / 3000
    // CIE 1960 uv to xy to XYZ of Y 1.
    let (x, y) = (3 * uv.x, 2 * uv.y)
    let (X, Z) = (x / y, (2 * uv.x - 8 * uv.y + 4 - x - y) / y)
    let linear = SIMD3(
      3.2406 * X - 1.5372 - 0.4986 * Z, -0.9689 * X + 1.8758 + 0.0415 * Z, 0.0557 * X - 0.2040 + 1.0570 * Z)
    return linear.replacing(with: SIMD3(repeating: 1.0 / 64), where: linear .< 1.0 / 64)
  }

  private static func locus(_ t: Double) -> SIMD2<Double> {
    SIMD2(
      (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t) / (1 + 8.42420235e-4 * t + 7.08145163e-7 * t * t),
      (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t) / (1 - 2.89741816e-5 * t + 1.61456053e-7 * t * t))
  }
}
