public import SafelightGPU
public import SafelightImage

/// A kernel that mixes each color sample with the pixel's luma: 0 gives gray, 1 changes nothing, more gives stronger
/// color. The formula is on its ``card``.
public struct ImageSaturation: PointKernel {
  /// The strength of the color, from 0 to 4, kept in steps of 1/4096.
  public var amount = 1.0
  /// The weights of the luma.
  public var weights = LumaWeights.bt601

  /// Makes the kernel with an amount of 1, which changes nothing.
  public init() {}

  /// Makes the kernel; `amount` must lie from 0 to 4.
  public init(device: Device, amount: Double, weights: LumaWeights = .bt601) {
    self.amount = amount
    self.weights = weights
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "saturation", "mixes each pixel with its luma: weaker or stronger color",
    discussion: """
      With a the amount in 1/4096 and the weights in 1/65536, in integers:

          gray = (wr*R + wg*G + wb*B + 32768) >> 16
          out  = clamp((gray * 4096 + (v - gray) * a + 2048) >> 12, 0, maximum)

      Amount 0 gives gray, 1 the picture as it is. Alpha stays; a gray picture stays as it is.
      """,
    [.number("amount", "strength of the color", \.amount, in: 0...4), .lumaWeights(\.weights)],
    examples: ["saturation=0", "saturation=1.2", "saturation=amount=4:weights=bt709"])

  /// Returns the weights in 1/65536 and the amount in 1/4096.
  public func uniforms(for format: PixelFormat) -> SIMD4<Int32> { weights.block(Int32((amount * 4096).rounded())) }

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: SIMD4<Int32>, _ samples: PointSamples) -> SIMD4<Int32> {
    GrayMix.mixed(pixel, gray: GrayMix.luma(pixel, uniforms), gain: uniforms.w, maximum: samples.maximum)
  }
}
