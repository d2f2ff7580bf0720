internal import Glibc
internal import SafelightImage

extension ImageDifference {
  /// LDR-FLIP of the colours, or of alpha as a grey picture where that is worse.
  ///
  /// Andersson et al. 2020, at 67 pixels a degree: a screen 0.7 m wide with 3840 columns, 0.7 m away. Samples are sRGB.
  public func flip() -> FlipStatistics {
    if isIdentical { return FlipStatistics(EmptyCollection()) }
    let colors = FlipStatistics(counted(flipMap()))
    guard maximumOfAlpha > 0 else { return colors }
    let (expected, actual) = planes(3)
    return colors.worse(FlipStatistics(counted(flipMap([expected], [actual]))))
  }

  /// LDR-FLIP of the colours in each pixel, row by row: 0 to 1.
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

/// What FLIP compares of a picture: how its colours look from afar, and its edges and points.
private struct Flip {
  /// L*, a*, b* of Hunt's adjustment after the eye's blur.
  let colors: [Plane]
  let edges: Plane
  let points: Plane

  private static let pixelsPerDegree = 3840 * Double.pi / 180
  private static let gaussians = FlipFilters(pixelsPerDegree: pixelsPerDegree)
  /// HyAB distance of green and blue, the greatest in sRGB, to the power of 0.7.
  private static let greatest = pow(
    distance(FlipColors.adjusted([0, 1, 0]), FlipColors.adjusted([0, 0, 1])), 0.7)

  /// Of red, green and blue, or of grey.
  init(_ samples: [Plane], peak: Double) {
    let linear = samples.map { plane in Plane(plane.width, plane.height) { FlipColors.linear(plane.values[$0] / peak) }
    }
    let (width, height) = (samples[0].width, samples[0].height)
    var opponent = (0..<3).map { _ in Plane(width, height) { _ in 0 } }
    for index in opponent[0].values.indices {
      let color = FlipColors.opponent(
        SIMD3(linear[0].values[index], linear[linear.count / 2].values[index], linear[linear.count - 1].values[index]))
      for channel in 0..<3 { opponent[channel].values[index] = color[channel] }
    }
    let filters = Self.gaussians
    let luminance = Plane(width, height) { (opponent[0].values[$0] + 16) / 116 }
    edges = filters.magnitude(luminance, filters.edge)
    points = filters.magnitude(luminance, filters.point)
    colors = Self.perceived(filters.blurred(opponent))
  }

  private static func perceived(_ opponent: [Plane]) -> [Plane] {
    var colors = opponent
    for index in colors[0].values.indices {
      let linear = FlipColors.linear(
        opponent: SIMD3(opponent[0].values[index], opponent[1].values[index], opponent[2].values[index]))
      let color = FlipColors.adjusted(linear.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1)))
      for channel in 0..<3 { colors[channel].values[index] = color[channel] }
    }
    return colors
  }

  /// In each pixel, the difference of the colours, to a power that is the less the more edges and points differ.
  func map(to other: Flip) -> [Double] {
    colors[0].values.indices.map { index in
      let a = SIMD3(colors[0].values[index], colors[1].values[index], colors[2].values[index])
      let b = SIMD3(other.colors[0].values[index], other.colors[1].values[index], other.colors[2].values[index])
      let feature = max(
        abs(edges.values[index] - other.edges.values[index]), abs(points.values[index] - other.points.values[index]))
      return pow(Self.share(Self.distance(a, b)), 1 - (feature / 2.0.squareRoot()).squareRoot())
    }
  }

  /// HyAB: a large difference is that of lightness plus that of hue.
  private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let d = a - b
    return abs(d.x) + (d.y * d.y + d.z * d.z).squareRoot()
  }

  /// The greatest distance becomes 1, four tenths of it 0.95.
  private static func share(_ distance: Double) -> Double {
    let error = pow(distance, 0.7)
    let knee = 0.4 * greatest
    return error < knee ? error * 0.95 / knee : 0.95 + (error - knee) / (greatest - knee) * 0.05
  }
}
