import ArgumentParser
import Safelight

extension FrameRun {
  /// A run from a film, to a film, or both.
  func perform(_ task: FilmTask, _ calls: [FilterCall]) async throws {
    let frames = task.input == nil ? try FrameList(inputs).frames : []
    let read = InputFiles(frames.map(\.path) + calls.flatMap(\.files), film: task.input)
    if let output = task.output { try read.refuseOutput(output) }
    try refuseWhatIsForPictures(task)
    try checkReport(beside: frames, task, read)
    let stop = StopRequest()
    let signals = SignalWatch(stop)
    defer { withExtendedLifetime(signals) {} }
    switch (task.input, task.output) {
    case (let input?, let output):
      let source = try await film.input.open(
        input, to: output, pixelLimit: run.maxPixels, isSilent: run.progress == .none, stop: stop)
      try await perform(source, named: input.name, to: output, calls, read, stop)
    case (nil, let output?): try await performPictures(to: output, calls, stop)
    case (nil, nil): break
    }
  }

  private func refuseWhatIsForPictures(_ task: FilmTask) throws {
    let name = task.input?.name ?? task.output?.name ?? ""
    func refused(_ option: String, _ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.usage, "\(option) with \(name)", why: why, remedy: remedy)
    }
    if run.shard != nil {
      throw refused(
        "--shard", "nobody knows how many frames a film has before it ends",
        "choose them with --frames, or make pictures first")
    }
    if run.keepGoing && task.output != nil {
      throw refused("--keep-going", "a film with a frame left out would be another film", "make pictures first")
    }
    if run.contactSheet != nil {
      throw refused("--contact-sheet", "it is made of pictures that are all there", "make pictures first")
    }
    if run.dryRun {
      throw refused("--dry-run", "a film shows its frames only as it runs", "choose frames with --frames")
    }
    if run.existing == .verify {
      throw refused("--existing verify", "frames of films carry no seal", "use --existing overwrite or skip")
    }
    if let path = task.output?.path, fileExists(path), run.existing != .overwrite {
      if run.existing == .fail {
        throw SafelightError(.output, path, why: "it exists", remedy: "choose another output, or --existing overwrite")
      }
      throw SafelightError(
        .missingInput, path, why: "it exists, so nothing is left to do",
        remedy: "use --existing overwrite to make it anew")
    }
  }

  /// A report that replaces the film it tells of would destroy it.
  private func checkReport(beside frames: [Frame], _ task: FilmTask, _ read: InputFiles) throws {
    guard let report = run.report else { return }
    guard report != "-" else {
      guard output == "-" else { return }
      throw SafelightError(
        .usage, "--report -", why: "the film goes to standard output too", remedy: "write the report to a file")
    }
    try FrameOutput.checkSideFile(report, beside: frames, outputs: [task.output?.path].compactMap { $0 })
    try read.refuseOutput(report)
  }

  // MARK: From a film

  private func perform(
    _ source: some FrameSource, named name: String, to output: FilmOutput?, _ calls: [FilterCall], _ read: InputFiles,
    _ stop: StopRequest
  ) async throws {
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    // Planes that pass untouched need no meaning.
    var meaning = ColorDescription.unspecified
    if !isUntouched(source.format, processor.chain, output) {
      try source.format.refuseLimitedGray(name)
      meaning = film.input.meaning(of: source.format, name, isSilent: run.progress == .none)
    }
    let tagged = TaggedSource(source, color: meaning)
    let selection = try run.frames.map { try FrameSelection($0) }
    if let output {
      tidy([output.path].compactMap { $0 })
      let grayBits = (source as? Y4MSource)?.sampleBits
      let writer = try FilmTask.begin(
        output, for: tagged.format, grayBits: source.format.layout == .gray16 ? grayBits : nil, film)
      warnOfAlpha(tagged.format.color.alpha != .opaque && [.rgba8, .rgba16].contains(tagged.format.layout), writer)
      try await run(processor, to: writer, frames: nil, stop) { pipeline, observer in
        await pipeline.run(
          FilmSchedule(tagged, name: name, selection: selection, history: processor.chain.history) { _ in .film(writer)
          },
          stop: stop, observer: observer)
      }
    } else {
      let files = try FilmFrameFiles(self.output, isSingle: selection?.isSingle ?? false)
      try files.refuse(replacing: read, selection)
      if run.existing == .fail, let path = try files.existing {
        throw SafelightError(
          .output, path, why: "it exists", remedy: "choose another output, or --existing overwrite or skip")
      }
      try files.prepare()
      tidy(files.unfinished)
      let isSkipping = run.existing == .skip
      try await run(processor, to: nil, frames: nil, stop) { pipeline, observer in
        await pipeline.run(
          FilmSchedule(
            tagged, name: name, selection: selection, history: processor.chain.history,
            isThere: { isSkipping && fileExists($0.name) }
          ) { .file(files.path($0.number)) },
          stop: stop, observer: observer)
      }
    }
  }

  private func isUntouched(_ format: VideoFormat, _ chain: FilterChain, _ output: FilmOutput?) -> Bool {
    guard chain.isPassthrough, let output, film.outputFormat == nil, film.outputMatrix == nil, film.outputRange == nil
    else { return false }
    return (try? FilmTask.layout(of: output, for: format.layout, film)) == format.layout
  }

  /// Says once that alpha stays behind.
  private func warnOfAlpha(_ hasAlpha: Bool, _ writer: any FilmWriter) {
    guard run.progress != .none, hasAlpha, writer.format.layout.isYCbCr else { return }
    Console.line("safelight: \(writer.name) has no alpha; that of the frames is left out")
  }

  // MARK: From pictures

  private func performPictures(
    to output: FilmOutput, _ calls: [FilterCall], _ stop: StopRequest
  ) async throws {
    let list = try FrameList(inputs)
    let chosen = try run.frames.map { try list.selecting(FrameSelection($0)) } ?? list.frames
    guard let first = chosen.first else { throw Self.nothingLeft(inputs) }
    let duration = try film.input.frameDuration() ?? MediaTime(value: 1, timescale: 25)
    let source = try FrameSequenceSource([first], frameDuration: duration, limits: run.pipelineOptions.limits)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    tidy([output.path].compactMap { $0 })
    let writer = try FilmTask.begin(output, for: source.format, grayBits: nil, film)
    warnOfAlpha(source.hasAlpha, writer)
    let work = chosen.map { (frame: $0, target: FrameTarget.film(writer)) }
    try await run(processor, to: writer, frames: chosen, stop) { pipeline, observer in
      try await pipeline.run(work, of: list.frames, stop: stop, observer: observer)
    }
  }

  private static func nothingLeft(_ inputs: [String]) -> SafelightError {
    SafelightError(
      .missingInput, inputs.joined(separator: " "), why: "no frames are left to do", remedy: "check --frames")
  }

  // MARK: Both

  /// Runs, shows how far it is, and ends the film well or not at all.
  private func run(
    _ processor: FrameProcessor, to writer: (any FilmWriter)?, frames: [Frame]?, _ stop: StopRequest,
    _ work: @escaping @Sendable (FramePipeline, FramePipeline.Observer) async throws -> FrameLedger
  ) async throws {
    let record = record(processor, frames: frames ?? [], isFilm: frames == nil)
    let pipeline = FramePipeline(processor, options: run.pipelineOptions)
    let running = Task { try await work(pipeline, record.observer) }
    // A pipe may be silent for ever: whoever waits for it is told.
    stop.whenMade { running.cancel() }
    let ledger: FrameLedger
    do {
      ledger = try await running.value
    } catch {
      await writer?.abandon()
      throw error
    }
    // What is told of the film is told once it is known whether there is one.
    let failure = await end(writer, ledger)
    try record.end(failure.map(ledger.withoutFilm) ?? ledger, toFilm: writer != nil)
    if let failure, ledger.errors.isEmpty && !ledger.isInterrupted { throw failure }
    if ledger.entries.isEmpty && !ledger.isInterrupted {
      throw SafelightError(
        .missingInput, inputs.joined(separator: " "), why: "the film has no frames", remedy: "see what wrote it")
    }
    if let code = Self.exitCode(ledger) { throw code }
  }

  /// Finishes the film where all of it is there, and gives it up otherwise; why there is none.
  private func end(_ writer: (any FilmWriter)?, _ ledger: FrameLedger) async -> SafelightError? {
    guard let writer else { return nil }
    guard ledger.errors.isEmpty, !ledger.isInterrupted, ledger.count(.done) > 0 else {
      await writer.abandon()
      let error = ledger.errors.first
      guard error != nil || ledger.isInterrupted else { return nil }
      return SafelightError(
        error?.kind ?? .transfer, writer.name,
        why: "the film was not finished: " + (error.map { "\($0.what) failed" } ?? "the run was stopped"),
        remedy: "run it again\(error == nil ? "" : " once that is mended")")
    }
    do throws(SafelightError) {
      try await writer.finish()
      return nil
    } catch {
      await writer.abandon()
      return error
    }
  }
}
