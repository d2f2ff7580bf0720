public import SafelightGPU
public import SafelightImage

/// A kernel that moves the pixels of a picture by a matrix of two rows; `MPSImageScale` with any `MPSScaleTransform`,
/// and OpenCV's `warpAffine`. The rules are on its ``card``.
public struct ImageAffine: WarpKernel {
  /// Six numbers, row by row.
  public var matrix = ""
  /// The columns of the result; 0 for those of the picture.
  public var width = 0
  /// The rows of the result; 0 for those of the picture.
  public var height = 0
  /// The way in which a pixel is made of those around its position.
  public var sampling = WarpSampling()

  /// Makes a kernel that needs a matrix.
  public init() {}

  /// Makes a kernel that moves the pixel at (x, y) to (ax + by + c, dx + ey + f).
  public init(
    device: Device, a: Double, b: Double, c: Double, d: Double, e: Double, f: Double,
    mode: ImageInterpolation = .bilinear
  ) {
    matrix = [a, b, c, d, e, f].map { "\($0)" }.joined(separator: " ")
    sampling.mode = mode
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "affine", "moves, turns, scales and shears the picture by a matrix",
    discussion: """
      Of the six numbers a b c d e f, the pixel at (x, y) goes to (a * x + b * y + c, d * x + e * y + f). The pixel that
      is made comes from where the inverse matrix says, whose numbers are rounded to 2^-40, once.

          affine='1 0 10 0 1 -5'        10 columns to the right, 5 rows up
          affine='1 0.2 0 0 1 0'        sheared: each row lies a fifth of a pixel farther right
          affine='0.5 0 0 0 0.5 0'      half as large, in the upper left corner

      \(warpRules)
      """,
    [
      .text("matrix", "the numbers a b c d e f", \.matrix, form: "six numbers, such as '1 0 10 0 1 -5'"),
      .integer("width", "columns of the result; 0 for the picture's", \.width, in: 0...1 << 16),
      .integer("height", "rows of the result; 0 for the picture's", \.height, in: 0...1 << 16),
    ] + warpParameters,
    examples: [
      "affine='0.9 0.3 -2.4 -0.2 1.1 3.6'", "affine='0.9 0.3 -2.4 -0.2 1.1 3.6':mode=nearest:color=white",
      "affine='1.4 -0.3 2 0.25 0.8 1':mode=bicubic:edge=clamp",
      "affine='0.7 0.6 1 -0.5 0.9 4':mode=lanczos:edge=clamp",
      "affine='0.4 0.1 3 0.2 0.3 2':edge=mirror:width=29:height=31:alpha=as-is", "affine='1 0 3 0 1 -2'",
    ])

  /// Checks the matrix and the color.
  public func check() throws(SafelightError) {
    try checkColor()
    _ = try inverse()
  }

  /// The width and the height, or those of the picture.
  public func output(of size: Size) -> Size {
    Size(width > 0 ? width : size.width, height > 0 ? height : size.height)
  }

  /// The positions, in whole numbers.
  public func map(of size: Size) throws(SafelightError) -> WarpMap {
    let inverse = try inverse()
    guard let map = WarpMap(affine: inverse, to: output(of: size)) else {
      throw .farAway("affine='\(matrix)'", "take a matrix that moves the picture less far, or makes it less small")
    }
    return map
  }

  private func inverse() throws(SafelightError) -> [Double] {
    let numbers = PointList.numbers(in: matrix)
    guard let numbers, numbers.count == 6 else {
      throw SafelightError(
        .usage, "affine='\(matrix)'", why: "it needs six numbers, separated by spaces",
        remedy: "write, for example, affine='1 0 10 0 1 -5'")
    }
    let (a, b, c, d, e, f) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
    let determinant = a * e - b * d
    let size = max(abs(a), abs(b)) * max(abs(d), abs(e))
    try ensure(
      determinant.isFinite && abs(determinant) > 1e-9 * size, .usage, "affine='\(matrix)'",
      why: "the matrix is singular: it makes a line of the picture, or one that is too small or large for numbers",
      remedy: "give rows that are no multiples of each other")
    return [
      e / determinant, -b / determinant, (b * f - e * c) / determinant, -d / determinant, a / determinant,
      (d * c - a * f) / determinant,
    ]
  }
}
