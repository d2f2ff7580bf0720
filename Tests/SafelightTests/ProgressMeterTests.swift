import Safelight
import Testing

@Suite struct ProgressMeterTests {
  @Test(arguments: [
    (0, 24, 0.0, 60, " 0/24 ▕                                   ▏   0 %  -:-- left"),
    (12, 24, 0.66, 60, "12/24 ▕██████████          ▏  50 %  18.2 frames/s  0:01 left"),
    (24, 24, 1.31, 60, "24/24 ▕█████████████████████▏ 100 %  18.3 frames/s  in 1.3 s"),
    (1, 7300, 2.0, 70, "   1/7300 ▕                        ▏   0 %  0.5 frames/s  4:03:18 left"),
    (12, 24, 0.66, 45, "12/24   50 %  18.2 frames/s  0:01 left"),
    (12, 24, 0.66, 30, "12/24   50 %  0:01 left"),
    (12, 24, 0.66, 15, "12/24   50 %"),
    (12, 24, 0.66, 5, "12/24"),
    (12, 24, 0.66, 3, "12/"),
    (12, 24, 0.66, 0, ""),
    (30, 24, 2.0, 20, "30/24  100 %"),
    (0, 0, 0.0, 60, "no frames"),
  ])
  func barFillsTheLineGiven(done: Int, total: Int, elapsed: Double, width: Int, line: String) {
    let bar = ProgressMeter(done: done, total: total, elapsed: elapsed).bar(width: width)
    #expect(bar == line)
    #expect(bar.count <= width)
    #expect(bar.count == width || !bar.contains("▕"))
  }

  @Test func theBarGrowsByEighthsAndItsLineKeepsItsLength() {
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    for done in 0..<64 {
      let line = ProgressMeter(done: done, total: 64, elapsed: 0).bar(width: 33)
      let cells = String(repeating: "█", count: done / 8) + parts[done % 8]
      #expect(line.count == 33)
      #expect(line.contains("▕" + cells + String(repeating: " ", count: 8 - cells.count) + "▏ "))
    }
  }

  @Test(arguments: [
    (0, 24, 0.0, "0 of 24 frames, 0 %, -:-- left"), (12, 24, 0.66, "12 of 24 frames, 50 %, 18.2 frames/s, 0:01 left"),
    (29, 100, 29.0, "29 of 100 frames, 29 %, 1.0 frames/s, 1:11 left"),
    (199, 200, 1.0, "199 of 200 frames, 99 %, 199 frames/s, 0:01 left"),
    (1, 1, 0.004, "1 of 1 frame, 100 %, 250 frames/s, in 0.0 s"),
    (600, 600, 75.0, "600 of 600 frames, 100 %, 8.0 frames/s, in 1:15"), (0, 0, 3.0, "no frames"),
    (5, 10, .nan, "5 of 10 frames, 50 %, -:-- left"), (-1, 10, -1.0, "0 of 10 frames, 0 %, -:-- left"),
  ])
  func plainLines(done: Int, total: Int, elapsed: Double, line: String) {
    #expect(ProgressMeter(done: done, total: total, elapsed: elapsed).plain == line)
  }

  @Test func whatIsOverHasNoTimeLeft() {
    #expect(ProgressMeter(done: 4, total: 9, elapsed: 0.2).ended == "4 of 9 frames, 44 %, 20.0 frames/s, in 0.2 s")
    #expect(ProgressMeter(done: 9, total: 9, elapsed: 75).ended == ProgressMeter(done: 9, total: 9, elapsed: 75).plain)
    #expect(ProgressMeter(done: 0, total: 1, elapsed: 0).ended == "0 of 1 frame, 0 %, in 0.0 s")
    #expect(ProgressMeter(done: 0, total: 0, elapsed: 1).ended == "no frames")
    #expect(ProgressMeter(done: 4, total: nil, elapsed: 2).ended == "4 frames, 2.0 frames/s, 0:02")
  }

  @Test func withoutATotalTheCountAndTheClockRemain() {
    let meter = ProgressMeter(done: 120, total: nil, elapsed: 61)
    #expect(meter.plain == "120 frames, 2.0 frames/s, 1:01")
    #expect(meter.bar(width: 80) == "120 frames  2.0 frames/s  1:01")
    #expect(meter.bar(width: 18) == "120 frames  1:01")
    #expect(meter.bar(width: 4) == "120 ")
    #expect(meter.percent == nil && meter.secondsLeft == nil && !meter.isFinished)
    #expect(ProgressMeter(done: 0, total: nil, elapsed: 0).plain == "0 frames, 0:00")
  }
}

@Suite struct ProgressEventTests {
  @Test func framesAreTheContractsLines() {
    #expect(
      ProgressEvent.frame(index: 17, file: "a\"b.png", milliseconds: 41).json
        == #"{"event":"frame","index":17,"file":"a\"b.png","milliseconds":41,"status":"done"}"#)
    #expect(
      ProgressEvent.frame(index: 0, file: "a.png", milliseconds: 0, status: .skipped).json.hasSuffix(
        #""status":"skipped"}"#))
  }

  @Test(arguments: [(1.9, "1.9"), (12.0, "12"), (0.0412, "0.041"), (0.0, "0"), (100.0, "100"), (.infinity, "0")])
  func summariesRoundTheirSeconds(seconds: Double, text: String) {
    #expect(
      ProgressEvent.summary(done: 24, skipped: 1, failed: 0, seconds: seconds).json
        == "{\"event\":\"summary\",\"done\":24,\"skipped\":1,\"failed\":0,\"seconds\":\(text)}")
  }
}

@Suite struct DurationTextTests {
  @Test(arguments: [(0, "0:00"), (9, "0:09"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (360_061, "100:01:01")])
  func clocks(seconds: Int, text: String) { #expect(DurationText.clock(seconds) == text) }

  @Test(arguments: [
    (0.0, 1, "0.0"), (0.05, 1, "0.1"), (18.26, 1, "18.3"), (99.96, 1, "100.0"), (1.005, 0, "1"), (0.041, 3, "0.041"),
    (-1, 1, "0.0"), (1e30, 0, "1000000000000000000"),
  ])
  func decimals(number: Double, places: Int, text: String) {
    #expect(DurationText.decimal(number, places: places) == text)
  }
}
