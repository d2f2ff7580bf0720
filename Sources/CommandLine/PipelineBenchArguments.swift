import ArgumentParser
import FoundationEssentials
import Safelight

/// `safelight bench --pipeline`: the stages of a run.
struct PipelineBenchArguments: ParsableArguments {
  @Flag(help: "The stages of a run instead, from file to file: which of them is the limit.")
  var pipeline = false

  @Option(help: "With --pipeline: PNG frames of your own, in place of generated ones of --size.")
  var input: String?

  @Option(help: "With --pipeline: the filters. (default: equalize)")
  var filter: String?

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

  /// Measures in a temporary folder, which is gone afterwards.
  func report(
    _ device: Device, size: Size, rounds: Int, _ interruption: Interruption
  ) async throws -> PipelineBenchReport {
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
        .output, folder, why: "it cannot be made: \(error)", remedy: "name a folder that can be written in TMPDIR")
    }
    // What cannot be taken away is the system's to clean.
    defer { try? files.removeItem(atPath: folder) }
    interruption.endAtOnce { Self.remove(folder) }
    do {
      let frames =
        try input.map { try FrameList([$0]).frames.prefix(Self.most).map(\.path) }
        ?? PipelineBenchmark.makeFrames(size, count: Self.most, in: folder)
      let summary = try await bench.summary(frames, to: folder, rounds: rounds)
      return PipelineBenchReport(
        device: device.name, driver: device.info.driver, filters: filter, frames: frames.count, summary: summary)
    } catch {
      // Its folder may have been taken away from under it.
      try interruption.check()
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
