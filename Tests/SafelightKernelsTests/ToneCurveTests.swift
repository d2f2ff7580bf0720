import SafelightImage
import SafelightKernels
import Testing

@Suite struct ToneCurveTests {
  private func curve(_ points: [(Double, Double)]) -> ToneCurve {
    ToneCurve(points.map { ToneCurve.Point($0.0, $0.1) })
  }

  private static let places = (0...1000).map { Double($0) / 1000 }

  @Test func aStraightLineIsTheIdentity() {
    for x in Self.places {
      #expect(abs(ToneCurve.identity.output(x) - x) < 1e-15)
      #expect(abs(curve([(0, 0), (0.3, 0.3), (0.55, 0.55), (1, 1)]).output(x) - x) < 1e-15)
    }
  }

  @Test func pointsLieOnTheCurveAndEndsAreLevel() {
    let points = [(0.1, 0.2), (0.3, 0.7), (0.35, 0.1), (0.9, 0.9)]
    let curve = curve(points)
    for (x, y) in points { #expect(abs(curve.output(x) - y) < 1e-15) }
    #expect(curve.output(0) == 0.2 && curve.output(0.05) == 0.2)
    #expect(curve.output(0.95) == 0.9 && curve.output(1) == 0.9)
  }

  /// A cubic without the limit would swing below 0 and above 1 here.
  @Test func nothingTurnsWhereThePointsDoNot() {
    let steep = curve([(0, 0), (0.4, 0.01), (0.45, 0.99), (1, 1)])
    let outputs = Self.places.map(steep.output)
    #expect(outputs.allSatisfy { (0...1).contains($0) })
    #expect(zip(outputs, outputs.dropFirst()).allSatisfy { $0 <= $1 })
    let level = curve([(0, 0.1), (0.2, 0.5), (0.6, 0.5), (1, 0.9)])
    #expect(Self.places.filter { (0.2...0.6).contains($0) }.allSatisfy { level.output($0) == 0.5 })
  }

  /// Worked out by hand: slopes 2/3, 4/3, 2/3 and the middle of the first piece.
  @Test func valuesBetweenPointsAreThoseOfTheFormula() {
    let curve = curve([(0, 0), (0.75, 0.5), (1, 1)])
    // Pieces of slope 2/3 and 2: the middle slope is 4/3, and a² + b² = 1 + 4 stays.
    let h = 0.75
    let middle = 0.5 * 0.5 + (0.125 * h * 2 / 3) - (0.125 * h * 4 / 3)
    #expect(abs(curve.output(0.375) - middle) < 1e-15)
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
    1 - 1.0 / 65536, 1.nextDown, 1,
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

@Suite struct ToneFunctionTests {
  /// IEC 61966-2-1: 0.5 is 0.21404114 of the light, and both branches meet.
  @Test func theCurveOfSRGBIsTheStandards() {
    #expect(abs(SRGBCurve.linear(0.5) - 0.214_041_14) < 1e-8)
    #expect(abs(SRGBCurve.linear(0.04) - 0.04 / 12.92) < 1e-15)
    for step in 0...1000 {
      #expect(abs(SRGBCurve.encoded(SRGBCurve.linear(Double(step) / 1000)) - Double(step) / 1000) < 1e-7)
    }
    var exposure = ImageExposure()
    exposure.stops = 1
    #expect(abs(exposure.output(0.5) - SRGBCurve.encoded(0.428_082_28)) < 1e-8)
    exposure.stops = 3
    #expect(abs(exposure.output(0.9) - 1) < 1e-15 && exposure.output(0) == 0)
  }
}

@Suite struct SampleTableTests {
  /// floor(x · maximum + 1/2), clamped before.
  @Test(arguments: SampleDepth.allCases) func curvesAreRoundedHalfUp(_ depth: SampleDepth) {
    let maximum = depth == .bits8 ? 255 : 65535
    let curves: [(Double) -> Double] = [{ $0 }, { $0 * 3 - 1 }, { 1 - $0 }, { _ in 0.5 }, { $0 / 2 }]
    let expected: [(Int) -> Int] = [
      { $0 }, { min(max($0 * 3 - maximum, 0), maximum) }, { maximum - $0 }, { _ in (maximum + 1) / 2 },
      { ($0 + 1) / 2 },
    ]
    for (curve, output) in zip(curves, expected) {
      let values = (0...maximum).map { (value: Int) -> UInt16 in UInt16(output(value)) }
      #expect(SampleTable(quantizing: curve, depth: depth).outputs == values)
    }
  }

  @Test func followedTablesAreLookedUpOneInTheOther() {
    let first = SampleTable(.bits8) { ($0 * 7 + 3) % 256 }
    let second = SampleTable(.bits8) { 255 - $0 }
    let expected = (0...255).map { (value: Int) -> UInt16 in UInt16(255 - (value * 7 + 3) % 256) }
    #expect(first.followed(by: second).outputs == expected)
  }

  @Test func mistakesTrap() async {
    await #expect(processExitsWith: .failure) { _ = SampleTable(.bits8) { $0 + 1 } }
    await #expect(processExitsWith: .failure) { _ = SampleTable(quantizing: { _ in .nan }, depth: .bits8) }
    await #expect(processExitsWith: .failure) { _ = SampleTable.identity(.bits8).followed(by: .identity(.bits16)) }
    await #expect(processExitsWith: .failure) { _ = ChannelTables(.identity(.bits8), alpha: .identity(.bits16)) }
  }
}

@Suite struct SampleTableSRGBTests {
  /// IEC 61966-2-1 worked out with 50 digits: 10, 11 (either side of the knee), 55, 128, 188 and 255 of 8 bits, and
  /// values of 16.
  @Test(arguments: [
    (SampleDepth.bits8, [0: 0, 10: 1, 11: 1, 12: 1, 13: 1, 55: 10, 128: 55, 188: 128, 255: 255]),
    (.bits16, [0: 0, 2650: 205, 2651: 205, 14135: 2504, 32896: 14146, 65535: 65535]),
  ])
  func valuesAreTheStandards(_ depth: SampleDepth, _ lights: [Int: UInt16]) {
    let outputs = ImageSRGBToLinear().tables(depth).red.outputs
    for (value, light) in lights { #expect(outputs[value] == light, "\(value)") }
    if depth == .bits8 { #expect(Set(outputs).count == 183) }
  }

  /// Rounding to linear light loses half a step, which becomes six where the way back is steepest, with slope 12.92.
  @Test func thereAndBack() {
    let way = ImageSRGBToLinear().tables(.bits16).red.followed(by: ImageLinearToSRGB().tables(.bits16).red).outputs
    #expect(way.indices.allSatisfy { abs(Int(way[$0]) - $0) <= 6 })
    let rise = ImageLinearToSRGB().tables(.bits16).red.outputs
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
