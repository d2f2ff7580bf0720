public import SafelightImage

/// A kernel that divides colors by alpha, which undoes ``ImagePremultiply`` as far as its rounding allows; vImage's
/// `vImageUnpremultiplyData_RGBA8888`. The formula is on its ``card``.
public struct ImageUnpremultiply: PointKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "unpremultiply", "divides colors by alpha: what premultiply did is undone",
    discussion: """
          out = min(floor((v * maximum + floor(a / 2)) / a), maximum), 0 where a is 0

      Alpha stays; pictures without stay as they are. The picture is tagged straight: one that is already is refused, as
      every PNG with alpha is, and so is one of limited range.
      """,
    examples: ["unpremultiply"])

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    let (pixel, maximum) = (SIMD4<UInt32>(truncatingIfNeeded: pixel), UInt32(truncatingIfNeeded: samples.maximum))
    let alpha = pixel.w
    if alpha == 0 { return .zero }
    let made = (pixel &* maximum &+ alpha / 2) / alpha
    return SIMD4<Int32>(
      truncatingIfNeeded: SIMD4(min(made.x, maximum), min(made.y, maximum), min(made.z, maximum), alpha))
  }

  /// Straight; refuses pictures tagged straight and limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.converted(to: .straight, by: Self.card.name)
  }
}
