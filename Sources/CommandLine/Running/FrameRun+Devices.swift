import ArgumentParser
import FoundationEssentials
import Safelight

extension FrameRun {
  /// Refuses what a run on several devices cannot make, because each process makes only a part of it.
  func refuseWhatOneProcessMakes() throws {
    let others = [
      ("--watch", run.watch != nil), ("--contact-sheet", run.contactSheet != nil), ("-o -", output == "-"),
      ("-o \(output)", try run.watch == nil && VideoTask(inputs, output: output, film) != nil),
    ]
    guard let (name, _) = others.first(where: \.1) else { return }
    throw SafelightError(
      .usage, name,
      why: "several devices divide PNG files among processes; this is made by one process, as films, pictures that "
        + "ffmpeg opens, and pipes are",
      remedy: "name one device; of a film, make pictures first and a film of the results at the end")
  }

  /// Starts a process for each of `selectors`, or for each GPU if `selectors` is empty, has them share the frames, and
  /// adds up their reports.
  func perform(on selectors: [DeviceSelector], _ pictures: Pictures, _ stop: StopRequest) async throws {
    let devices = try selectors.isEmpty ? allGPUs() : selectors
    let work = pictures.work
    for path in pictures.paths where run.existing == .fail { _ = try ExistingOutputs.keeps(path, .fail) }
    try pictures.files.prepare()
    tidy(pictures.paths)
    if !isSilent && !selectors.isEmpty {
      Console.line("safelight: running on \(devices.count) devices: \(device.text)")
    }
    let start = ContinuousClock.now
    let progress = ProgressDisplay(run.progress, isQuiet: run.isQuiet, total: work.count)
    let folder = FileManager.default.temporaryDirectory.path + "/safelight-parts-\(UUID().uuidString.prefix(8))"
    try Folder.make(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pool = DevicePool(
      devices: devices, areInterchangeable: selectors.isEmpty,
      arguments: arguments(forEachOf: devices.count, pictures.sequence.map(\.name).sequenceHash), folder: folder,
      keepsGoing: run.keepGoing, stop: stop, frameEnded: { progress.frameEnded($0, isSkipped: $1) },
      partEnded: { [warnings] report in
        for frame in report.frames { warnings.frameEnded(frame, tellsFailures: !progress.speaksJSON) }
      })
    var outcome = try await pool.run(try parts(work, of: pictures.files.paths.count, among: devices.count))
    warnings.end()
    let summary = summary(
      outcome, of: work.count, isInterrupted: outcome.isInterrupted || stop.isMade,
      seconds: (ContinuousClock.now - start) / .seconds(1))
    progress.runEnded(
      summary, wanted: work.count - summary.skipped,
      isWhole: summary.code == 0 || summary.code == ExitCode.interrupted.rawValue)
    if !isSilent && summary.done > 0 { tell(outcome, devices) }
    if let path = run.report {
      for warning in warnings.ofRun { outcome.reports.add(warning: warning) }
      try deliver(
        outcome.reports.json(summary, shard: run.shard, version: SafelightCommand.version, filters: filter), to: path)
    }
    if summary.code != 0 { throw ExitCode(summary.code) }
  }

  /// The numbers of a run over `count` frames, and the code that it ends with.
  private func summary(
    _ outcome: DevicePool.Outcome, of count: Int, isInterrupted: Bool, seconds: Double
  ) -> RunReport.Summary {
    var summary = outcome.reports.sum
    summary.untouched = count - summary.done - summary.skipped - summary.failed
    summary.interrupted = isInterrupted
    summary.seconds = seconds
    let codes = outcome.reports.codes.map { ExitCode($0) } + outcome.codes
    let worst = Self.worst(of: codes.filter { $0 != .success && $0 != .interrupted })
    let isCutShort = isInterrupted && summary.untouched > 0
    // Frames that nobody made and nobody accounts for must not pass.
    let rest: ExitCode = isInterrupted ? .interrupted : summary.untouched == 0 ? .success : .internal
    summary.code = (isCutShort ? .interrupted : worst ?? rest).rawValue
    return summary
  }

  /// Returns a selector for each working GPU of this machine, or of those that a scheduler gave to this process; the
  /// first of several EGL devices that reach the same GPU.
  private func allGPUs() throws -> [DeviceSelector] {
    let survey = DeviceSurvey(selector: .hardware, options: try device.options())
    guard !survey.gpus.isEmpty else {
      throw SafelightError(
        .environment, "no GPU works", why: survey.failure?.why ?? "safelight devices lists the reasons",
        remedy: "leave --device all out, which runs on the CPU then")
    }
    if !isSilent {
      let names = survey.gpus.map { "index:\($0.candidate.index) \($0.info?.name ?? $0.candidate.name)" }
      Console.line("safelight: running on all GPUs: \(names.joined(separator: ", "))")
    }
    return survey.gpus.map { .index($0.candidate.index) }
  }

  /// The command line of this process as one for each of `count` others: quiet, since this one speaks for them.
  private func arguments(forEachOf count: Int, _ sequence: String) -> [String] {
    let replaced = [
      "--device", "--shard", "--sequence", "--report", "--progress", "--jobs", "--in-flight", "--gaps", "--memory",
    ]
    var arguments = Array(CommandLine.arguments.dropFirst())
    for name in replaced + (run.existing == .fail ? ["--existing"] : []) { arguments.remove(option: name) }
    let jobs = run.jobs ?? ProcessorCount.ofThisProcess.value
    // This process has warned of gaps.
    var own = [
      "-q", "--gaps", "skip", "--progress", "json", "--sequence", sequence, "--jobs", "\(max(1, jobs / count))",
    ]
    if let memory = (run.memory ?? .automatic).byteCount { own += ["--memory", "\(max(1, memory / count))"] }
    if let inFlight = run.inFlight { own += ["--in-flight", "\(max(1, inFlight / count))"] }
    // This process has looked at all outputs; those of a process that broke down exist when they are made again.
    if run.existing == .fail { own += ["--existing", "overwrite"] }
    return arguments.prefix(1) + own + arguments.dropFirst()
  }

  /// Divides `work`, this shard's share of `total` frames, into parts: up to eight for each of `count` devices, so that
  /// a fast device does more; but at least 32 frames a part, since each part opens its device anew.
  private func parts(
    _ work: [(frame: Frame, target: FrameTarget)], of total: Int, among count: Int
  ) throws -> [DevicePool.Part] {
    let shard = try Shard(run.shard)
    let first = shard.range(of: total).lowerBound
    let number = min(work.count, max(count, min(8 * count, work.count / 32)))
    return shard.divided(into: number).map { part in
      let range = part.range(of: total)
      let frames = work[range.lowerBound - first..<range.upperBound - first]
      return DevicePool.Part(shard: part, frames: Set(frames.map(\.frame.index)))
    }
  }

  private func tell(_ outcome: DevicePool.Outcome, _ devices: [DeviceSelector]) {
    let counts = zip(devices, outcome.made).map { "\($0) made \($1)" }
    Console.line("safelight: \(counts.joined(separator: ", "))")
    guard run.verifyWith != nil else { return }
    let names = outcome.reports.devices.joined(separator: ", ")
    let count = outcome.reports.sum.done
    Console.line("safelight: \(count) \(count == 1 ? "frame" : "frames") verified: equal on \(names) and the CPU twins")
  }
}

extension [String] {
  /// Removes an option and its value, in both ways to write them, and `-q`, from the arguments before `--`.
  fileprivate mutating func remove(option: String) {
    let end = firstIndex(of: "--") ?? endIndex
    let rest = self[end...]
    var kept: [String] = []
    var isValue = false
    for argument in self[..<end] {
      defer { isValue = argument == option && !isValue }
      if isValue || argument == option || argument.hasPrefix("\(option)=") || argument == "-q" { continue }
      kept.append(argument)
    }
    self = kept + rest
  }
}
