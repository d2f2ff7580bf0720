import SafelightImage
import SafelightKernels
import Testing

/// What the frozen hashes of curves do not show.
@Suite struct ToneCurveTests {
  private func curve(_ points: [(Double, Double)]) -> ToneCurve {
    ToneCurve(points.map { ToneCurve.Point($0.0, $0.1) })
  }

  private static let places = (0...1000).map { Double($0) / 1000 }

  /// A cubic without the limit would swing below 0 and above 1 here.
  @Test func nothingTurnsWhereThePointsDoNot() {
    let steep = curve([(0, 0), (0.4, 0.01), (0.45, 0.99), (1, 1)])
    let outputs = Self.places.map(steep.output)
    #expect(outputs.allSatisfy { (0...1).contains($0) })
    #expect(zip(outputs, outputs.dropFirst()).allSatisfy { $0 <= $1 })
    let level = curve([(0, 0.1), (0.2, 0.5), (0.6, 0.5), (1, 0.9)])
    #expect(Self.places.filter { (0.2...0.6).contains($0) }.allSatisfy { level.output($0) == 0.5 })
  }

  private static let faults: [([(Double, Double)], String)] = [
    ([(0.5, 0.5)], "it needs 2 points or more; there are 1"), ([], "it needs 2 points or more; there are 0"),
    ([(0, 0), (1.5, 1)], "point 2, 1.5/1.0, lies outside 0 to 1"),
    ([(0, -0.5), (1, 1)], "point 1, 0.0/-0.5, lies outside 0 to 1"),
    ([(0, 0), (0.5, 0.1), (0.5, 0.2)], "inputs must rise by 1/65536 or more; that of point 3, 0.5, follows 0.5"),
    (
      [(0, 0), (.leastNonzeroMagnitude, 1), (1, 1)],
      "inputs must rise by 1/65536 or more; that of point 2, 5e-324, follows 0.0"
    ),
    ([(0, 0), (.nan, 0.1)], "point 2, nan/0.1, lies outside 0 to 1"),
  ]

  @Test(arguments: faults) func faultsAreNamed(_ points: [(Double, Double)], _ fault: String) {
    #expect(ToneCurve.fault(in: points.map { ToneCurve.Point($0.0, $0.1) }) == fault)
  }

  private static let hostile: [Double] = [
    -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-200, 1e-160, .ulpOfOne, 1.0 / 65537, 1.0 / 65536, 0.5,
    1 - 1.0 / 65536,
    1.nextDown, 1,
  ]

  /// What is not refused has an output for every value, between those of the points beside it.
  @Test(arguments: hostile, [0, .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-160, 0.5, 1])
  func curvesOfHostileNumbersAreRefusedOrWhole(_ first: Double, _ from: Double) {
    for second in Self.hostile {
      for middle in Self.hostile {
        for to in Self.hostile {
          let points = [ToneCurve.Point(first, from), ToneCurve.Point(second, middle), ToneCurve.Point(1, to)]
          let isSound = second - first >= 1.0 / 65536 && 1 - second >= 1.0 / 65536
          let fault = ToneCurve.fault(in: points)
          #expect((fault == nil) == isSound)
          guard fault == nil else { continue }
          let curve = ToneCurve(points)
          let wrong = Self.hostile.filter { (x: Double) -> Bool in
            let left = x < second || x < first ? from : x < 1 ? middle : to
            let right = x < first ? from : x < second ? middle : to
            // NaN is in no range.
            return !(min(left, right) - 1e-15...max(left, right) + 1e-15).contains(curve.output(x))
          }
          #expect(wrong.isEmpty, "\(points) has other outputs for \(wrong)")
        }
      }
    }
  }
}
