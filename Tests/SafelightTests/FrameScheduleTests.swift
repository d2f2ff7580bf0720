import Safelight
import SafelightFrames
import Testing

@Suite struct FrameScheduleTests {
  private let sequence = (0..<10).map { Frame(index: $0, number: $0 + 1, path: "\($0)") }

  /// Steps as text: what is made, skipped (s) and remembered (r).
  private func schedule(_ made: [Int], history: Int, there: Set<String> = [], isWhole: Bool = false) async -> String {
    let schedule = FrameSchedule(
      made.map { (sequence[$0], .file("out\($0)")) }, of: isWhole ? [] : sequence, history: history,
      isThere: { there.contains($1.name) })
    var texts: [String] = []
    for await step in schedule {
      switch step.action {
      case .make(let target):
        #expect(target.name == "out\(step.frame.index)")
        texts.append(step.frame.path)
      case .skip: texts.append("s\(step.frame.path)")
      case .remember: texts.append("r\(step.frame.path)")
      }
    }
    return texts.joined(separator: " ")
  }

  @Test func withoutHistoryFramesStandAlone() async {
    #expect(await schedule([3, 4, 7], history: 0) == "3 4 7")
  }

  @Test func aPartBeginsWithTheFramesBeforeIt() async {
    #expect(await schedule([0, 1, 2], history: 2) == "0 1 2")
    #expect(await schedule([5, 6, 7], history: 2) == "r3 r4 5 6 7")
    #expect(await schedule([1, 2], history: 5) == "r0 1 2")
  }

  @Test func gapsAreFilledAsFarAsTheHistoryReaches() async {
    #expect(await schedule([0, 2, 8], history: 2) == "0 r1 2 r6 r7 8")
    #expect(await schedule([2, 4, 9], history: 4) == "r0 r1 2 r3 4 r5 r6 r7 r8 9")
  }

  @Test func skippedFramesAreRememberedWhereOneBehindThemIsMade() async {
    #expect(await schedule([0, 1, 2, 3], history: 2, there: ["out0", "out1", "out2"]) == "s0 s1 s2 r1 r2 3")
    #expect(await schedule([0, 1, 2, 3], history: 2, there: ["out1"]) == "0 s1 r1 2 3")
    #expect(await schedule([0, 1], history: 9, there: ["out0", "out1"]) == "s0 s1")
  }

  @Test func withoutASequenceTheWorkIsIt() async {
    #expect(await schedule([4, 6, 9], history: 2, there: ["out6"], isWhole: true) == "4 s6 r6 9")
  }
}
