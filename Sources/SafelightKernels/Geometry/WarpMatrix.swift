internal import Glibc
internal import SafelightImage

extension WarpMap {
  /// Makes positions of six numbers, row by row: those of the matrix from the result to the source. Nil if pixels of a
  /// result of `size` come from too far away.
  init?(affine numbers: [Double], to size: Size) {
    guard numbers.allSatisfy({ abs($0) < Double(Self.farthest) }) else { return nil }
    for (x, y) in size.corners {
      let across = numbers[0] * x + numbers[1] * y + numbers[2]
      let down = numbers[3] * x + numbers[4] * y + numbers[5]
      guard max(abs(across), abs(down)) < Double(Self.farthest - 16) else { return nil }
    }
    self.init(
      .affine(WarpPlane(numbers[0], numbers[1], numbers[2]), WarpPlane(numbers[3], numbers[4], numbers[5])))
  }

  /// Makes positions of the mapping from the result to the source, whose divisor is above 0 at the points `inside`. Nil
  /// if its numbers differ too much in size.
  init?(projective mapping: Homography, to size: Size, inside: Quadrilateral) {
    let middle = inside.points.reduce(SIMD2(0, 0), +) / 4
    let isNegative = mapping.divisor(at: middle) < 0
    let rows = mapping.rows.map { isNegative ? -$0 : $0 }
    /// Returns the greatest magnitude of a row's numbers and of what they give.
    func greatest(_ row: SIMD3<Double>) -> Double {
      let values = size.corners.map { row.x * $0.0 + row.y * $0.1 + row.z }
      return (values + [row.x, row.y, row.z]).map(abs).max() ?? 0
    }
    let (numerators, divisor) = (max(greatest(rows[0]), greatest(rows[1])), greatest(rows[2]))
    guard numerators.isFinite, divisor.isFinite, divisor > 0, divisor > 1e-9 * numerators else { return nil }
    // Quotients have 22 bits before the point and 8 below it, and all fits 63 bits.
    let exponent = min(43 - divisor.exponent, 59 - Double(max(numerators, 1e-300)).exponent)
    guard abs(exponent) < 512 else { return nil }
    let scale = Double(sign: .plus, exponent: Int(exponent), significand: 1)
    func plane(_ row: SIMD3<Double>) -> WarpPlane { WarpPlane(row.x, row.y, row.z, scale: scale) }
    self.init(.projective(plane(rows[0]), plane(rows[1]), divisor: plane(rows[2])))
  }

  /// Makes positions of a picture of `size` that is turned clockwise around its middle, which becomes that of `made`.
  init(turning size: Size, by degrees: Double, to made: Size) {
    let (cosine, sine) = Self.rounded(degrees)
    // In half pixels from the middle, so that all numbers are whole.
    func first(_ side: Int, _ across: Int64, _ down: Int64) -> Int64 {
      (Int64(side - 1) << 40 - across * Int64(made.width - 1) - down * Int64(made.height - 1)) >> 1
    }
    self.init(
      .affine(
        WarpPlane(right: cosine, below: sine, first: first(size.width, cosine, sine)),
        WarpPlane(right: -sine, below: cosine, first: first(size.height, -sine, cosine))))
  }

  /// The cosine and the sine of an angle in degrees, in 2⁻⁴⁰: math libraries differ in far lower bits.
  private static func rounded(_ degrees: Double) -> (cosine: Int64, sine: Int64) {
    let angle = degrees * .pi / 180
    return (Int64((cos(angle) * 0x1p40).rounded()), Int64((sin(angle) * 0x1p40).rounded()))
  }

  /// Returns the size that holds a picture of `size` turned by an angle.
  static func size(turning size: Size, by degrees: Double) -> Size {
    let (cosine, sine) = rounded(degrees)
    /// Whole pixels, and one more for a part that is more than a 4096th.
    func side(_ width: Int64, _ height: Int64) -> Int {
      Int((Int64(size.width) * width + Int64(size.height) * height + 0xfff << 28) >> 40)
    }
    return Size(side(abs(cosine), abs(sine)), side(abs(sine), abs(cosine)))
  }
}

