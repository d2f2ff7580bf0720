import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

@Suite struct ReportTests {
  private let folder = TemporaryFolder()

  /// A limit to the size of files stands for a full disk.
  @Test func aReportThatDoesNotFitLeavesTheResult() throws {
    let (one, other) = (Tool.fixture("dark-room/frame0001.png"), Tool.fixture("dark-room/frame0002.png"))
    let outcome = try folder.shell(
      "trap '' XFSZ; ulimit -f 4; safelight compare '\(one)' '\(other)' --report r.html", code: 74
    ).prints("pixels differ")
    #expect(try outcome.errors.contains("r.html") && folder.names() == [], "\(outcome.errors)")
  }

  @Test func everyFrameHasItsStatusAndTheHashOfItsPixels() throws {
    try Tool.run(
      "equalize", Tool.fixture("broken/text.png"), Tool.fixture("dark-room/frame0001.png"), "-o", folder.path("out"),
      "--device", "cpu", "--keep-going", "--report", folder.path("report.json"), "--shard", "0/1"
    ).ends(65)
    let report = try folder.json("report.json")
    #expect(report["version"] as? String == "0.1.0")
    #expect(report["device"] as? String == "CPU" && (report["driver"] as? String)?.isEmpty == false)
    #expect((report["filters"] as? String)?.hasPrefix("equalize=rule=normalized-sum") == true)
    #expect(report["shard"] as? String == "0/1")
    let frames = try #require(report["frames"] as? [[String: Any]])
    #expect(frames.map { $0["index"] as? Int } == [0, 1])
    #expect(frames.map { $0["status"] as? String } == ["failed", "done"])
    #expect(frames[0]["pixels"] is NSNull && frames[1]["error"] is NSNull)
    #expect((frames[0]["error"] as? String)?.contains("text.png") == true)
    #expect(frames[1]["input"] as? String == Tool.fixture("dark-room/frame0001.png"))
    #expect(frames[1]["output"] as? String == folder.path("out/frame0001.png"))
    let summary = try #require(report["summary"] as? [String: Any])
    #expect(summary["done"] as? Int == 1 && summary["skipped"] as? Int == 0 && summary["failed"] as? Int == 1)
    #expect(summary["seconds"] is Double)

    // As the contract defines it, for a picture of three channels, of which memory has four.
    let image = try folder.image("out/frame0001.png")
    #expect(image.channels == .rgb && image.depth == .bits8)
    var bytes: [UInt8] = []
    for number in [image.size.width, image.size.height, 3, 8] {
      bytes += [0, 8, 16, 24].map { UInt8(number >> $0 & 255) }
    }
    for first in stride(from: 0, to: image.bytes.count, by: 4) { bytes += image.bytes[first..<first + 3] }
    let hash = SHA256.hash(bytes).hexadecimal
    #expect(frames[1]["pixels"] as? String == "sha256:\(hash)")
  }

  /// Counts of the histogram are the judge; the filter before a mean counts, and the twins are asked too.
  @Test func meansAreThoseOfTheHistogram() throws {
    try folder.shell(
      """
      safelight process \(Tool.haze) -o out/ --filter mean,invert,mean --device software \
        --verify-with cpu --report report.json
      safelight histogram \(Tool.haze) -o counts.json --device cpu
      """)
    let frames = try #require(try folder.json("report.json")["frames"] as? [[String: Any]])
    let measured = try #require(frames[0]["measured"] as? [String: [String: Double]])
    let counted = try #require(try folder.json("counts.json")["frames"] as? [[String: Any]])
    let channels = try #require(counted[0]["channels"] as? [String: [Int]])
    #expect(measured.count == 2 && measured["mean"]?.count == channels.count)
    for (channel, counts) in channels {
      let (sum, count) = (counts.enumerated().reduce(0) { $0 + $1.offset * $1.element }, counts.reduce(0, +))
      // Foundation reads a Double that is one unit in the last place beside what was written.
      let mean = Double(sum) / Double(255 * count)
      #expect(abs((measured["mean"]?[channel] ?? 2) - mean) < 1e-12, "\(channel)")
      #expect(abs((measured["mean 2"]?[channel] ?? 2) - (1 - mean)) < 1e-12, "\(channel)")
    }
  }

  @Test func skippedFramesHaveALineAndTheReportReplacesNoFrame() throws {
    let line = "equalize \(Tool.word("haze")) -o out --existing skip --report"
    try folder.safelight("\(line) report.json")
    try folder.safelight("\(line) report.json")
    let frames = try #require(try folder.json("report.json")["frames"] as? [[String: Any]])
    #expect(!frames.isEmpty && frames.allSatisfy { $0["status"] as? String == "skipped" && $0["pixels"] is NSNull })
    try folder.safelight("\(line) out/haze.png", code: 64)
    try folder.safelight("\(line) none/report.json", code: 73)
    // By whatever names.
    try folder.safelight("\(line) both --contact-sheet out/../both", code: 64).says("two files")
  }

  /// Nobody takes the report of an earlier run for that of one that is killed while it waits for its input.
  @Test func aRunThatWaitsHasNoReport() throws {
    let frame = Tool.fixture("dark-room/frame0001.png")
    try folder.shell("safelight process '\(frame)' -o out --report r.json -q --device cpu; mkfifo waiting")
    #expect(try folder.names().contains("r.json"))
    try folder.shell(
      """
      exec 3<>waiting; safelight process - -o none --report r.json --device cpu <&3 & child=$!
      while test -e r.json && kill -0 $child; do sleep 0.05; done; kill -9 $child; wait $child || true; test ! -e r.json
      """)
    // A mistaken option is told in a report, if there was one.
    try folder.shell("safelight process '\(frame)' -o out --report r.json -q --device cpu")
    try folder.shell("safelight process '\(frame)' -o out --report r.json --filter none --device cpu", code: 64)
    #expect(try folder.text("r.json").contains("unknown filter"))
  }

  @Test func aRunThatIsStoppedReportsWhatItDid() throws {
    let arguments = [
      "equalize", Tool.fixture("dark-room"), "-o", folder.path("out"), "--device", "cpu", "--in-flight", "1",
      "--report", folder.path("report.json"),
    ]
    try Tool.run(arguments, until: SIGTERM) {
      ((try? folder.names("out")) ?? []).contains { !$0.hasPrefix(".") }
    }.ends(75)
    let report = try folder.json("report.json")
    let summary = try #require(report["summary"] as? [String: Any])
    #expect(summary["interrupted"] as? Bool == true)
    let done = try #require(summary["done"] as? Int)
    #expect((1..<24).contains(done) && summary["untouched"] as? Int == 24 - done)
    #expect((report["frames"] as? [Any])?.count == done)
  }
}
