public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Compares each pixel's grey with a threshold, strictly: the five thresholds of Metal Performance Shaders, `MPSImageThresholdBinary`,
/// `…BinaryInverse`, `…Truncate`, `…ToZero` and `…ToZeroInverse`.
///
/// The threshold is the greatest sample value that is not above it, `floor(threshold · maximum + 2⁻²⁰)`, where the last term makes
/// 127/255, which no double is, the sample 127; `v > threshold` then says the same of samples as of values.
///
/// Grey is the sample of a grey picture, and of others the luma of ``LumaWeights``. Red, green and blue become the result alike, and
/// alpha stays.
public struct ImageThreshold: Sendable {
  /// What becomes of grey that is above the threshold, and of grey that is not.
  public enum Operation: String, Sendable, CaseIterable {
    /// The high value above, else 0.
    case binary
    /// 0 above, else the high value.
    case binaryInverse = "binary-inverse"
    /// The threshold above, else grey as it is.
    case truncate
    /// Grey as it is above, else 0.
    case toZero = "to-zero"
    /// 0 above, else grey as it is.
    case toZeroInverse = "to-zero-inverse"

    /// The operation's number in `threshold.glsl`.
    var macro: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// What is made of the comparison.
  public let operation: Operation
  /// From 0 to 1 (`thresholdValue`).
  public let threshold: Double
  /// What ``Operation/binary`` and its inverse make, from 0 to 1, rounded to the nearest sample (`maximumValue`).
  public let high: Double
  /// The weights of the luma (`linearGrayColorTransform`).
  public let weights: LumaWeights

  /// Makes the kernel; traps on values outside 0 to 1.
  public init(
    device: Device, operation: Operation, threshold: Double, high: Double = 1, weights: LumaWeights = .bt601
  ) {
    trap(
      unless: (0...1).contains(threshold) && (0...1).contains(high),
      "threshold \(threshold) and high value \(high) must lie from 0 to 1")
    self.operation = operation
    self.threshold = threshold
    self.high = high
    self.weights = weights
  }

  /// Records the kernel. Both textures need the same size and format: 8 or 16 bits a sample, one or four samples a pixel.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    trap(
      unless: Self.takes(format),
      "threshold takes grey and four samples of 8 or 16 bits, not '\(source.label)' of \(format.rawValue); convert it first"
    )
    let maximum = Double(format.maximum)
    let levels = SIMD4<UInt32>(
      UInt32(threshold * maximum + 0x1p-20), UInt32((high * maximum).rounded()), 0, 0)
    var bindings = Bindings()
    bindings.setBytes((levels, SIMD4<UInt32>(weights.red, weights.green, weights.blue, 0)), index: 2)
    Self.library[Variant(format: format, operation: operation)]
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "threshold")
  }

  static func takes(_ format: PixelFormat) -> Bool {
    PixelFormat.pointFormats.contains(format) && format.samplesPerPixel != 2
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var format: PixelFormat
    var operation: Operation
  }

  private static let library = PipelineLibrary<Variant, PointKernel> { variant in
    PointKernel(
      name: "threshold", body: .threshold, format: variant.format,
      constants: [
        ShaderAssembly.Constant("OPERATION", variant.operation.macro),
        ShaderAssembly.Constant("HAS_COLORS", variant.format.samplesPerPixel == 4),
      ], arguments: [.bytes(2)], twin: twin(variant.operation))
  }

  static func twin(_ operation: Operation) -> PointKernel.Twin {
    { arguments, source, destination in
      let words = arguments.words(2)
      let (threshold, high) = (Int32(words[0]), Int32(words[1]))
      let hasColors = source.pixelFormat.samplesPerPixel == 4
      guard let weights = LumaWeights(words: words[4..<7]) else {
        trap("threshold was recorded with weights that its twin refuses; let encode and twin agree")
      }
      walkPixels(from: source, to: destination) { pixel in
        let value = hasColors ? weights.luma(pixel) : pixel.x
        let isAbove = value > threshold
        let result =
          switch operation {
          case .binary: isAbove ? high : 0
          case .binaryInverse: isAbove ? 0 : high
          case .truncate: isAbove ? threshold : value
          case .toZero: isAbove ? value : 0
          case .toZeroInverse: isAbove ? 0 : value
          }
        return SIMD4(result, result, result, pixel.w)
      }
    }
  }
}
