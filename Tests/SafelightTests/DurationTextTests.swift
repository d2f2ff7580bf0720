import Safelight
import Testing

@Suite struct DurationTextTests {
  @Test(arguments: [
    (0, "0:00"), (9, "0:09"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (360_061, "100:01:01"),
  ])
  func clocks(seconds: Int, text: String) { #expect(DurationText.clock(seconds) == text) }

  @Test(arguments: [
    (0.0, 1, "0.0"), (0.05, 1, "0.1"), (18.26, 1, "18.3"), (99.96, 1, "100.0"), (1.005, 0, "1"), (0.041, 3, "0.041"),
    (-1, 1, "0.0"), (1e30, 0, "1000000000000000000"),
  ])
  func decimals(number: Double, places: Int, text: String) {
    #expect(DurationText.decimal(number, places: places) == text)
  }
}
