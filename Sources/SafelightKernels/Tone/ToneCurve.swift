internal import SafelightImage

/// A curve through points that rises and falls only where the points do: cubic pieces after Fritsch and Carlson,
/// *Monotone Piecewise Cubic Interpolation*, SIAM J. Numer. Anal. 17 (1980), 238–246.
///
/// The page Tone has the formula. Before the first point and after the last the curve is level. Inputs lie at least
/// 1/65536 apart, so that no slope is steeper than 65536 and every value has an output.
public struct ToneCurve: Hashable, Sendable {
  /// A point of the curve, with both numbers from 0 to 1.
  public struct Point: Hashable, Sendable {
    /// The input value.
    public let input: Double
    /// The output value.
    public let output: Double

    /// Makes a point.
    public init(_ input: Double, _ output: Double) {
      self.input = input
      self.output = output
    }
  }

  /// The points in rising order of their inputs.
  public let points: [Point]
  private let slopes: [Double]

  /// The curve that changes nothing.
  public static let identity = ToneCurve([Point(0, 0), Point(1, 1)])

  /// Makes the curve; traps if ``fault(in:)`` finds a fault.
  public init(_ points: [Point]) {
    if let fault = Self.fault(in: points) { trap("a curve cannot be made: \(fault)") }
    self.points = points
    slopes = Self.slopes(points)
  }

  private static let leastDistance = 1.0 / 65536

  /// Returns why points make no curve; nil if they make one.
  ///
  /// Inputs closer to each other than the samples of 16 bits are useless, and their slope could be NaN.
  public static func fault(in points: [Point]) -> String? {
    guard points.count >= 2 else { return "it needs 2 points or more; there are \(points.count)" }
    for (number, point) in points.enumerated() {
      guard (0...1).contains(point.input), (0...1).contains(point.output) else {
        return "point \(number + 1), \(point.input)/\(point.output), lies outside 0 to 1"
      }
      guard number == 0 || point.input - points[number - 1].input >= leastDistance else {
        return "inputs must rise by 1/65536 or more; that of point \(number + 1), \(point.input), follows "
          + "\(points[number - 1].input)"
      }
    }
    return nil
  }

  /// Returns the output for `value`.
  public func output(_ value: Double) -> Double {
    guard let next = points.firstIndex(where: { value < $0.input }) else { return points[points.count - 1].output }
    guard next > 0 else { return points[0].output }
    let (from, to) = (points[next - 1], points[next])
    let distance = to.input - from.input
    let t = (value - from.input) / distance
    let square = t * t
    let cube = square * t
    return (2 * cube - 3 * square + 1) * from.output + (cube - 2 * square + t) * distance * slopes[next - 1]
      + (3 * square - 2 * cube) * to.output + (cube - square) * distance * slopes[next]
  }

  private static func slopes(_ points: [Point]) -> [Double] {
    let pieces = zip(points, points.dropFirst()).map { ($1.output - $0.output) / ($1.input - $0.input) }
    var slopes = [pieces[0]]
    for (before, after) in zip(pieces, pieces.dropFirst()) {
      slopes.append(before * after <= 0 ? 0 : (before + after) / 2)
    }
    slopes.append(pieces[pieces.count - 1])
    for (number, piece) in pieces.enumerated() {
      guard piece != 0 else {
        slopes[number] = 0
        slopes[number + 1] = 0
        continue
      }
      // Not divided by the slope of the piece, which may be the least nonzero number.
      let sum = slopes[number] * slopes[number] + slopes[number + 1] * slopes[number + 1]
      guard sum > 9 * piece * piece else { continue }
      let factor = 3 * abs(piece) / sum.squareRoot()
      slopes[number] *= factor
      slopes[number + 1] *= factor
    }
    return slopes
  }
}
