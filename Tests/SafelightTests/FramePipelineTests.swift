import Foundation
import Safelight
import SafelightFrames
import SafelightImage
import Synchronization
import Testing

@Suite struct FrameScheduleTests {
  private let sequence = (0..<10).map { Frame(index: $0, number: $0 + 1, path: "\($0)") }

  /// Returns steps as text: made, skipped (s) and remembered (r).
  private func schedule(_ made: [Int], history: Int, there: Set<String> = [], isWhole: Bool = false) async -> String {
    var schedule = FrameSchedule(
      made.map { (sequence[$0], .file("out\($0)")) }, of: isWhole ? [] : sequence, history: history
    ) { there.contains($1.name) ? .keep : .make(remark: nil) }
    var texts: [String] = []
    while let step = await schedule.next(isolation: nil) {
      var sign = step.target == nil ? "r" : ""
      if case .keep = step.verdict { sign = "s" }
      #expect(step.target.map { $0.name == "out\(step.frame.index)" } ?? true)
      texts.append(sign + step.frame.path)
    }
    return texts.joined(separator: " ")
  }

  @Test(
    arguments: [
      // Without a history frames stand alone.
      ([3, 4, 7], 0, [], "3 4 7"),
      // A part begins with the frames before it.
      ([0, 1, 2], 2, [], "0 1 2"), ([5, 6, 7], 2, [], "r3 r4 5 6 7"), ([1, 2], 5, [], "r0 1 2"),
      // Gaps are filled as far as the history reaches.
      ([0, 2, 8], 2, [], "0 r1 2 r6 r7 8"), ([2, 4, 9], 4, [], "r0 r1 2 r3 4 r5 r6 r7 r8 9"),
      // Skipped frames are remembered where one behind them is made.
      ([0, 1, 2, 3], 2, ["out0", "out1", "out2"], "s0 s1 s2 r1 r2 3"), ([0, 1, 2, 3], 2, ["out1"], "0 s1 r1 2 3"),
      ([0, 1], 9, ["out0", "out1"], "s0 s1"),
    ] as [([Int], Int, Set<String>, String)])
  func framesAreRememberedForThoseBehindThem(
    _ made: [Int], _ history: Int, _ there: Set<String>, _ steps: String
  ) async {
    #expect(await schedule(made, history: history, there: there) == steps)
  }

  @Test func withoutASequenceTheWorkIsIt() async {
    #expect(await schedule([4, 6, 9], history: 2, there: ["out6"], isWhole: true) == "4 s6 r6 9")
  }
}

@Suite struct CodecPoolTests {
  private final class Log: Sendable {
    let served = Mutex<[Int]>([])
    let isOpen = Mutex(false)
  }

  /// Older frames are finished before newer ones, whoever asked first.
  @Test func theOldestFrameIsServedFirst() async {
    let pool = CodecPool(jobs: 1)
    let log = Log()
    let (waiting, opened) = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // Holds the only thread until all others have asked.
      group.addTask {
        await pool.run(for: 9) {
          opened.yield()
          while !log.isOpen.withLock({ $0 }) {}
        }
      }
      for await _ in waiting { break }
      for frame in [7, 3, 5, 4] {
        group.addTask { await pool.run(for: frame) { log.served.withLock { $0.append(frame) } } }
      }
      while pool.waitingCount < 4 { await Task.yield() }
      log.isOpen.withLock { $0 = true }
      await group.waitForAll()
    }
    #expect(log.served.withLock { $0 } == [3, 4, 5, 7])
  }

  @Test func errorsComeBackAndThreadsAreGivenBack() async {
    struct Refusal: Error {}
    let pool = CodecPool(jobs: 2)
    for frame in 0..<8 {
      await #expect(throws: Refusal.self) { try await pool.run(for: frame) { throw Refusal() } }
    }
    let last = await pool.run(for: 8) { 8 }
    #expect(last == 8)
  }
}

@Suite struct TwinDifferenceTests {
  private static let image = SyntheticImage.noise.image(Size(5, 4), channels: .rgb, depth: .bits16)

  @Test func equalPicturesHaveNone() {
    #expect(TwinDifference(expected: Self.image, actual: Self.image) == nil)
  }

  @Test func everyDifferingSampleCounts() throws {
    var other = Self.image
    other[x: 3, y: 1, sample: 2] = Self.image[x: 3, y: 1, sample: 2] ^ 1
    other[x: 0, y: 3, sample: 0] = Self.image[x: 0, y: 3, sample: 0] ^ 256
    let difference = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(difference.differing == 2 && difference.samples == 60 && difference.maximum == 256)
    #expect(difference.first.x == 3 && difference.first.y == 1 && difference.first.sample == 2)
    let error = difference.error(name: "shot.png", device: "llvmpipe") { "(\($0.x), \($0.y)) blue" }
    #expect(error.kind == .difference)
    #expect(error.description.hasPrefix("shot.png: llvmpipe and the CPU twins differ in 2 of 60 samples, by up to 256"))
    #expect(error.description.contains("(3, 1) blue"))
  }

  /// Memory beside the samples is reported only if those are equal.
  @Test func paddingIsNoSample() throws {
    var other = Self.image
    other[x: 1, y: 1, sample: 3] ^= 1
    let padding = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(padding.differing == 1 && padding.samples == 60 && padding.first.sample == 3)
    other[x: 2, y: 2, sample: 1] ^= 1
    let difference = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(difference.differing == 1 && difference.first.sample == 1)
  }
}

@Suite struct RunReportTests {
  @Test(arguments: [false, true]) func aRunThatEndsEarlySaysWhetherItWasStopped(_ isInterrupted: Bool) throws {
    let text = RunReport.json(
      version: "1", filters: "invert", shard: nil, error: "“x” is\nmissing", isInterrupted: isInterrupted)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(report["error"] as? String == "“x” is\nmissing")
    let summary = try #require(report["summary"] as? [String: Any])
    #expect(summary["interrupted"] as? Bool == isInterrupted)
    #expect(summary["seconds"] as? Double == 0)
  }
}