extension Size {
  /// The pixels at the corners.
  fileprivate var corners: [(Double, Double)] {
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    return [(0, 0), (right, 0), (right, bottom), (0, bottom)]
  }
}

/// Four points around.
struct Quadrilateral: Hashable {
  let points: [SIMD2<Double>]

  init(_ points: [SIMD2<Double>]) { self.points = points }

  /// The pixels at the corners of a picture; of a side of one pixel, two that are a pixel apart.
  init(_ size: Size) {
    points = Size(max(size.width, 2), max(size.height, 2)).corners.map { SIMD2($0.0, $0.1) }
  }

  /// True if it turns the same way at each point.
  var isConvex: Bool {
    let turns = points.indices.map { place in
      let (one, two) = (points[(place + 1) % 4] - points[place], points[(place + 2) % 4] - points[(place + 1) % 4])
      let length = (one * one).sum().squareRoot() * (two * two).sum().squareRoot()
      return length > 0 ? (one.x * two.y - one.y * two.x) / length : 0
    }
    return turns.allSatisfy { $0 > 1e-6 } || turns.allSatisfy { $0 < -1e-6 }
  }
}

/// A mapping of the plane that keeps straight lines straight: quotients of two rows by a third.
struct Homography {
  let rows: [SIMD3<Double>]

  /// The mapping of the corners of the unit square to points (Heckbert 1989, "Fundamentals of Texture Mapping and Image
  /// Warping", section 2.2.3).
  private init(unitSquareTo quadrilateral: Quadrilateral) {
    let p = quadrilateral.points
    let (one, two, sum) = (p[1] - p[2], p[3] - p[2], p[0] - p[1] + p[2] - p[3])
    let determinant = one.x * two.y - two.x * one.y
    let g = (sum.x * two.y - two.x * sum.y) / determinant
    let h = (one.x * sum.y - sum.x * one.y) / determinant
    let (right, below) = (p[1] - p[0] + g * p[1], p[3] - p[0] + h * p[3])
    rows = [SIMD3(right.x, below.x, p[0].x), SIMD3(right.y, below.y, p[0].y), SIMD3(g, h, 1)]
  }

  /// The mapping of four points to four others.
  init(from: Quadrilateral, to: Quadrilateral) {
    let (first, second) = (Homography(unitSquareTo: from), Homography(unitSquareTo: to))
    let inverse = first.adjugate
    rows = second.rows.map { row in
      row.x * inverse[0] + row.y * inverse[1] + row.z * inverse[2]
    }
  }

  func divisor(at point: SIMD2<Double>) -> Double { rows[2].x * point.x + rows[2].y * point.y + rows[2].z }

  /// The inverse but for a factor, which a quotient does not have.
  private var adjugate: [SIMD3<Double>] {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let columns = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])]
    return (0..<3).map { row in SIMD3(columns[0][row], columns[1][row], columns[2][row]) }
  }
}

/// Numbers in the text of a parameter.
enum PointList {
  /// Returns the numbers between spaces; nil if one is none.
  static func numbers(in text: String) -> [Double]? {
    let words = text.split { $0 == " " || $0 == "," }
    let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == words.count ? numbers : nil
  }

  /// Returns the points between spaces, columns and rows with a slash between; nil if one is none.
  static func points(in text: String) -> [SIMD2<Double>]? {
    let words = text.split { $0 == " " || $0 == "," }
    let points = words.compactMap { word -> SIMD2<Double>? in
      let numbers = word.split(separator: "/", omittingEmptySubsequences: false).compactMap { Double($0) }
      guard numbers.count == 2, numbers.allSatisfy({ abs($0) < 1e7 }) else { return nil }
      return SIMD2(numbers[0], numbers[1])
    }
    return points.count == words.count ? points : nil
  }
}

extension SafelightError {
  /// Pixels that come from positions which are no numbers of 22 bits.
  static func farAway(_ subject: String, _ remedy: String) -> SafelightError {
    SafelightError(
      .unsupported, subject, why: "pixels would come from more than \(WarpMap.farthest) pixels away", remedy: remedy)
  }
}
