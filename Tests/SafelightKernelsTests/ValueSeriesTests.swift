import SafelightKernels
import Testing

/// Values of a number over time.
@Suite struct ValueSeriesTests {
  /// Values between two positions lie on the line, to the nearest 65536th, halves up.
  @Test func valuesLieOnLinesBetweenPositions() throws {
    let series = try #require(ValueSeries("1@1 1.4@48 1@96", areWhole: false))
    let value = ParameterValue.series(series)
    #expect(value.value(at: 0) == .number(1) && value.value(at: 47) == .number(1.4))
    #expect(value.value(at: 95) == .number(1) && value.value(at: 5000) == .number(1))
    // 1.4 is 91750 of 65536: 65536 + 26214 * 20 / 47 = 76691.0638, and 91750 - 26214 * 24 / 48.
    #expect(value.value(at: 20) == .number(76691.0 / 65536))
    #expect(value.value(at: 71) == .number(78643.0 / 65536))
    #expect(value.description == "1@1 1.4@48 1@96")
    #expect(series.indices == [0, 47, 95])
  }

  /// 0.3 is no 65536th, and the nearest lies above it.
  @Test func valuesStayBetweenTheirEnds() throws {
    let value = ParameterValue.series(try #require(ValueSeries("0.3@1 0.3@3", areWhole: false)))
    #expect((0..<4).map { value.value(at: $0) } == Array(repeating: .number(0.3), count: 4))
  }

  @Test(arguments: [
    ("0@3 1@5", [0, 0, 0, 1, 1]), ("1@1 0@3", [1, 1, 0, 0]), ("-1@1 -2@3", [-1, -1, -2]), ("7@9", [7, 7]),
    ("0@1 3@5", [0, 1, 2, 2, 3]), ("-2147483648@1 2147483647@16777216", [-2_147_483_648, -2_147_483_392]),
  ])
  func wholeNumbersAreRoundedHalvesUp(_ text: String, _ expected: [Int]) throws {
    let value = ParameterValue.series(try #require(ValueSeries(text, areWhole: true)))
    #expect(expected.indices.map { value.value(at: $0) } == expected.map { .integer($0) })
  }

  @Test(arguments: [
    "", "1", "1@", "@1", "1@0", "1@2 1@2", "1@2 1@1", "1@1,2@3", "1@1.5", "x@1", "1@1@2", "1@-3", "inf@1", "1@16777217",
    "2147483649@1",
  ])
  func otherTextsAreNone(_ text: String) { #expect(ValueSeries(text, areWhole: false) == nil) }

  @Test func fractionsAreNoWholeNumbers() { #expect(ValueSeries("1@1 1.5@2", areWhole: true) == nil) }
}
