internal import Glibc
internal import SafelightImage

/// A matrix that makes new colors of red, green and blue: three rows and a bias, as in Core Image's `CIColorMatrix`.
///
///     R' = red.x · R + red.y · G + red.z · B + bias.x,   G' and B' likewise
public struct ColorVectors: Hashable, Sendable {
  /// The parts of red, green and blue in the new red; each in ``coefficients``.
  public var red: SIMD3<Double>
  /// The parts in the new green.
  public var green: SIMD3<Double>
  /// The parts in the new blue.
  public var blue: SIMD3<Double>
  /// The amounts added to each, 1 for white; each in ``coefficients``.
  public var bias: SIMD3<Double>

  /// The possible coefficients and biases.
  public static let coefficients = -16.0...16.0

  /// Makes a matrix of three rows.
  public init(red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>, bias: SIMD3<Double> = .zero) {
    self.red = red
    self.green = green
    self.blue = blue
    self.bias = bias
  }

  /// The matrix that changes nothing.
  public static let identity = ColorVectors(gains: SIMD3(1, 1, 1))

  /// Makes a matrix that multiplies each channel by a factor.
  public init(gains: SIMD3<Double>) {
    self.init(red: SIMD3(gains.x, 0, 0), green: SIMD3(0, gains.y, 0), blue: SIMD3(0, 0, gains.z))
  }

  /// Makes a matrix whose result is the gray of a luma.
  public init(grayOf weights: LumaWeights) {
    self.init(red: weights.shares, green: weights.shares, blue: weights.shares)
  }

  /// Makes a matrix that turns hues by an angle, red towards green; grays and the luma of every color stay. The formula
  /// is on the card of ``ImageHue``.
  ///
  /// The plane of constant luma is sheared to stand upright on the gray axis, turned about it, and sheared back. With
  /// equal weights a third of a turn exchanges the channels. Colors that leave the cube of samples are clamped and lose
  /// their luma.
  public init(hueTurnedBy degrees: Double, weights: LumaWeights = .bt601) {
    let w = weights.shares
    let (cosine, sine) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180) / 3.0.squareRoot())
    // The rows N, and their luma.
    let turns = [SIMD3(0.0, -1, 1), SIMD3(1.0, 0, -1), SIMD3(-1.0, 1, 0)]
    let turned = SIMD3(w.y - w.z, w.z - w.x, w.x - w.y)
    let rows = (0..<3).map { row in
      var unit = SIMD3<Double>.zero
      unit[row] = 1
      return w + cosine * (unit - w) + sine * (turns[row] - turned)
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2])
  }
}

extension ColorVectors {
  /// The color temperatures, in kelvins, that ``init(temperature:tint:)`` takes.
  public static let temperatures = 2000.0...15000.0
  /// The tints that it takes: distances from the locus of glowing bodies in 1/3000 of CIE 1960 uv, as in the DNG SDK.
  public static let tints = -100.0...100.0
  /// The temperature that changes nothing.
  public static let neutralTemperature = 6504.0

  /// Makes a matrix that removes the color of a light from a picture, by the formula on the card of
  /// ``ImageWhiteBalance``. More than the neutral 6504 kelvins mean that the light was bluish and make the picture
  /// warmer; a tint above 0 means that it was greenish and makes the picture more magenta.
  public init(temperature: Double, tint: Double = 0) {
    trap(
      unless: Self.temperatures.contains(temperature) && Self.tints.contains(tint),
      "a light of \(temperature) K and tint \(tint) is out of range; use \(Self.temperatures) K and a tint in "
        + "\(Self.tints)")
    let neutral = Self.white(Self.neutralTemperature, 0)
    let white = Self.white(temperature, tint)
    var gains = SIMD3<Double>.zero
    // Samples are about the 1/2.2th power of light.
    for channel in 0..<3 { gains[channel] = pow(neutral[channel] / white[channel], 1 / 2.2) }
    self.init(gains: gains / (gains * LumaWeights.bt709.shares).sum())
  }

  /// Returns the light in linear sRGB (IEC 61966-2-1), with luminance 1.
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

  /// Returns the chromaticity of a glowing body in CIE 1960 uv, by Krystek.
  private static func locus(_ t: Double) -> SIMD2<Double> {
    SIMD2(
      (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t) / (1 + 8.42420235e-4 * t + 7.08145163e-7 * t * t),
      (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t) / (1 - 2.89741816e-5 * t + 1.61456053e-7 * t * t))
  }
}
