import SafelightGolden
import Testing

@Suite struct ComparisonCountsTests {
  @Test func onlyWhatWasComparedIs() {
    let all = ComparisonCounts(ComparisonStatus.allCases + [.exact, .missing])
    #expect("\(all)" == "4 compared: 2 exact, 1 within, 1 differ")
    #expect(all.texts([.incomparable, .missing, .damaged]) == ["1 not comparable", "2 missing", "1 damaged"])
    #expect("\(ComparisonCounts())" == "0 compared: 0 exact, 0 within, 0 differ")
    #expect(ComparisonCounts([.extra]).texts([.extra, .missing]) == ["1 extra"])
  }

  @Test func whatSomebodyMustActUponFails() {
    #expect(ComparisonStatus.allCases.filter(\.passes) == [.exact, .within])
    #expect(ComparisonStatus.allCases.filter { !$0.fails } == [.exact, .within, .skipped])
  }
}
