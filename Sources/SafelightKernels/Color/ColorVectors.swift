internal import Glibc

/// How red, green and blue make new ones: three rows and a bias, as in Core Image's `CIColorMatrix`.
///
///     R' = red.x · R + red.y · G + red.z · B + bias.x,   G' and B' likewise
public struct ColorVectors: Hashable, Sendable {
  /// The parts of red, green and blue in the new red; each in ``coefficients``.
  public var red: SIMD3<Double>
  /// Those in the new green.
  public var green: SIMD3<Double>
  /// Those in the new blue.
  public var blue: SIMD3<Double>
  /// What is added to each, 1 for white; each in ``coefficients``.
  public var bias: SIMD3<Double>

  /// The coefficients and biases that can be set.
  public static let coefficients = -16.0...16.0

  /// Makes three rows.
  public init(red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>, bias: SIMD3<Double> = .zero) {
    self.red = red
    self.green = green
    self.blue = blue
    self.bias = bias
  }

  /// Every color as it is.
  public static let identity = ColorVectors(gains: SIMD3(1, 1, 1))

  /// Each channel times a factor of its own.
  public init(gains: SIMD3<Double>) {
    self.init(red: SIMD3(gains.x, 0, 0), green: SIMD3(0, gains.y, 0), blue: SIMD3(0, 0, gains.z))
  }

  /// The gray of a luma.
  public init(grayOf weights: LumaWeights) {
    self.init(red: weights.shares, green: weights.shares, blue: weights.shares)
  }

  /// Hues turned by an angle, red towards green; grays and the luma of every color stay.
  ///
  /// After P. Haeberli, *Matrix Operations for Image Processing*, 1993: the plane of constant luma is sheared to stand upright on
  /// the gray axis, turned about it, and sheared back. With `w` the weights, 1 the gray (1, 1, 1) and N = [1]× / √3:
  ///
  ///     M = 1·wᵀ + cos(angle) · P + sin(angle) · P · N,   P = I − 1·wᵀ
  ///
  /// With equal weights a third of a turn exchanges the channels. Colors that leave the cube of samples are cut, and
  /// lose their luma.
  public init(hueTurnedBy degrees: Double, weights: LumaWeights = .bt601) {
    let w = weights.shares
    let (cosine, sine) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180) / 3.0.squareRoot())
    // Rows of √3 · N, and what the luma makes of them.
    let turns = [SIMD3(0.0, -1, 1), SIMD3(1.0, 0, -1), SIMD3(-1.0, 1, 0)]
    let turned = SIMD3(w.y - w.z, w.z - w.x, w.x - w.y)
    let rows = (0..<3).map { row in
      var unit = SIMD3<Double>.zero
      unit[row] = 1
      return w + cosine * (unit - w) + sine * (turns[row] - turned)
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2])
  }
}

/// The rows as the kernel takes them: coefficients in 1/65536 of red, green and blue, and a bias in samples.
package struct QuantizedColorVectors: Hashable, Sendable {
  package var red: SIMD4<Int32>
  package var green: SIMD4<Int32>
  package var blue: SIMD4<Int32>

  /// Coefficients of a row keep their sum, so that white stays white where it is 1: the largest takes what rounding leaves.
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

  /// The one row by which all grays stay gray; nil where some become colored.
  var gray: SIMD4<Int32>? {
    let rows = [red, green, blue].map { SIMD4($0.x + $0.y + $0.z, 0, 0, $0.w) }
    return rows[0] == rows[1] && rows[1] == rows[2] ? rows[0] : nil
  }
}
