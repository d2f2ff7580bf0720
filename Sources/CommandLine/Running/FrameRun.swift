import ArgumentParser
import Glibc
import Safelight

/// A run over frames from the command line: devices, pipeline, progress, and the code at its end.
struct FrameRun {
  let inputs: [String]
  let output: String
  /// The filters as they were written.
  let filter: String
  /// The filters if they were set by options; nil if `filter` is to be parsed.
  let calls: [FilterCall]?
  let run: RunArguments
  let film: VideoArguments
  let device: DeviceArguments
  let warnings: RunWarnings

  var options: FramePipeline.Options { run.pipelineOptions(to: output) }
  /// True if notes that are neither warnings nor errors are not printed.
  var isSilent: Bool { run.progress == .none || run.isQuiet }

  func perform() async throws {
    if run.explain { return try await explain() }
    if run.progress == .json { Console.speakJSON() }
    // From the removal of an earlier run's report on, a signal ends the run well, with a report of its own.
    let signals =
      VideoOutput(output) == nil || film.writesPNG
      ? SignalWatch() : SignalWatch(saying: "stopping; the film is given up (a second signal ends at once)")
    let hadReport = removeReport()
    do {
      try await begin(signals)
    } catch {
      if !warnings.isEnded && !run.dryRun { reportWithoutFrames(error, replacing: hadReport) }
      throw error
    }
  }

  private func begin(_ signals: SignalWatch) async throws {
    let calls = try checkedCalls()
    let several = try device.selectors()
    let parent = ParentWatch()
    defer { withExtendedLifetime((signals, parent)) {} }
    let stop = signals.stop
    if let folder = run.watch {
      try film.refuseUnused(from: [], to: nil)
      return try await watch(folder, calls, stop)
    }
    if let task = try VideoTask(inputs, output: output, film) { return try await perform(task, calls, stop) }
    let pictures = try pictures(calls)
    if run.dryRun {
      try pictures.files.check()
      let last = pictures.work.map(\.frame.index).max() ?? 0
      try SecondPictures.check(calls, for: pictures.sequence, upTo: last)
      return try plan(pictures, calls)
    }
    if let several { return try await perform(on: several, pictures, stop) }
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    try pictures.files.prepare()
    tidy(pictures.paths)
    let record = record(processor, frames: pictures.work.map(\.frame), total: pictures.work.count)
    let ledger = try await FramePipeline(processor, options: options)
      .run(pictures.work, of: pictures.sequence, stop: stop, observer: record.observer)
    try record.end(ledger)
    if let code = Self.exitCode(ledger) { throw code }
  }

  /// Returns the filters, after checks of all options that need no look at the frames.
  func checkedCalls() throws -> [FilterCall] {
    // Twins compared with themselves would pass whatever they do.
    if run.verifyWith == .cpu, try (device.selectors() ?? [device.selector()]).contains(.cpu) {
      throw SafelightError(
        .usage, "--verify-with cpu",
        why:
          "the frames are made on the CPU too, by \(device.origin), and twins compared with themselves prove nothing",
        remedy: "add --device software, or --device hardware if there is a GPU")
    }
    if output == "-" {
      try refusePixelsOnTerminal()
      if run.report == "-" {
        throw SafelightError(
          .usage, "--report -", why: "pixels go to standard output too", remedy: "write the report to a file")
      }
    }
    let calls = try calls ?? FilterSyntax.parse(filter, catalogue: FilterCatalogue.descriptions)
    if run.verifyWith == .cpu, FilterCatalogue.needsShaders(calls) {
      throw SafelightError(
        .usage, "--verify-with cpu", why: "a shader of your own has no Swift twin to be compared with",
        remedy: "leave it out, or compare what two drivers make with safelight compare")
    }
    if run.watch == nil { try MistakenArguments.refuseFilters(among: inputs) }
    if try device.selectors() != nil { try refuseWhatOneProcessMakes() } else { _ = try device.selector() }
    _ = try device.options()
    return calls
  }

  /// The input frames and output files of a run over pictures.
  struct Pictures {
    /// The frames to make, each with its output.
    let work: [(frame: Frame, target: FrameTarget)]
    /// All frames of the inputs.
    let sequence: [Frame]
    let files: FrameOutput

    /// The paths of the outputs that are files.
    var paths: [String] { work.compactMap { if case .file(let path) = $0.target { path } else { nil } } }
  }

