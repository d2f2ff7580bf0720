import Glibc
import SafelightImage

extension ImageDifference {
  /// Returns LDR-FLIP of the colors, or of alpha as a gray picture if that is worse.
  ///
  /// Andersson et al. 2020, at 67 pixels a degree: a screen 0.7 m wide with 3840 columns, seen from 0.7 m. Samples are
  /// sRGB.
  public func flip() -> FlipStatistics {
    if isIdentical { return FlipStatistics(EmptyCollection()) }
    let colors = FlipStatistics(counted(flipMap()))
    guard maximumOfAlpha > 0 else { return colors }
    let (expected, actual) = planes(3)
    return colors.worse(FlipStatistics(counted(flipMap([expected], [actual]))))
  }

  /// Returns LDR-FLIP of the colors in each pixel, row by row: 0 to 1.
  public func flipMap() -> [Double] {
    let pairs = channels.sampleIndices.filter { $0 < 3 }.map(planes)
    return flipMap(pairs.map(\.expected), pairs.map(\.actual))
  }

  private func flipMap(_ expected: [Plane], _ actual: [Plane]) -> [Double] {
    let peak = Double(self.expected.pixelFormat.maximum)
    return Flip(expected, peak: peak).map(to: Flip(actual, peak: peak))
  }

  private func counted(_ map: [Double]) -> [Double] {
    guard let isHidden = mask?.isHidden else { return map }
    return zip(map, isHidden).filter { !$0.1 }.map(\.0)
  }
}

/// The features of a picture that FLIP compares: its colors seen from afar, its edges and its points.
private struct Flip {
  /// L*, a*, b* with Hunt's adjustment, after the eye's blur.
  let colors: [Plane]
  let edges: Plane
  let points: Plane
  private static let pixelsPerDegree = 3840 * Double.pi / 180
  private static let gaussians = FlipFilters(pixelsPerDegree: pixelsPerDegree)
  /// The HyAB distance of green and blue, the greatest in sRGB, to the power of 0.7.
  private static let greatest = pow(distance(FlipColors.adjusted([0, 1, 0]), FlipColors.adjusted([0, 0, 1])), 0.7)

  /// Takes planes of red, green and blue, or of gray.
  init(_ samples: [Plane], peak: Double) {
    let linear = samples.map { plane in
      Plane(plane.width, plane.height) { FlipColors.linear(plane.values[$0] / peak) }
    }
    let opponent = Self.mapped([linear[0], linear[linear.count / 2], linear[linear.count - 1]], FlipColors.opponent)
    let filters = Self.gaussians
    let luminance = Plane(samples[0].width, samples[0].height) { (opponent[0].values[$0] + 16) / 116 }
    edges = filters.magnitude(luminance, filters.edge)
    points = filters.magnitude(luminance, filters.point)
    colors = Self.mapped(filters.blurred(opponent)) { color in
      let linear = FlipColors.linear(opponent: color)
      return FlipColors.adjusted(linear.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1)))
    }
  }

  /// Returns three planes with `value` of the three numbers of each pixel.
  private static func mapped(_ planes: [Plane], _ value: (SIMD3<Double>) -> SIMD3<Double>) -> [Plane] {
    var result = planes
    for index in planes[0].values.indices {
      let color = value(color(planes, index))
      for channel in 0..<3 { result[channel].values[index] = color[channel] }
    }
    return result
  }

  private static func color(_ planes: [Plane], _ index: Int) -> SIMD3<Double> {
    SIMD3(planes[0].values[index], planes[1].values[index], planes[2].values[index])
  }

  /// Returns the difference of the colors in each pixel, to a power that falls as edges and points differ more.
  func map(to other: Flip) -> [Double] {
    colors[0].values.indices.map { index in
      let feature = max(
        abs(edges.values[index] - other.edges.values[index]), abs(points.values[index] - other.points.values[index]))
      let distance = Self.distance(Self.color(colors, index), Self.color(other.colors, index))
      return pow(Self.share(distance), 1 - (feature / 2.0.squareRoot()).squareRoot())
    }
  }

  /// Returns the HyAB distance, in which lightness and hue add up, as suits large differences.
  private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let d = a - b
    return abs(d.x) + (d.y * d.y + d.z * d.z).squareRoot()
  }

  /// Maps the greatest distance to 1, and four tenths of it to 0.95.
  private static func share(_ distance: Double) -> Double {
    let error = pow(distance, 0.7)
    let knee = 0.4 * greatest
    return error < knee ? error * 0.95 / knee : 0.95 + (error - knee) / (greatest - knee) * 0.05
  }
}

