public import SafelightImage

/// A kernel that multiplies colors by alpha; vImage's `vImagePremultiplyData_RGBA8888` and related functions. The
/// formula is on its ``card``.
public struct ImagePremultiply: PointKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "premultiply", "multiplies colors by alpha",
    discussion: """
          out = floor((v * a + floor(maximum / 2)) / maximum)

      Alpha stays; pictures without stay as they are. The picture is tagged premultiplied: one that is already, or of
      limited range, is refused, and so is writing it as a PNG, which has straight alpha alone.
      """,
    examples: ["premultiply"])

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    let (pixel, maximum) = (SIMD4<UInt32>(truncatingIfNeeded: pixel), UInt32(truncatingIfNeeded: samples.maximum))
    let made = (pixel &* pixel.w &+ maximum / 2) / maximum
    return SIMD4<Int32>(truncatingIfNeeded: SIMD4(made.x, made.y, made.z, pixel.w))
  }

  /// Premultiplied; refuses premultiplied pictures and limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.converted(to: .premultiplied, by: Self.card.name)
  }
}