  /// Returns the pictures to make with `calls`, after all checks of names that need no device. Warns of files that are
  /// left out, of gaps, and of tables of another sequence.
  ///
  /// Names of outputs come from the whole input and not from the shard's part of it, so two shards never write the same
  /// file. A shard may be empty. A run that divides its frames among processes tells them the hash of what it saw.
  func pictures(_ calls: [FilterCall]) throws -> Pictures {
    let list = try FrameList(inputs, isRecursive: run.recursive)
    let whole = try held(list, calls)
    if let sequence = run.sequence, sequence != whole.frames.map(\.name).sequenceHash {
      throw SafelightError(
        .input, inputs.joined(separator: " "),
        why: "frames were added, removed or renamed since this run was divided, so its parts no longer fit together",
        remedy: "start the whole run again; --existing verify keeps what is finished")
    }
    if run.recursive, let folder = inputs.first(where: { Folder.holds($0, output) }) {
      throw SafelightError(
        .usage, output,
        why: "it lies in \(folder), whose subfolders are read too, so the next run would take it for input",
        remedy: "name an output outside \(folder)")
    }
    let chosen = try chosen(of: whole)
    let part = try Shard(run.shard).range(of: chosen.count)
    let files = try FrameOutput(output, for: chosen, of: whole.frames, written: part, isStreamable: true)
    let work = part.map { (frame: chosen[$0], target: FrameTarget(path: files.paths[$0])) }
    warnings.add(leftOutOf: list, hasRecursion: true)
    for warning in try FilterCatalogue.warnings(of: calls, for: list.frames.map(\.name)) { warnings.add(warning) }
    let own = work.map(\.frame).filter { $0.index < list.frames.count }
    try tellOfNumbers(own, list)
    try tellOfGaps(list.gaps(within: own, literally: run.gaps == .error))
    // A report may be written to standard output.
    let sideFiles = [run.contactSheet, run.report == "-" ? nil : run.report].compactMap { $0 }
    for file in sideFiles { try FrameOutput.checkSideFile(file, beside: list.frames, outputs: work.map(\.target.name)) }
    let pictures = Pictures(work: work, sequence: whole.frames, files: files)
    let filterFiles = InputFiles(calls.flatMap(\.files))
    for file in pictures.paths + sideFiles { try filterFiles.refuseOutput(file) }
    try SecondPictures.refuse(calls, writing: pictures.paths)
    return pictures
  }

  /// Returns the frames of a run of `calls` over `list`: a filter that passes to a second sequence goes on to its end,
  /// and the last frame stands for those that follow.
  func held(_ list: FrameList, _ calls: [FilterCall]) throws -> FrameList {
    let count = try SecondPictures.count(of: calls, after: list.frames.count)
    guard count > list.frames.count, VideoOutput(output) == nil, !FramePattern.isPattern(output) else {
      return list.holdingLast(upTo: count)
    }
    throw SafelightError(
      .usage, output,
      why: "the second sequence ends at position \(count), behind the last of \(list.frames.count) frames, and "
        + "pictures there have no names to keep",
      remedy: "write to a pattern such as \(path(output, "%04d.png")), or to a film")
  }

  /// Applies `--frames`; warns if it extends beyond the last frame.
  func chosen(of list: FrameList) throws -> [Frame] {
    guard let selection = try run.frames.map({ try FrameSelection($0) }) else { return list.frames }
    let chosen = try list.selecting(selection)
    warnings.add(endOf: selection, at: chosen.last.map { $0.index + 1 }, of: inputs.joined(separator: " "))
    return chosen
  }

  /// Warns of frames that share a number, and of names that show no gaps, which `--gaps error` refuses.
  func tellOfNumbers(_ chosen: [Frame], _ list: FrameList) throws {
    let shared = list.sharedNumbers(within: chosen)
    if let (name, other) = shared.first {
      let more = shared.count > 1 ? ", and so have \(shared.count - 1) more" : ""
      warnings.add("\(name) and \(other) have the same number\(more); both are frames")
    }
    guard let name = list.uncounted(within: chosen), run.gaps == .error || VideoOutput(output) != nil, run.gaps != .skip
    else { return }
    let why = "more than one number of the names changes with each frame, so missing frames cannot be found"
    guard run.gaps == .error else { return warnings.add("\(name): \(why)") }
    throw SafelightError(.input, name, why: why, remedy: "leave --gaps error out, or rename the frames")
  }