/// The result of LDR-FLIP for two pictures: from 0, equal to the eye, to 1.
public struct FlipStatistics: Hashable, Sendable {
  /// The mean over all pixels.
  public let mean: Double
  /// The 99th percentile: the least value that 99 % of the pixels do not exceed.
  public let p99: Double
  /// The value of the worst pixel.
  public let maximum: Double
}

extension FlipStatistics {
  /// Returns the greater of both in each statistic.
  func worse(_ other: FlipStatistics) -> FlipStatistics {
    FlipStatistics(
      mean: Swift.max(mean, other.mean), p99: Swift.max(p99, other.p99), maximum: Swift.max(maximum, other.maximum))
  }

  /// Summarizes a map of one number a pixel; no pixels, or equal ones, give 0.
  init(_ map: some Sequence<Double>) {
    let values = map.sorted()
    // Exact in integers: the nearest rank, from 1, is the number of pixels times 99 %, rounded up.
    let rank = (99 * values.count + 99) / 100
    self.init(
      mean: values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count),
      p99: values.isEmpty ? 0 : values[rank - 1], maximum: values.last ?? 0)
  }
}

/// The filters of FLIP (Andersson et al. 2020) for a viewing distance.
struct FlipFilters: Sendable {
  /// A filter along one axis, and the smoothing one across it.
  struct Feature: Sendable {
    let along: [Double]
    let across: [Double]
  }

  let edge: Feature
  let point: Feature
  private let luminance: [Double]
  private let redGreen: [Double]
  /// Two Gaussians, with the weight that each has in their sum.
  private let blueYellow: [(weight: Double, taps: [Double])]

  init(pixelsPerDegree: Double) {
    // The eye's contrast sensitivity as sums of Gaussians a·sqrt(π/b)·exp(-π²r²/b), r in degrees.
    let radius = Int((3 * (0.04 / (2 * Double.pi * Double.pi)).squareRoot() * pixelsPerDegree).rounded(.up))
    func taps(_ b: Double) -> [Double] {
      (-radius...radius).map {
        let r = Double($0) / pixelsPerDegree
        return exp(-Double.pi * Double.pi * r * r / b)
      }
    }
    luminance = taps(0.0047).normalized
    redGreen = taps(0.0053).normalized
    let parts = [(34.1, 0.04), (13.5, 0.025)].map { a, b in
      let taps = taps(b)
      let sum = taps.reduce(0, +)
      return (volume: a * (Double.pi / b).squareRoot() * sum * sum, taps: taps.normalized)
    }
    let volume = parts.reduce(0) { $0 + $1.volume }
    blueYellow = parts.map { ($0.volume / volume, $0.taps) }

    // Edges and points: the first and second derivative of a Gaussian half as wide as the eye can resolve.
    let deviation = 0.5 * 0.082 * pixelsPerDegree
    let reach = Int((3 * deviation).rounded(.up))
    let offsets = (-reach...reach).map(Double.init)
    let gaussian = offsets.map { exp(-$0 * $0 / (2 * deviation * deviation)) }
    let plain = gaussian.normalized
    edge = Feature(along: Self.balanced(zip(offsets, gaussian).map { -$0 * $1 }), across: plain)
    point = Feature(
      along: Self.balanced(zip(offsets, gaussian).map { ($0 * $0 / (deviation * deviation) - 1) * $1 }), across: plain)
  }

