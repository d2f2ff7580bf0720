internal import SafelightImage

/// The positions that a lens gives the pixels of an undistorted picture, by Brown's model with five coefficients, as in
/// OpenCV's `undistort`; in whole numbers.
///
/// Distances from the center are parts of a radius that no pixel exceeds, so that they and their powers are at most 1,
/// and have 30 bits.
package struct WarpLens: Hashable, Sendable {
  /// The columns and rows from the center, in 2⁻⁵⁶ radii.
  let columns, rows: WarpPlane
  /// The coefficients, for a radius of 1, in 2⁻ᵇ for `b` = 30 − ``spareBits``: of the second, fourth and sixth power of
  /// the distance, and of both tangents.
  let radial: SIMD3<Int32>
  let tangential: SIMD2<Int32>
  /// The pixels of a radius, in 2⁻¹⁰⁻ˢ pixels for `s` = ``spareBits``.
  let radius: SIMD2<Int32>
  /// How far positions move at most, in pixels, from a column to the next and from a row to the next.
  private let growth: SIMD2<Double>

  /// Nil if the numbers are too large.
  init?(_ lens: Coefficients, focal: SIMD2<Double>, center: SIMD2<Double>, size: Size) {
    let corners = [(0, 0), (size.width - 1, 0), (0, size.height - 1), (size.width - 1, size.height - 1)]
    let distances = corners.map { x, y in
      let (x, y) = ((Double(x) - center.x) / focal.x, (Double(y) - center.y) / focal.y)
      return (x * x + y * y).squareRoot()
    }
    guard let farthest = distances.max(), farthest < 1024 else { return nil }
    var unit = 1.0 / 1024
    // A radius has a pixel at least.
    while unit < farthest * 1.0001 || unit * min(focal.x, focal.y) < 1 { unit *= 2 }
    let square = unit * unit
    let radial = SIMD3(lens.k1 * square, lens.k2 * square * square, lens.k3 * square * square * square)
    let tangential = SIMD2(lens.p1, lens.p2) * unit
    let sum = abs(radial.x) + abs(radial.y) + abs(radial.z) + 3 * (abs(tangential.x) + abs(tangential.y))
    let spareBits = (1...12).first { sum < Double(1 << $0) / 2 }
    let pixels = focal * unit
    guard let spareBits, max(pixels.x, pixels.y) * sum < Double(WarpMap.farthest / 2),
      max(pixels.x, pixels.y) < Double(1 << (20 - spareBits))
    else { return nil }
    let scale = Double(1 << (30 - spareBits))
    self.radial = SIMD3<Int32>((radial * scale).rounded(.toNearestOrEven))
    self.tangential = SIMD2<Int32>((tangential * scale).rounded(.toNearestOrEven))
    radius = SIMD2<Int32>((pixels * Double(1 << (10 + spareBits))).rounded(.toNearestOrEven))
    columns = WarpPlane(1 / pixels.x, 0, -center.x / pixels.x, scale: 0x1p56)
    rows = WarpPlane(0, 1 / pixels.y, -center.y / pixels.y, scale: 0x1p56)
    let bend =
      3 * abs(radial.x) + 5 * abs(radial.y) + 7 * abs(radial.z) + 6 * (abs(tangential.x) + abs(tangential.y))
    growth = SIMD2(bend * max(1, focal.x / focal.y), bend * max(1, focal.y / focal.x))
  }

  /// Makes a lens of numbers that were worked out before; it knows no bounds.
  init(_ columns: WarpPlane, _ rows: WarpPlane, _ numbers: [Int32]) {
    (self.columns, self.rows) = (columns, rows)
    radial = SIMD3(numbers[0], numbers[1], numbers[2])
    tangential = SIMD2(numbers[4], numbers[5])
    radius = SIMD2(numbers[6], numbers[7])
    growth = SIMD2(repeating: 0)
  }

  /// The coefficients of OpenCV's `undistort`, by its names.
  struct Coefficients {
    var k1, k2, p1, p2, k3: Double
  }

  /// The coefficients and the radius.
  var numbers: [Int32] {
    [radial.x, radial.y, radial.z, tangential.x, tangential.y, radius.x, radius.y]
  }

  /// Returns a rectangle that holds the positions of the pixels of a region of `size`, whose middle comes from
  /// `middle`.
  func bounds(
    around middle: SIMD2<Int>, of size: Size, isNearest: Bool
  ) -> (x: ClosedRange<Int>, y: ClosedRange<Int>) {
    let (columns, rows) = (Double(size.width / 2), Double(size.height / 2))
    let unit = isNearest ? 1.0 : 256.0
    let across = Int((unit * (columns + growth.x * (columns + rows) + 0.1)).rounded(.up)) + 1
    let down = Int((unit * (rows + growth.y * (columns + rows) + 0.1)).rounded(.up)) + 1
    return (middle.x - across...middle.x + across, middle.y - down...middle.y + down)
  }
}