  /// Warns of gaps among frames that become pictures, or refuses them.
  private func tellOfGaps(_ gaps: [FrameList.Gap]) throws {
    if run.gaps == .hold {
      throw SafelightError(
        .usage, "--gaps hold", why: "it repeats a frame of a film, and this run writes pictures",
        remedy: "use --gaps skip or --gaps error, or write a film")
    }
    guard !gaps.isEmpty, run.gaps != .skip else { return }
    guard run.gaps == .error else { return warnings.add("\(gaps.text); if that is intended, add --gaps skip") }
    throw SafelightError(
      .missingInput, gaps.text, why: "--gaps error refuses missing frames",
      remedy: "restore the frames, or leave --gaps error out")
  }

  /// Prints what would be done with every frame, and how often on which device.
  private func plan(_ pictures: Pictures, _ calls: [FilterCall]) throws {
    let outputs = ExistingOutputs(options, recipe: try recipe(calls), sequence: pictures.sequence)
    try outputs.refuseExisting(pictures.work)
    var lines: [String] = []
    var skipped = 0
    for (frame, target) in pictures.work {
      var note = ""
      switch outputs.verdict(on: frame, at: target) {
      case .refuse(let error): throw error
      case .keep:
        lines.append("skip  \(frame.path) → \(target.name) (it exists)")
        skipped += 1
        continue
      case .make(let remark?): note = " (\(remark))"
      case .make(nil): if case .file(let path) = target, fileExists(path) { note = " (replaces the file there)" }
      }
      lines.append("make  \(frame.path) → \(target.name)\(note)")
    }
    lines.append(
      "\(lines.count) frames: \(lines.count - skipped) to make, \(skipped) to skip; "
        + "filters \(FilterSyntax.text(of: calls)); device \(device.text)\n")
    try deliver(lines.joined(separator: "\n"))
  }

  /// Makes the filters, which reads their files, and returns the recipe of frames that they make.
  func recipe(_ calls: [FilterCall]) throws -> FrameRecipe {
    let device =
      try FilterCatalogue.needsShaders(calls)
      ? Device.open(device.selectors().map { $0.first ?? .hardware } ?? device.selector()) : Device.open(.cpu)
    defer { device.close() }
    return FrameRecipe(try FilterChain(calls, device: device), options)
  }

  /// Opens the devices, prints a line that describes them, and makes the filters.
  func openProcessor(_ calls: [FilterCall]) async throws -> FrameProcessor {
    let opened = try device.openFastest(for: calls, comparing: run.verifyWith != nil)
    let twin = run.verifyWith == nil ? nil : try Device.open(.cpu)
    let processor = FrameProcessor(device: opened, chain: try FilterChain(calls, device: opened), verifying: twin)
    try device.tell(opened, progress: run.progress, isQuiet: run.isQuiet)
    return processor
  }

  /// Removes the report of an earlier run, so that nobody takes it for this run's, however this one ends. Returns true
  /// if there was one.
  func removeReport() -> Bool {
    guard let path = run.report, path != "-", !run.dryRun, !run.explain, !isOneFile(path, output), fileExists(path),
      (try? RunReport.isReport(path)) == true
    else { return false }
    return unlink(path) == 0
  }

  /// Removes unfinished files that killed runs left beside the outputs, the report and the contact sheet.
  func tidy(_ outputs: [String]) {
    let count = AtomicFile.removeUnfinished(besides: outputs + [run.report, run.contactSheet].compactMap { $0 })
    if count > 0 && !isSilent {
      Console.line("safelight: removed \(count) unfinished \(count == 1 ? "file" : "files") of runs that were killed")
    }
  }

  /// Returns the record of a run of `total` frames, nil if the number is unknown; `frames` can be on a contact sheet.
  func record(_ processor: FrameProcessor, frames: [Frame] = [], total: Int?) -> RunRecord {
    let recipe = FrameRecipe(processor.chain, options)
    return RunRecord(
      progress: ProgressDisplay(run.progress, isQuiet: run.isQuiet, total: total),
      sheet: run.contactSheet.map { (ContactSheetCollector(frames: frames), $0) },
      report: run.report.map { path in
        let report = RunReport(
          version: SafelightCommand.version, device: processor.device, chain: processor.chain, recipe: recipe,
          shard: run.shard, verifier: run.verifyWith?.rawValue, turnsUpright: run.autoOrient)
        return (report, path)
      }, warnings: warnings,
      verified: run.verifyWith == nil || isSilent
        ? nil : "verified: equal on \(processor.device.name) and the CPU twins")
  }

  /// The code of the worst failure; nil if all went well.
  static func exitCode(_ ledger: FrameLedger) -> ExitCode? {
    // Frames that were not begun are worth another run, whatever the result of the others.
    if ledger.isInterrupted && ledger.count(.untouched) > 0 { return .interrupted }
    return worst(of: ledger.errors.map(\.exitCode)) ?? (ledger.isInterrupted ? .interrupted : nil)
  }

