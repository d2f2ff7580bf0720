import ArgumentParser
import FoundationEssentials
import Safelight

/// The options of `safelight bench --pipeline`, which measures the stages of a run.
struct PipelineBenchArguments: ParsableArguments {
  @Flag(help: "Measure the stages of a run instead, from file to file, and which of them is the limit.")
  var pipeline = false

  @Option(help: "With --pipeline: PNG frames of your own, in place of generated ones of --size.") var input: String?
  @Option(help: "With --pipeline: the filters. (default: equalize)") var filter: String?

  @Option(
    help: "With --pipeline: frames decoded or encoded at a time, 1 to 4096. (default: the CPUs this process may use)")
  var jobs: Int?

  @Option(help: "With --pipeline: PNG effort: store, fast, balanced or small. (default: fast)")
  var compression: PNGCompression?

  func validate() throws {
    try OptionRange.jobs.check(jobs)
    let own = [
      ("--input", input != nil), ("--filter", filter != nil), ("--jobs", jobs != nil),
      ("--compression", compression != nil),
    ]
    if !pipeline, let (name, _) = own.first(where: \.1) {
      throw ValidationError("\(name) is for the stages of a run; add --pipeline")
    }
  }

  /// Measures in a temporary folder, which is removed afterwards.
  func report(_ device: Device, size: Size, rounds: Int, _ signals: SignalWatch) async throws -> PipelineBenchReport {
    let filter = filter ?? "equalize"
    let chain = try FilterChain(parsing: filter, device: device)
    let jobs = jobs ?? ProcessorCount.ofThisProcess.value
    let bench = PipelineBenchmark(device: device, chain: chain, compression: compression ?? .fast, jobs: jobs)
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "safelight-bench-\(UUID().uuidString)").path
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw SafelightError(
        .output, folder, why: "the folder cannot be created: \(error)",
        remedy: "set TMPDIR to a folder that you may write to")
    }
    // A folder that cannot be removed is left to the system to clean up.
    defer { try? files.removeItem(atPath: folder) }
    signals.endAtOnce { Self.remove(folder) }
    do {
      let frames =
        try input.map { try FrameList([$0]).frames.prefix(Self.most).map(\.path) }
        ?? PipelineBenchmark.makeFrames(size, count: Self.most, in: folder)
      let summary = try await bench.summary(frames, to: folder, rounds: rounds)
      return PipelineBenchReport(
        device: device.name, driver: device.info.driver, filters: filter, frames: frames.count, summary: summary)
    } catch {
      // An interruption may have removed the folder meanwhile.
      try signals.check()
      throw error
    }
  }

  /// Removes `folder` while files are written into it.
  private static func remove(_ folder: String) {
    let files = FileManager.default
    for _ in 0..<1000 where files.fileExists(atPath: folder) { try? files.removeItem(atPath: folder) }
  }

  /// The most frames that take turns.
  private static let most = 4
}

struct PipelineBenchReport: Encodable {
  let device: String
  let driver: String
  let filters: String
  /// The number of frames that took turns.
  let frames: Int
  let summary: PipelineBenchmark.Summary

  /// The results as a table, and the conclusion from it.
  var text: String {
    var lines = ["stage     where          ms     p95   frames/s alone"]
    lines += summary.stages.map { row in
      row.stage.rawValue.padded(to: -10) + (row.stage.isCodec ? "codec" : "device").padded(to: -8)
        + row.median.hundredths.padded(to: 9) + row.p95.hundredths.padded(to: 8)
        + "\(Int(row.framesPerSecond.rounded()))".padded(to: 17)
    }
    lines += [
      "",
      "\(summary.jobs) jobs sustain \(summary.codecFramesPerSecond.hundredths) frames/s, "
        + "the device \(summary.deviceFramesPerSecond.hundredths); the limit is \(summary.limit.rawValue)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }
}
