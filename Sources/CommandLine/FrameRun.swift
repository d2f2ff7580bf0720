import ArgumentParser
import Safelight

/// A run over frames from the command line: devices, pipeline, progress, and the code at its end.
struct FrameRun {
  let inputs: [String]
  let output: String
  let filter: String
  let run: RunArguments
  let film: FilmArguments
  let device: DeviceArguments

  /// True once the end of the run is told, with its report.
  let isTold = Milestone()

  func perform() async throws {
    if run.progress == .json { Console.speakJSON() }
    do {
      try await begin()
    } catch {
      if !isTold.isReached && !run.dryRun { reportEarlyEnd(error) }
      throw error
    }
  }

  private func begin() async throws {
    // Everything that can be wrong with the names is found before a device is opened.
    let calls = try FilterSyntax.parse(filter, catalogue: FilterCatalogue.descriptions)
    if let folder = run.watch {
      try film.refuseUnused(from: nil, to: nil)
      return try await watch(folder, calls)
    }
    if let task = try FilmTask(inputs, output: output, film) { return try await perform(task, calls) }
    let (work, sequence, files) = try run.work(inputs, to: output)
    // A report may go to standard output.
    let sideFiles = [run.contactSheet, run.report == "-" ? nil : run.report].compactMap { $0 }
    for file in sideFiles {
      try FrameOutput.checkSideFile(file, beside: sequence, outputs: work.map(\.target.name))
    }
    let filterFiles = InputFiles(calls.flatMap(\.files))
    for file in files.paths + sideFiles { try filterFiles.refuseOutput(file) }
    if run.dryRun {
      try files.check()
      return try plan(work, of: sequence, calls)
    }
    let stop = StopRequest()
    let signals = SignalWatch(stop)
    defer { withExtendedLifetime(signals) {} }
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    try files.prepare()
    tidy(files.paths)
    let record = record(processor, frames: work.map(\.frame))
    let ledger = try await FramePipeline(processor, options: run.pipelineOptions)
      .run(work, of: sequence, stop: stop, observer: record.observer)
    try record.end(ledger)
    if let code = Self.exitCode(ledger) { throw code }
  }

  /// Prints what would be done; ends as the run would where there is nothing to do.
  private func plan(_ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame], _ calls: [FilterCall]) throws {
    let cpu = try Device.open(.cpu)
    defer { cpu.close() }
    let recipe = FrameRecipe(try FilterChain(calls, device: cpu), run.pipelineOptions)
    try FramePipeline.refuseExisting(work, run.existing)
    let plan = RunPlan(work, outputs: ExistingOutputs(run.existing, recipe: recipe, sequence: sequence))
    try deliver(plan.text(filters: FilterSyntax.text(of: calls), device: "\(device.selector())"))
    if plan.isEmpty { throw Self.nothingToDo() }
  }

  /// Opens the devices, says in one line what they are, and makes the filters.
  func openProcessor(_ calls: [FilterCall]) async throws -> FrameProcessor {
    let device = try device.open(quietly: true)
    let twin = run.verifyWith == nil ? nil : try Device.open(.cpu)
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(calls, device: device), verifying: twin)
    if run.progress != .none { try await announce(processor) }
    return processor
  }

  /// Whoever left the choice to the tool and has no GPU is told what the twins would do.
  private func announce(_ processor: FrameProcessor) async throws {
    let (device, selector) = (processor.device, try device.selector())
    var line = "safelight: " + DeviceArguments.line(device, selector: selector)
    // A capture is to show the user's frames.
    let isCaptured = CaptureRequest.folder != nil
    if selector == .auto && device.info.isSoftware && run.verifyWith == nil && !isCaptured {
      // Filters that take no such frame are not measured; the frames themselves will say what is wrong.
      if let ratio = try? await TwinAdvantage.measure(processor) {
        line += "; --device cpu does the filters alone \(ratio.hundredths) times as fast here"
      }
    }
    Console.line(line)
    if let warning = run.pipelineOptions.pngCodec.warning { Console.line("safelight: \(warning)") }
  }

  /// Removes what runs that were killed left beside the outputs, the report and the contact sheet.
  func tidy(_ outputs: [String]) {
    let count = AtomicFile.removeUnfinished(besides: outputs + [run.report, run.contactSheet].compactMap { $0 })
    if count > 0 && run.progress != .none {
      Console.line("safelight: removed \(count) unfinished \(count == 1 ? "file" : "files") of runs that were killed")
    }
  }

  /// What is shown and kept of a run of `frames`; of a film, nobody knows how many.
  func record(_ processor: FrameProcessor, frames: [Frame], isFilm: Bool = false) -> RunRecord {
    let recipe = FrameRecipe(processor.chain, run.pipelineOptions)
    return RunRecord(
      progress: ProgressDisplay(run.progress, total: isFilm ? nil : frames.count),
      sheet: run.contactSheet.map { (ContactSheetCollector(frames: frames), $0) },
      report: run.report.map { path in
        let report = RunReport(
          version: SafelightCommand.version, device: processor.device, chain: processor.chain, recipe: recipe,
          shard: run.shard)
        return (report, path)
      }, isTold: isTold)
  }

  /// The worst that happened; nil when all went well.
  static func exitCode(_ ledger: FrameLedger) -> ExitCode? {
    // What was not begun is worth another run, whatever became of the others.
    if ledger.isInterrupted && ledger.count(.untouched) > 0 { return .interrupted }
    if let worst = ledger.errors.map(\.exitCode).max(by: { severity($0) < severity($1) }) { return worst }
    if ledger.isInterrupted { return .interrupted }
    if ledger.entries.isEmpty {
      complain(
        SafelightError(
          .missingInput, "nothing to do", why: "no file has come", remedy: "check the folder, or wait longer for them"))
      return .noInput
    }
    return ledger.count(.done) == 0 ? nothingToDo() : nil
  }

  private static func nothingToDo() -> ExitCode {
    complain(
      SafelightError(
        .missingInput, "nothing to do", why: "every output is there already",
        remedy: "use --existing overwrite to make them anew"))
    return .noInput
  }

  /// A fault of the tool outweighs one of the disk, that one of the data, and that a difference.
  private static func severity(_ code: ExitCode) -> Int {
    let order: [ExitCode] = [.differs, .usage, .noInput, .badData, .transfer, .cannotCreate, .noDevice, .internal]
    return order.firstIndex(of: code) ?? order.count
  }
}