  /// Returns the worst of `codes`, nil if it is empty: a fault of the tool outweighs one of the disk, which outweighs
  /// one of the data, which outweighs a difference.
  static func worst(of codes: [ExitCode]) -> ExitCode? {
    let order: [ExitCode] = [.differs, .usage, .noInput, .badData, .transfer, .cannotCreate, .noDevice, .internal]
    func severity(_ code: ExitCode) -> Int { order.firstIndex(of: code) ?? order.count }
    return codes.max { severity($0) < severity($1) }
  }
}

extension FrameRun {
  /// Writes a report without frames for a run that ended before its first frame, with `error` or because there was
  /// nothing to do, so that nobody takes the report of an earlier run for this one's.
  ///
  /// The names may be what is wrong, so it replaces nothing but a report, and makes none if the command cannot be
  /// understood, unless it removed a report.
  func reportWithoutFrames(_ error: (any Error)? = nil, replacing hadReport: Bool = false) {
    guard let path = run.report else { return }
    let isInterrupted = error is ExitCode
    let isMisunderstood = (error as? SafelightError)?.kind == .usage
    let code = error.map { ($0 as? SafelightError)?.exitCode ?? $0 as? ExitCode ?? .internal } ?? .success
    do {
      if isMisunderstood && !hadReport && !fileExists(path) || isOneFile(path, output) { return }
      if path != "-" {
        try FrameOutput.checkSideFile(path, beside: [])
        if fileExists(path), try !RunReport.isReport(path) { return }
      }
      try deliver(
        RunReport.json(
          version: SafelightCommand.version, filters: filter, shard: run.shard,
          error: isInterrupted ? "interrupted" : error.map { "\($0)" }, isInterrupted: isInterrupted,
          code: code.rawValue), to: path)
    } catch let other as SafelightError where other.description == (error as? SafelightError)?.description {
      // The report itself failed, and the caller reports that.
    } catch {
      Console.line("safelight: \(error)")
    }
  }
}

extension FrameRun {
  /// Processes the files in a folder and those that arrive there, until a signal comes or nothing has arrived for long
  /// enough.
  func watch(_ folder: String, _ calls: [FilterCall], _ stop: StopRequest) async throws {
    guard inputs.isEmpty else {
      throw SafelightError(
        .usage, inputs[0], why: "both inputs and a folder to watch are named", remedy: "leave one of them out")
    }
    if SequenceTables.areUsed(by: calls) {
      throw SafelightError(
        .usage, filter, why: "its tables belong to places in a sequence, and files may arrive in any order",
        remedy: "process the whole sequence when it is there")
    }
    let outputs = try WatchedOutput(output, watching: folder)
    let filterFiles = calls.flatMap(\.files)
    if let report = run.report, report != "-" {
      try outputs.checkSideFile(report)
      try InputFiles(filterFiles).refuseOutput(report)
    }
    for file in filterFiles { try outputs.refuse(replacing: file) }
    if !run.isQuiet { OtherPictures.tell(in: folder, isRecursive: false) }
    let watch = try FolderWatch(folder)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    guard !processor.chain.dependsOnPosition else {
      throw SafelightError(
        .usage, filter, why: "its results go with the frames' positions, and files may arrive in any order",
        remedy: "name one picture for all, draw no position, or process the whole sequence when it is there")
    }
    guard processor.chain.history == 0 else {
      throw SafelightError(
        .usage, filter, why: "its pictures depend on those before, and files may arrive in any order",
        remedy: "leave this filter out, or process the whole sequence once it is complete")
    }
    let record = record(processor, total: 0)
    var options = self.options
    // One broken file must not end the watch.
    options.keepsGoing = true
    var isFirst = true
    let ledger = await FramePipeline(processor, options: options).run(
      watching: watch, idle: run.untilIdle.map { .seconds($0) }, stop: stop, observer: record.observer,
      begin: {
        record.progress.expect($0.count)
        // The leftovers of killed runs belong to files that existed then, and those come first.
        if isFirst { tidy($0) }
        isFirst = false
      }, output: outputs.path)
    try record.end(ledger)
    if ledger.entries.isEmpty && !ledger.isInterrupted {
      throw SafelightError(
        .missingInput, folder, why: "no file has arrived", remedy: "check the folder, or wait longer")
    }
    if let code = Self.exitCode(ledger) { throw code }
  }
}
