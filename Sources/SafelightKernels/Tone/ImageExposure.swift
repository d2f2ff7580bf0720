internal import Glibc
public import SafelightImage

/// A kernel that doubles or halves the light in stops, on the linear side of the curve of sRGB; Core Image's
/// `CIExposureAdjust`. The formula is on its ``card``.
public struct ImageExposure: ToneKernel {
  /// The number of times the light is doubled, from −10 to 10; negative numbers halve it.
  public var stops = 0.0

  /// Makes the kernel that changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "exposure", "doubles or halves the light, in stops",
    discussion: """
      The light is that behind the curve of sRGB, IEC 61966-2-1, whatever curve the picture is tagged with:

          light = x / 12.92 up to 0.04045, ((x + 0.055) / 1.055)^2.4 above
          more  = min(light * 2^stops, 1)
          y     = 12.92 * more up to 0.0031308, 1.055 * more^(1 / 2.4) - 0.055 above

      A picture of limited range is refused.

      \(quantized)
      """,
    [.number("stops", "how often the light is doubled, halved below 0", \.stops, in: -10...10)],
    examples: ["exposure=1", "exposure=-1.5"])

  /// Returns the output for `value`, both from 0 to 1; lighter than white becomes white.
  public func output(_ value: Double) -> Double { SRGBCurve.encoded(min(SRGBCurve.linear(value) * exp2(stops), 1)) }

  /// Refuses limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: "exposure")
  }
}
