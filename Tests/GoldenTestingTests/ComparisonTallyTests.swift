import GoldenTesting
import SafelightGolden
import Testing

@Suite struct ComparisonTallyTests {
  @Test func whatCouldNotBeComparedIsOneNumber() {
    let tally = ComparisonTally()
    for status in ComparisonStatus.allCases { tally.count(status, byVariant: false) }
    #expect(tally.compared == 3 && tally.failed == 6)
    #expect(tally.summary == "golden: 3 compared: 1 exact, 1 within, 1 differ; 6 not comparable, 1 skipped")
  }

  /// Who needs variants is told, as they are exceptions.
  @Test func variantsAreCounted() {
    let tally = ComparisonTally()
    tally.count(.exact, byVariant: true)
    tally.count(.differs, byVariant: true)
    tally.count(.exact, byVariant: false)
    #expect(
      tally.summary == "golden: 3 compared: 2 exact, 0 within, 1 differ; 0 not comparable, 0 skipped; 2 by variants")
  }
}
