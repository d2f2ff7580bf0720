public import SafelightGPU
public import SafelightImage

/// A kernel that compares each pixel's gray with a threshold, strictly: the five thresholds of Metal Performance
/// Shaders, `MPSImageThresholdBinary`, `…BinaryInverse`, `…Truncate`, `…ToZero` and `…ToZeroInverse`. The formula is on
/// its ``card``.
public struct ImageThreshold: PointKernel {
  /// The results for gray above the threshold and for other gray.
  public enum Operation: String, Sendable, CaseIterable {
    /// The high value above, else 0.
    case binary
    /// 0 above, else the high value.
    case binaryInverse = "binary-inverse"
    /// The threshold above, else gray as it is.
    case truncate
    /// Gray as it is above, else 0.
    case toZero = "to-zero"
    /// 0 above, else gray as it is.
    case toZeroInverse = "to-zero-inverse"
  }

  /// The threshold, from 0 to 1 (`thresholdValue`).
  public var threshold = 0.5
  /// The results of the comparison.
  public var operation = Operation.binary
  /// The high value of ``Operation/binary`` and its inverse, from 0 to 1, rounded to the nearest sample
  /// (`maximumValue`).
  public var high = 1.0
  /// The weights of the luma (`linearGrayColorTransform`).
  public var weights = LumaWeights.bt601

  /// Makes the kernel with white above the middle and black below.
  public init() {}

  /// Makes the kernel; `threshold` and `high` must lie from 0 to 1.
  public init(
    device: Device, operation: Operation, threshold: Double, high: Double = 1, weights: LumaWeights = .bt601
  ) {
    self.operation = operation
    self.threshold = threshold
    self.high = high
    self.weights = weights
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "threshold", "compares the gray of each pixel with a value",
    discussion: """
      Gray is the sample of a gray picture, and of others the luma, with the weights in 1/65536:

          v = (wr*R + wg*G + wb*B + 32768) >> 16
          t = floor(value * maximum + 2^-20),  h = floor(high * maximum + 1/2)

          binary           v > t ? h : 0
          binary-inverse   v > t ? 0 : h
          truncate         v > t ? t : v
          to-zero          v > t ? v : 0
          to-zero-inverse  v > t ? 0 : v

      Red, green and blue become the result alike. Alpha stays. As in Metal Performance Shaders and OpenCV, what equals
      the threshold is not above it; 2^-20 makes value=0.49803922, which is 127/255 in 8 digits, the sample 127.
      """,
    [
      .number("value", "the threshold, 1 is white", \.threshold, in: 0...1),
      .choice("operation", "what the comparison makes", \.operation),
      .number("high", "what binary and its inverse make", \.high, in: 0...1), .lumaWeights(\.weights),
    ],
    examples: [
      "threshold=0.5", "threshold=0.4:operation=binary-inverse:high=0.8", "threshold=0.6:operation=truncate",
      "threshold=0.3:operation=to-zero:weights=bt709", "threshold=0.7:operation=to-zero-inverse",
    ])

  /// Pictures of one channel are compared as well.
  public static let grays = GrayPictures.processed
  /// A body for each operation.
  public static let variantCount = Operation.allCases.count

  /// The number of the operation.
  public var variant: Int { Operation.allCases.firstIndex(of: operation) ?? 0 }

  /// The block of the body.
  public struct Uniforms: BitwiseCopyable, Sendable {
    var levels: SIMD4<Int32>
    var weights: SIMD4<Int32>
  }

  /// Rounds the threshold down to a sample, so that `v > threshold` gives the same for samples as for values.
  public func uniforms(for format: PixelFormat) -> Uniforms {
    let maximum = Double(format.maximum)
    return Uniforms(
      levels: SIMD4(Int32(threshold * maximum + 0x1p-20), Int32((high * maximum).rounded()), 0, 0),
      weights: weights.block())
  }

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: Uniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    let value = samples.hasColors ? GrayMix.luma(pixel, uniforms.weights) : pixel.x
    let (threshold, high) = (uniforms.levels.x, uniforms.levels.y)
    let isAbove = value > threshold
    let result =
      switch samples.variant {
      case 0: isAbove ? high : 0
      case 1: isAbove ? 0 : high
      case 2: isAbove ? threshold : value
      case 3: isAbove ? value : 0
      default: isAbove ? 0 : value
      }
    return SIMD4(result, result, result, pixel.w)
  }
}

extension ImageThreshold.Operation: ParameterWord {
  /// The values by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.binary, "high above, else black"), (.binaryInverse, "black above, else high"),
    (.truncate, "the threshold above, else gray as it is"), (.toZero, "gray as it is above, else black"),
    (.toZeroInverse, "black above, else gray as it is"),
  ].map { ($0, $0.rawValue, $1) }
}
