internal import Glibc
public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that blurs a picture by a Gaussian, as OpenCV's `GaussianBlur` does to the bit; Metal Performance Shaders'
/// `MPSImageGaussianBlur`. The formula is on its ``card``.
public struct ImageGaussianBlur: PassKernel {
  /// The weights of pictures of 8 bits.
  public enum Rule: Sendable {
    /// Whole 256ths.
    case openCV
    /// Whole 65536ths, as for 16 bits.
    case fine
  }

  /// The standard deviation in pixels.
  public var sigma = 2.0
  /// The pixels that the kernel takes for those beyond the edges of the picture.
  public var edgeMode = ImageEdgeMode.clamp
  /// The part that alpha has.
  public var alphaMode = ImageAlphaMode.asIs
  /// The weights of pictures of 8 bits.
  public var rule = Rule.openCV

  /// Makes a blur of two pixels.
  public init() {}

  /// Makes the kernel; `sigma` must be from 0.1 to 250.
  public init(device: Device, sigma: Double) { self.sigma = sigma }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "blur", "makes the picture soft, by a Gaussian",
    discussion: """
      Per channel, alpha too: a sum with weights down the columns, then one along the rows of those sums, rounded once,
      halves up. A weight is exp(-x * x / (2 * sigma * sigma)) at x pixels from the middle, all together 1, in whole
      256ths for 8 bits and in whole 65536ths for 16; what rounding leaves over goes to the next weight, and at last to
      the middle. The square has 6 * sigma + 1 columns and rows for 8 bits, 8 * sigma + 1 for 16, rounded to the nearest
      odd number from there up. OpenCV's GaussianBlur gives the same bytes.

      256ths are coarse where the blur is wide: at sigma 20 a result of 8 bits can be 5 levels off. rule=fine takes the
      weights and the square of 16 bits.

      The colors of transparent pixels count, unless alpha=weighted: then colors are multiplied by alpha in 16 bits,
      blurred with the weights of 16, and divided by the blurred alpha, 0 where that is 0; all is rounded to the
      nearest, halves up.
      """,
    [
      .number("sigma", "the standard deviation in pixels", \.sigma, in: 0.1...250),
      .choice("edge", "what lies beyond the edges", \.edgeMode),
      .choice("alpha", "the part that alpha has", \.alphaMode),
      .choice("rule", "the weights of pictures of 8 bits", \.rule),
    ],
    examples: [
      "blur=2", "blur=0.6:edge=zero", "blur=9:rule=fine", "blur=0.1", "blur=1.5:edge=zero:rule=fine",
      "blur=2:alpha=weighted", "blur=0.6:edge=zero:alpha=weighted",
    ])

  /// Sums down the columns, then along the rows.
  public func passes(for picture: PassPicture) -> [Pass] { alphaMode.passes(for: picture, sums) }

  /// Refuses premultiplied pictures if colors are to count by their alpha.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try alphaMode.check(color, for: "blur")
    return color
  }

  private func sums(of picture: PassPicture) -> [Pass] {
    let isCoarse = picture.image.depth == .bits8 && rule == .openCV
    let weights = Self.weights(sigma, bits: isCoarse ? 8 : 16)
    let radius = weights.count - 1
    let sums = PixelFormat.sums(of: picture.pixelFormat.samplesPerPixel, bytes: isCoarse ? 2 : 4)
    // Four to a vector, and as many as the widest blur has.
    let uniforms = [UInt8].words([radius] + weights + [Int](repeating: 0, count: 4 * 252 - 1 - weights.count))
    let (columns, rows) = (
      WeightedSum(isRow: false, isCoarse: isCoarse, edge: edgeMode, isOpaque: false),
      WeightedSum(
        isRow: true, isCoarse: isCoarse, edge: edgeMode,
        isOpaque: edgeMode == .zero && picture.image.channels == .rgb)
    )
    return [
      Pass(
        columns, uniforms: uniforms, inputs: [.source(.window(columns: 0, rows: radius), edge: edgeMode)],
        output: .temporary(0, sums)),
      Pass(
        rows, uniforms: uniforms,
        inputs: [Pass.Input("sums", .temporary(0), .window(columns: radius, rows: 0), edge: edgeMode)]),
    ]
  }

  /// Returns the weights from that of the middle on, together 2^`bits` with those of the other side.
  ///
  /// OpenCV's `getGaussianKernelBitExact` and `getGaussianKernelFixedPoint_ED`, in its order of operations.
  static func weights(_ sigma: Double, bits: Int) -> [Int] {
    let count = Int((sigma * (bits == 8 ? 6 : 8) + 1).rounded(.toNearestOrEven)) | 1
    let scale = -0.125 / (sigma * sigma)
    let far = stride(from: count - 1, to: 0, by: -2).map { exp(Double($0 * $0) * scale) }
    let unit = 1 / (far.reduce(0, +) * 2 + 1)
    var (weights, rest) = ([Int](), 0.0)
    for value in far {
      let exact = value * unit * Double(1 << bits) + rest
      let weight = exact.rounded(.toNearestOrEven)
      rest = exact - weight
      weights.append(Int(weight))
    }
    return ([(1 << bits) - 2 * weights.reduce(0, +)] + weights.reversed())
  }
}

extension ImageGaussianBlur.Rule: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [(.openCV, "opencv", "256ths, as OpenCV's"), (.fine, "fine", "65536ths, as for 16 bits")]
  }
}
