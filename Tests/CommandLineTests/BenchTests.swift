import Foundation
import Testing

/// `safelight bench`.
@Suite struct BenchTests {
  /// The fields, not the times: those are the machine's.
  @Test(arguments: ["software", "cpu"])
  func measuresADispatch(_ device: String) throws {
    let outcome = try Tool.run("bench", "--dispatch", "--rounds", "1", "--format", "json", "--device", device).ends(0)
    let cost = try outcome.json
    #expect((cost["recording"] as? Double ?? 0) > 0)
    #expect((cost["replaying"] as? Double ?? 0) > 0)
    #expect((cost["bare"] != nil) == (device == "software"))
    #expect((cost["ratio"] != nil) == (device == "software"))
    #expect(cost["dispatches"] as? Int == 1000)
    let text = try Tool.run("bench", "--dispatch", "--rounds", "1", "--device", device).output
    #expect(text.contains("above the bare calls") && text.contains("µs"))
  }

  /// The fields, not the speeds: those are the machine's.
  @Test(arguments: ["software", "cpu"])
  func measuresKernels(_ device: String) throws {
    let outcome = try Tool.run(
      "bench", "saturation=2", "equalize=rule=opencv", "--size", "40x30", "--rounds", "1", "--device", device,
      "--format", "json"
    ).ends(0)
    let report = try outcome.json
    let rows = try #require(report["kernels"] as? [[String: Any]])
    #expect(rows.map { $0["depth"] as? Int } == [8, 16, 8])
    #expect(rows.map { $0["kernel"] as? String } == ["saturation=2", "saturation=2", "equalize=rule=opencv"])
    for row in rows {
      for side in ["device", "twin"] {
        let speed = try #require(row[side] as? [String: Double])
        #expect(speed.count == 3 && speed.values.allSatisfy { $0 > 0 })
      }
    }
    #expect((report["stages"] as? [Any])?.isEmpty == true)
    let leftOut = try #require(report["leftOut"] as? [[String: Any]])
    #expect(leftOut.map { $0["kernel"] as? String } == ["equalize=rule=opencv"] && leftOut[0]["depth"] as? Int == 16)
    #expect((leftOut.first?["why"] as? String)?.contains("no pictures of 16 bits") == true)
    let text = try Tool.run(
      "bench", "passthrough", "equalize=rule=opencv", "--size", "40x30", "--rounds", "1", "--device", device
    ).output
    #expect(text.contains("of a copy") && text.contains("passthrough") && !text.contains("histogram"))
    #expect(text.contains("\nleft out: equalize=rule=opencv, 16 bits: "))
    try Tool.run("bench", "saturatoin", "--device", device).ends(64).says("saturation")
  }

  /// The fields, not the times.
  @Test(arguments: ["software", "cpu"])
  func measuresTheStagesOfARun(_ device: String) throws {
    func bench(_ option: String, _ value: String, _ other: String = "--filter", _ setting: String = "equalize") throws
      -> Tool.Outcome
    {
      try Tool.run(
        "bench", "--pipeline", "--rounds", "1", "--jobs", "2", "--device", device, option, value, other, setting)
    }
    let outcome = try bench("--size", "40x30", "--format", "json").ends(0)
    let report = try outcome.json
    #expect(report["frames"] as? Int == 4 && report["filters"] as? String == "equalize")
    let summary = try #require(report["summary"] as? [String: Any])
    let stages = try #require(summary["stages"] as? [[String: Any]])
    #expect(
      stages.map { $0["stage"] as? String } == ["read", "decode", "upload", "filters", "readback", "encode", "write"])
    #expect(stages.allSatisfy { $0["median"] as? Double ?? 0 > 0 && $0["p95"] as? Double ?? 0 > 0 })
    let text = try bench("--input", Tool.fixture("dark-room"), "--filter", "invert").output
    #expect(text.contains("frames/s alone") && text.contains("2 jobs sustain") && text.contains("the limit is"))
    #expect(try bench("--input", "/nowhere.png").code == 66)
  }

  /// Kernels that are no filters, or need a file as filters, in the units of the others.
  @Test(arguments: [
    ("histogram", 36, "histogram of 256 entries of luma, shared"),
    ("normalized-histogram", 10, "normalized histogram of 256 entries"),
    ("match", 8, "match of luma"), ("renderer", 24, "renderer, area, sourceOver"),
  ])
  func measuresWhatNoExampleReaches(_ kernel: String, _ rows: Int, _ settings: String) throws {
    let report = try report(kernel, "40x30")
    #expect(report.kernels.count == rows && report.leftOut.isEmpty)
    #expect(report.kernels.contains { $0.kernel.hasPrefix(settings) })
    for row in report.kernels { #expect(row.device.megapixelsPerSecond > 0 && row.twin.megapixelsPerSecond > 0) }
  }

  @Test func picturesOfOneTextureSayThatTheyAre() throws {
    let report = try report("renderer", "40000x1")
    #expect(report.kernels.isEmpty && report.leftOut.count == 24)
    #expect(report.leftOut.allSatisfy { $0.why.contains("one texture") })
  }

  private func report(_ kernel: String, _ size: String) throws -> Report {
    let options = ["--rounds", "1", "--device", "software", "--format", "json"]
    let run = try Tool.run(["bench", kernel, "--size", size] + options).ends(0)
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  private struct Report: Decodable {
    struct Row: Decodable {
      let kernel: String
      let device, twin: Speed
    }
    struct Speed: Decodable { let megapixelsPerSecond: Double }
    struct LeftOut: Decodable { let why: String }
    let kernels: [Row]
    let leftOut: [LeftOut]
  }

  @Test(arguments: [
    ("9999999999x9999999999", "at most 134217728 pixels"), ("99999999999999999999x1", "at most 134217728 pixels"),
    ("16384x8193", "at most 134217728 pixels"), ("1920xx1080", "two whole numbers"),
    ("1920xabcx1080", "two whole numbers"),
    ("1920", "two whole numbers"), ("1920x", "two whole numbers"), ("1920x+1080", "two whole numbers"),
    ("-4x4", "two whole numbers"), ("1920x1080x3", "two whole numbers"), ("0x1080", "at least one pixel"),
  ])
  func sizesAreReadStrictly(_ size: String, _ why: String) throws {
    try Tool.run("bench", "passthrough", "--size=\(size)", "--device", "cpu")
      .ends(64).prints(only: "").says(why, "use --size 1920x1080")
  }

  @Test func kernelsThatDoNotExistNameTheNearest() throws {
    try Tool.run("bench", "histogramm", "--device", "cpu").ends(64).says("the nearest that exists is histogram")
  }
}