  /// Blurs each of Y, Cx and Cz as the eye does.
  func blurred(_ opponent: [Plane]) -> [Plane] {
    let parts = blueYellow.map { ($0.weight, opponent[2].filtered($0.taps, $0.taps, .clamp)) }
    return [
      opponent[0].filtered(luminance, luminance, .clamp), opponent[1].filtered(redGreen, redGreen, .clamp),
      parts[0].1.combined(parts[1].1) { $0 * parts[0].0 + $1 * parts[1].0 },
    ]
  }

  /// Returns the strength of a feature in any direction.
  func magnitude(_ plane: Plane, _ feature: Feature) -> Plane {
    plane.filtered(feature.along, feature.across, .clamp)
      .combined(plane.filtered(feature.across, feature.along, .clamp)) { ($0 * $0 + $1 * $1).squareRoot() }
  }

  /// Scales positive weights to the sum 1, and negative ones to -1.
  private static func balanced(_ taps: [Double]) -> [Double] {
    let positive = taps.filter { $0 > 0 }.reduce(0, +)
    let negative = -taps.filter { $0 < 0 }.reduce(0, +)
    return taps.map { $0 / ($0 > 0 ? positive : negative) }
  }
}

/// The color spaces of FLIP (Andersson et al. 2020), with the illuminant that its matrix has.
enum FlipColors {
  /// The columns of the matrix from linear RGB to XYZ, as integers over one denominator a row.
  private static let toXYZ = [
    SIMD3<Double>(10_135_552, 2_613_072, 1_425_312), SIMD3(8_788_810, 8_788_810, 8_788_810),
    SIMD3(4_435_075, 887_015, 70_074_185),
  ].map { $0 / SIMD3(24_577_794, 12_288_897, 73_733_382) }
  private static let fromXYZ = inverse(toXYZ)
  private static let illuminant = SIMD3(0.950428545, 1, 1.088900371)

  /// Converts sRGB (IEC 61966-2-1), 0 to 1, to linear light.
  static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// Converts linear RGB to YCxCz.
  static func opponent(_ color: SIMD3<Double>) -> SIMD3<Double> {
    let n = product(toXYZ, color) / illuminant
    return SIMD3(116 * n.y - 16, 500 * (n.x - n.y), 200 * (n.y - n.z))
  }

  /// Converts YCxCz to linear RGB.
  static func linear(opponent color: SIMD3<Double>) -> SIMD3<Double> {
    let y = (color.x + 16) / 116
    return product(fromXYZ, SIMD3(y + color.y / 500, y, y - color.z / 200) * illuminant)
  }

  /// Converts linear RGB to CIELab, with the colors weakened in the dark after Hunt.
  static func adjusted(_ color: SIMD3<Double>) -> SIMD3<Double> {
    let n = product(toXYZ, color) / illuminant
    let root = SIMD3(compressed(n.x), compressed(n.y), compressed(n.z))
    let lightness = 116 * root.y - 16
    return SIMD3(lightness, 500 * (root.x - root.y) * 0.01 * lightness, 200 * (root.y - root.z) * 0.01 * lightness)
  }

  /// CIE 15: a cube root that begins as a line.
  private static func compressed(_ value: Double) -> Double {
    let knee = 6.0 / 29
    return value > knee * knee * knee ? cbrt(value) : value / (3 * knee * knee) + 4.0 / 29
  }

  private static func product(_ columns: [SIMD3<Double>], _ vector: SIMD3<Double>) -> SIMD3<Double> {
    columns[0] * vector.x + columns[1] * vector.y + columns[2] * vector.z
  }

  private static func inverse(_ m: [SIMD3<Double>]) -> [SIMD3<Double>] {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
    let determinant = (m[0] * rows[0]).sum()
    return (0..<3).map { SIMD3(rows[0][$0], rows[1][$0], rows[2][$0]) / determinant }
  }
}
