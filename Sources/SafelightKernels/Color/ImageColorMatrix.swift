public import SafelightGPU
public import SafelightImage

/// A kernel that mixes red, green and blue by three rows and a bias; Core Image's `CIColorMatrix`, vImage's matrix
/// multiplication. The formula is on its ``card``.
///
/// Coefficients are kept in 1/65536 and keep the sum of their row, the bias in whole samples. If the sums are 1 and the
/// biases 0, grays stay as they are. In a picture of two channels blue is 0. A picture of one channel takes only rows
/// that leave grays gray (``keepsGrays``): with the same sum and bias.
public struct ImageColorMatrix: PointKernel {
  /// The rows; all coefficients and biases must lie in ``ColorVectors/coefficients``.
  public var vectors = ColorVectors.identity

  /// Makes the matrix that changes nothing.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, vectors: ColorVectors) { self.init(vectors) }

  init(_ vectors: ColorVectors) { self.vectors = vectors }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "color-matrix", "mixes red, green and blue by a matrix of 3 rows and 4 columns",
    discussion: """
      Parameters are named after the new sample and what goes into it: rg is the part of green in the new red, and r1,
      g1 and b1 are added, 1 for white.

      \(KernelCard<Self>.quantizedMatrix)
      Gray pictures are refused unless all rows have the same sum and the same addend.
      """,
    ParameterBinding.rows(\.vectors, in: ColorVectors.coefficients) + [
      .number("r1", "added to r", \.vectors.bias.x, in: ColorVectors.coefficients),
      .number("g1", "added to g", \.vectors.bias.y, in: ColorVectors.coefficients),
      .number("b1", "added to b", \.vectors.bias.z, in: ColorVectors.coefficients),
    ],
    examples: [
      "color-matrix=rr=0.393:rg=0.769:rb=0.189:gr=0.349:gg=0.686:gb=0.168:br=0.272:bg=0.534:bb=0.131",
      "color-matrix=rr=16:rg=-15.5:gb=-0.25:g1=0.1:bb=-1:b1=1", "color-matrix=rr=-1:gg=-1:bb=-1:r1=1:g1=1:b1=1",
    ])

  /// True if every gray becomes a gray, so that pictures of one channel can be taken.
  public var keepsGrays: Bool {
    [PixelFormat.r8Unorm, .r16Uint].allSatisfy { Uniforms(vectors, maximum: $0.maximum).gray != nil }
  }

  /// Refuses gray unless the matrix leaves grays gray.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try image.refuseGray(for: Self.card.name, if: !keepsGrays)
  }

  /// Grays go through the matrix.
  public static let grays = GrayPictures.processed
  /// Integers of 8 and of 16 bits, two channels included.
  public static let formats = PixelFormat.pointFormats

  /// The block of the body, a row for each new sample: coefficients of red, green and blue in 1/65536, and a bias in
  /// samples.
  public struct Uniforms: BitwiseCopyable, Sendable {
    package var red: SIMD4<Int32>
    package var green: SIMD4<Int32>
    package var blue: SIMD4<Int32>

    /// Rounds coefficients and keeps the sum of each row, so that a sum of 1 keeps white: the largest absorbs the
    /// error.
    package init(_ vectors: ColorVectors, maximum: Int) {
      func row(_ coefficients: SIMD3<Double>, _ bias: Double) -> SIMD4<Int32> {
        let exact = coefficients * 65536
        var row = [exact.x, exact.y, exact.z].map { Int32($0.rounded()) }
        let sum = Int32((coefficients.sum() * 65536).rounded())
        let largest = (0..<3).max { abs(coefficients[$0]) < abs(coefficients[$1]) } ?? 0
        row[largest] += sum - row.reduce(0, +)
        return SIMD4(row[0], row[1], row[2], Int32((bias * Double(maximum)).rounded()))
      }
      red = row(vectors.red, vectors.bias.x)
      green = row(vectors.green, vectors.bias.y)
      blue = row(vectors.blue, vectors.bias.z)
    }

    /// The row for grays, if all of them stay gray; nil if some become colored.
    fileprivate var gray: SIMD4<Int32>? {
      let rows = [red, green, blue].map { SIMD4($0.x + $0.y + $0.z, 0, 0, $0.w) }
      return rows[0] == rows[1] && rows[1] == rows[2] ? rows[0] : nil
    }
  }

  /// The rows in 1/65536 and samples.
  public func uniforms(for format: PixelFormat) -> Uniforms {
    var uniforms = Uniforms(vectors, maximum: format.maximum)
    guard format.samplesPerPixel == 1 else { return uniforms }
    guard let gray = uniforms.gray else {
      trap(
        "a picture of one channel cannot hold the colors that this matrix makes of grays; use a picture with colors, "
          + "or a matrix whose rows have the same sum and bias")
    }
    uniforms.red = gray
    return uniforms
  }

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: Uniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    let high = pixel &>> 8
    let low = pixel & 255
    @inline(__always) func mixed(_ row: SIMD4<Int32>) -> Int32 {
      let h = row.x &* high.x &+ row.y &* high.y &+ row.z &* high.z
      let l = row.x &* low.x &+ row.y &* low.y &+ row.z &* low.z
      return min(max(((h &+ ((l &+ 32768) >> 8)) >> 8) &+ row.w, 0), samples.maximum)
    }
    return SIMD4(mixed(uniforms.red), mixed(uniforms.green), mixed(uniforms.blue), pixel.w)
  }
}

extension ParameterBinding {
  /// The nine parameters `rr`, `rg` … `bb`, the parts of the old samples in the new ones.
  static func rows(
    _ vectors: any WritableKeyPath<Kernel, ColorVectors> & Sendable, in range: ClosedRange<Double>
  ) -> [Self] {
    let new: [(String, String, any WritableKeyPath<ColorVectors, SIMD3<Double>> & Sendable)] = [
      ("r", "red", \.red), ("g", "green", \.green), ("b", "blue", \.blue),
    ]
    return new.flatMap { letter, name, row in
      [("r", "red", 0), ("g", "green", 1), ("b", "blue", 2)].map { old in
        .number(
          letter + old.0, "\(old.1) in the new \(name)", in: range, get: { $0[keyPath: vectors][keyPath: row][old.2] },
          set: { $0[keyPath: vectors][keyPath: row][old.2] = $1 })
      }
    }
  }
}

/// A kernel that mixes red, green and blue by a matrix.
///
/// The pass of ``ImageColorMatrix`` is that of all.
public protocol ColorMatrixKernel: PassKernel {
  /// The rows of the matrix.
  var vectors: ColorVectors { get }
}

extension ColorMatrixKernel {
  /// The pass of the matrix.
  public func passes(for picture: PassPicture) -> [Pass] { ImageColorMatrix(vectors).passes(for: picture) }

  /// Refuses gray unless the matrix leaves grays gray.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try image.refuseGray(for: Self.card.name, if: !ImageColorMatrix(vectors).keepsGrays)
  }
}

extension KernelCard {
  /// The cards' formula of quantized matrices.
  static var quantizedMatrix: String {
    """
        out = clamp(floor((c.r*R + c.g*G + c.b*B + 32768) / 65536) + bias, 0, maximum)

    with coefficients in 1/65536; the largest of a row absorbs the rounding error of the row's sum. Alpha stays.
    """
  }
}
