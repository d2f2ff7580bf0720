import SafelightImage
import SafelightKernels
import Testing

@Suite struct SampleTableTests {
  @Test func identityLeavesEveryValue() {
    #expect(SampleTable.identity(.bits8).outputs == (0...255).map { UInt16($0) })
    #expect(SampleTable.identity(.bits16).outputs == (0...65535).map { UInt16($0) })
    #expect(SampleTable(.bits16) { $0 }.outputs.count == 65536)
  }

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

  /// What is lost on the way and back: one step of 16 bits at most where the curve is steep.
  @Test func thereAndBack() {
    let way = ImageSRGBToLinear().tables(.bits16).red.followed(by: ImageLinearToSRGB().tables(.bits16).red).outputs
    #expect(way.indices.allSatisfy { abs(Int(way[$0]) - $0) <= 6 })
    let rise = ImageLinearToSRGB().tables(.bits16).red.outputs
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
