internal import Glibc

/// The colour spaces of FLIP (Andersson et al. 2020), with the illuminant that its matrix has.
enum FlipColors {
  /// The columns of linear RGB to XYZ, as integers over one denominator a row.
  private static let toXYZ: [SIMD3<Double>] = {
    let denominators = SIMD3<Double>(24_577_794, 12_288_897, 73_733_382)
    let columns: [SIMD3<Double>] = [
      SIMD3(10_135_552, 2_613_072, 1_425_312), SIMD3(8_788_810, 8_788_810, 8_788_810),
      SIMD3(4_435_075, 887_015, 70_074_185),
    ]
    return columns.map { $0 / denominators }
  }()
  private static let fromXYZ = inverse(toXYZ)
  private static let illuminant = SIMD3(0.950428545, 1, 1.088900371)

  /// sRGB (IEC 61966-2-1), 0 to 1, to linear light.
  static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// Linear RGB to YCxCz.
  static func opponent(_ color: SIMD3<Double>) -> SIMD3<Double> {
    let n = product(toXYZ, color) / illuminant
    return SIMD3(116 * n.y - 16, 500 * (n.x - n.y), 200 * (n.y - n.z))
  }

  /// YCxCz to linear RGB.
  static func linear(opponent color: SIMD3<Double>) -> SIMD3<Double> {
    let y = (color.x + 16) / 116
    return product(fromXYZ, SIMD3(y + color.y / 500, y, y - color.z / 200) * illuminant)
  }

  /// Linear RGB to CIELab, its colours as weak as Hunt found them in the dark.
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
