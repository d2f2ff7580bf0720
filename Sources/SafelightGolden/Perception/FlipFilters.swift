internal import Glibc

/// The filters of FLIP (Andersson et al. 2020) for a distance of the eye.
struct FlipFilters: Sendable {
  /// A filter along one axis, and the plain one across it.
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
    luminance = Self.normalized(taps(0.0047))
    redGreen = Self.normalized(taps(0.0053))
    let parts = [(34.1, 0.04), (13.5, 0.025)].map { a, b in
      let taps = taps(b)
      let sum = taps.reduce(0, +)
      return (volume: a * (Double.pi / b).squareRoot() * sum * sum, taps: Self.normalized(taps))
    }
    let volume = parts.reduce(0) { $0 + $1.volume }
    blueYellow = parts.map { ($0.volume / volume, $0.taps) }

    // Edges and points: the first and second derivative of a Gaussian as wide as half of what the eye resolves.
    let deviation = 0.5 * 0.082 * pixelsPerDegree
    let reach = Int((3 * deviation).rounded(.up))
    let offsets = (-reach...reach).map(Double.init)
    let gaussian = offsets.map { exp(-$0 * $0 / (2 * deviation * deviation)) }
    let plain = Self.normalized(gaussian)
    edge = Feature(along: Self.balanced(zip(offsets, gaussian).map { -$0 * $1 }), across: plain)
    point = Feature(
      along: Self.balanced(zip(offsets, gaussian).map { ($0 * $0 / (deviation * deviation) - 1) * $1 }), across: plain)
  }

  /// Y, Cx and Cz as blurred as the eye blurs each.
  func blurred(_ opponent: [Plane]) -> [Plane] {
    let parts = blueYellow.map { part in
      let plane = opponent[2].filtered(part.taps, part.taps, .clamp)
      return (part.weight, plane)
    }
    return [
      opponent[0].filtered(luminance, luminance, .clamp), opponent[1].filtered(redGreen, redGreen, .clamp),
      parts[0].1.combined(parts[1].1) { $0 * parts[0].0 + $1 * parts[1].0 },
    ]
  }

  /// How strong a feature is, whichever way it runs.
  func magnitude(_ plane: Plane, _ feature: Feature) -> Plane {
    plane.filtered(feature.along, feature.across, .clamp)
      .combined(plane.filtered(feature.across, feature.along, .clamp)) { ($0 * $0 + $1 * $1).squareRoot() }
  }

  private static func normalized(_ taps: [Double]) -> [Double] {
    let sum = taps.reduce(0, +)
    return taps.map { $0 / sum }
  }

  /// Positive weights sum to 1, negative ones to -1.
  private static func balanced(_ taps: [Double]) -> [Double] {
    let positive = taps.filter { $0 > 0 }.reduce(0, +)
    let negative = -taps.filter { $0 < 0 }.reduce(0, +)
    return taps.map { $0 / ($0 > 0 ? positive : negative) }
  }
}
