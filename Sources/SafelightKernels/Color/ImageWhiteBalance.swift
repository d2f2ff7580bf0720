public import SafelightImage

/// A kernel that removes the color of the light from a picture; Core Image's `CITemperatureAndTint`. The formula is on
/// its ``card``.
public struct ImageWhiteBalance: ColorMatrixKernel {
  /// The light's color temperature in kelvins, in ``ColorVectors/temperatures``.
  public var temperature = ColorVectors.neutralTemperature
  /// The greenish tint of the light, in ``ColorVectors/tints``.
  public var tint = 0.0
  /// Additional gains of red, green and blue, from 0 to 2.
  public var gains = SIMD3(1.0, 1, 1)

  /// Makes the kernel for neutral light, which changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "white-balance", "takes the color of the light out of the picture",
    discussion: """
      W(T, tint) is the white of a light of T kelvins in linear sRGB (IEC 61966-2-1): the chromaticity of a glowing body
      by M. Krystek, Color Research & Application 10 (1985) 38-40, moved across that locus by tint / 3000 in CIE 1960 uv,
      with no part below 1/64. For each channel

          g    = (W(6504, 0) / W(T, tint)) ^ (1 / 2.2)
          gain = g / (0.2126 * g.red + 0.7152 * g.green + 0.0722 * g.blue) * the channel's own parameter
          out  = clamp((gain * v + 32768) >> 16, 0, maximum), gain in 1/65536

      A higher temperature says that the light was bluer, and makes the picture warmer; a tint above 0 says that it was
      greenish. Grays keep their BT.709 luma. Alpha stays. Gray pictures are refused unless all gains are the same, and
      so are pictures of limited range.
      """,
    [
      .number("temperature", "the light's color temperature in kelvins", \.temperature, in: ColorVectors.temperatures),
      .number("tint", "how far the light was greenish", \.tint, in: ColorVectors.tints),
      .number("red", "a gain of red", \.gains.x, in: 0...2), .number("green", "a gain of green", \.gains.y, in: 0...2),
      .number("blue", "a gain of blue", \.gains.z, in: 0...2),
    ],
    examples: ["white-balance=9000", "white-balance=temperature=3200:tint=-20:red=1.1"])

  /// The gains on the diagonal.
  public var vectors: ColorVectors {
    var vectors = ColorVectors(temperature: temperature, tint: tint)
    vectors.red *= gains.x
    vectors.green *= gains.y
    vectors.blue *= gains.z
    return vectors
  }

  /// Refuses limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: "white-balance")
  }
}
