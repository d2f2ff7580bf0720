internal import SafelightImage

/// The weights of red, green and blue in a luma, in 1/65536 and with sum 65536.
public struct LumaWeights: Hashable, Sendable {
  /// Red's weight.
  public let red: UInt32
  /// Green's weight.
  public let green: UInt32
  /// Blue's weight.
  public let blue: UInt32

  /// ITU-R BT.601: 0.299, 0.587, 0.114.
  public static let bt601 = LumaWeights(red: 19595, green: 38470, blue: 7471)
  /// ITU-R BT.709, and sRGB: 0.2126, 0.7152, 0.0722.
  public static let bt709 = LumaWeights(red: 13933, green: 46871, blue: 4732)
  /// ITU-R BT.2020: 0.2627, 0.6780, 0.0593.
  public static let bt2020 = LumaWeights(red: 17216, green: 44434, blue: 3886)
  /// A third each.
  public static let average = LumaWeights(red: 21845, green: 21846, blue: 21845)

  /// Returns the weights as the first three words of a block, with `last` as the fourth.
  func block(_ last: Int32 = 0) -> SIMD4<Int32> { SIMD4(Int32(red), Int32(green), Int32(blue), last) }

  /// The weights from 0 to 1, with the sum 1.
  package var shares: SIMD3<Double> { SIMD3(Double(red), Double(green), Double(blue)) / 65536 }

  /// Returns `(w.red·r + w.green·g + w.blue·b + 32768) >> 16`; no sum reaches 2³² for samples up to 65535.
  @inline(__always)
  package func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    (self.red &* red &+ self.green &* green &+ self.blue &* blue &+ 32768) >> 16
  }
}

extension LumaWeights {
  /// Scales weights, whose sum must be above 0, to the sum 1 and rounds them to 1/65536; green absorbs the rounding
  /// error.
  public init(_ red: Double, _ green: Double, _ blue: Double) {
    let sum = red + green + blue
    trap(
      unless: red >= 0 && green >= 0 && blue >= 0 && sum > 0 && sum.isFinite,
      "luma weights (\(red), \(green), \(blue)) must not be negative, and their sum must be above 0")
    let red = UInt32((red / sum * 65536).rounded())
    let blue = min(UInt32((blue / sum * 65536).rounded()), 65536 - red)
    self.init(red: red, green: 65536 - red - blue, blue: blue)
  }
}

extension LumaWeights: ParameterWord {
  /// The weights with names.
  public static let words: [(value: LumaWeights, word: String, summary: String)] = [
    (.bt601, "bt601", "0.299, 0.587, 0.114"), (.bt709, "bt709", "0.2126, 0.7152, 0.0722"),
    (.bt2020, "bt2020", "0.2627, 0.6780, 0.0593"), (.average, "average", "a third each"),
  ]
}

extension ParameterBinding {
  /// The parameter `weights` of several kernels.
  static func lumaWeights(_ property: any WritableKeyPath<Kernel, LumaWeights> & Sendable) -> Self {
    .choice("weights", "the luma's weights", property)
  }
}

/// The mix of colors with the gray of their luma; the twin of `gray_mix.glsl`, which has the formula.
enum GrayMix {
  /// Returns the luma of a pixel by weights in 1/65536.
  @inline(__always)
  static func luma(_ pixel: SIMD4<Int32>, _ weights: SIMD4<Int32>) -> Int32 {
    // One by one: vectors within a pixel would keep the compiler from vectorizing over pixels.
    @inline(__always) func product(_ channel: Int) -> UInt32 {
      UInt32(truncatingIfNeeded: pixel[channel]) &* UInt32(truncatingIfNeeded: weights[channel])
    }
    return Int32(truncatingIfNeeded: (product(0) &+ product(1) &+ product(2) &+ 32768) >> 16)
  }

  /// Returns the pixel with its colors at `gain`, in 1/4096, from its gray; alpha stays.
  @inline(__always)
  static func mixed(_ pixel: SIMD4<Int32>, gray: Int32, gain: Int32, maximum: Int32) -> SIMD4<Int32> {
    let base = gray &* 4096 &+ 2048
    @inline(__always) func mixed(_ value: Int32) -> Int32 {
      min(max((base &+ (value &- gray) &* gain) >> 12, 0), maximum)
    }
    return SIMD4(mixed(pixel.x), mixed(pixel.y), mixed(pixel.z), pixel.w)
  }
}
