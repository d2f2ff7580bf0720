public import SafelightGPU
public import SafelightImage

/// A kernel of saturation that spares strong colors: the less color a pixel has, the more it changes; similar to Core
/// Image's `CIVibrance`. The formula is on its ``card``.
public struct ImageVibrance: PointKernel {
  /// The strength of the change, from −1 to 1, kept in steps of 1/4096; 0 changes nothing.
  public var amount = 0.5
  /// The weights of the luma.
  public var weights = LumaWeights.bt601

  /// Makes the kernel with an amount of 0.5.
  public init() {}

  /// Makes the kernel; `amount` must lie from −1 to 1.
  public init(device: Device, amount: Double, weights: LumaWeights = .bt601) {
    self.amount = amount
    self.weights = weights
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "vibrance", "saturation that spares strong colors",
    discussion: """
      With a the amount in 1/4096 and gray the luma as saturation has it, in integers:

          rest = maximum - (max(R, G, B) - min(R, G, B))
          gain = 4096 +- floor((|a| * rest + floor(maximum / 2)) / maximum), minus where a is negative
          out  = clamp((gray * 4096 + (v - gray) * gain + 2048) >> 12, 0, maximum)

      A pixel of full color stays; with amount -1 a pixel keeps as much of its color as it has. Alpha stays; a gray
      picture stays as it is.
      """,
    [.number("amount", "strength of the change", \.amount, in: -1...1), .lumaWeights(\.weights)],
    examples: ["vibrance=0.75", "vibrance=-1:weights=average"])

  /// Returns the weights in 1/65536 and the amount in 1/4096.
  public func uniforms(for format: PixelFormat) -> SIMD4<Int32> { weights.block(Int32((amount * 4096).rounded())) }

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: SIMD4<Int32>, _ samples: PointSamples) -> SIMD4<Int32> {
    let rest = samples.maximum &- max(pixel.x, pixel.y, pixel.z) &+ min(pixel.x, pixel.y, pixel.z)
    let change = (Int32(truncatingIfNeeded: uniforms.w.magnitude) &* rest &+ samples.maximum / 2) / samples.maximum
    let gain = uniforms.w < 0 ? 4096 &- change : 4096 &+ change
    return GrayMix.mixed(pixel, gray: GrayMix.luma(pixel, uniforms), gain: gain, maximum: samples.maximum)
  }
}
