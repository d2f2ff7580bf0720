import ArgumentParser
import Safelight

extension FrameRun {
  /// Runs from films, to a film, or both.
  func perform(_ task: FilmTask, _ calls: [FilterCall], _ stop: StopRequest) async throws {
    let frames = task.inputs.isEmpty ? try FrameList(inputs, isRecursive: run.recursive).frames : []
    let read = InputFiles(frames.map(\.path) + calls.flatMap(\.files), films: task.inputs)
    if let output = task.output { try read.refuseOutput(output) }
    try refuseWhatIsForPictures(task)
    let sequences = task.inputs.isEmpty ? [frames.map(\.name)] : task.inputs.map { [PathParts($0.name).name] }
    for names in sequences {
      for warning in try SequenceTables.warnings(of: calls, for: names) { warnings.add(warning) }
    }
    try checkReport(beside: frames, task, read)
    if let path = task.output?.path, try ExistingOutputs.keeps(path, run.existing) {
      reportWithoutFrames()
      if !isSilent { Console.line("safelight: nothing to do: \(path) exists") }
      return
    }
    switch (task.inputs.first, task.output) {
    case (let input?, let output?): try await perform(input, to: output, calls, stop)
    case (.some, nil): try await performFilms(task.inputs, calls, read, stop)
    case (nil, let output?): try await performPictures(to: output, calls, stop)
    case (nil, nil): break
    }
  }

  private func refuseWhatIsForPictures(_ task: FilmTask) throws {
    let name = task.inputs.first?.name ?? task.output?.name ?? ""
    func refused(_ option: String, _ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.usage, "\(option) with \(name)", why: why, remedy: remedy)
    }
    let arePictures = task.output == nil && task.inputs.allSatisfy(\.isPicture)
    if arePictures && (run.shard != nil || run.dryRun) {
      throw refused(
        run.shard == nil ? "--dry-run" : "--shard", "it is for PNG files, but these pictures are opened by ffmpeg",
        "leave it out, or name only a part of the pictures in each run")
    }
    if run.shard != nil {
      throw task.output == nil
        ? refused(
          "--shard", "the number of a film's frames is unknown before it ends",
          "choose frames with --frames, or convert the film to pictures first")
        : refused(
          "--shard", "each shard would be a film of its own", "write pictures in shards, then make a film of them")
    }
    if run.keepGoing && task.output != nil {
      throw refused(
        "--keep-going", "it leaves failed frames out, which would make another film",
        "write pictures first, then make a film of them")
    }
    if run.contactSheet != nil {
      throw refused(
        "--contact-sheet", "it is made only of pictures that exist before the run",
        "write the pictures first, then make the sheet of them in another run")
    }
    if run.dryRun {
      throw refused("--dry-run", "the frames of a film are known only as it runs", "leave it out")
    }
    if run.existing == .verify {
      throw refused(
        "--existing verify",
        task.output == nil
          ? "a picture made from a film does not record the content of its frame"
          : "a film does not record the pictures that it was made of",
        "use --existing overwrite or skip")
    }
    if run.recursive && !task.inputs.isEmpty {
      throw refused("--recursive", "it is for folders of PNG files", "leave it out")
    }
    if run.gaps != nil && !task.inputs.isEmpty {
      throw refused("--gaps", "only the numbers of files can have gaps, and a film has none", "leave it out")
    }
    if run.compression != nil, let output = task.output {
      throw SafelightError(
        .usage, "--compression", why: "it is for PNG files, and \(output.name) is a film",
        remedy: "use --encoder, or leave it out")
    }
  }

  /// Refuses a report that would replace the film or an input.
  private func checkReport(beside frames: [Frame], _ task: FilmTask, _ read: InputFiles) throws {
    guard let report = run.report else { return }
    guard report != "-" else { return }
    try FrameOutput.checkSideFile(report, beside: frames, outputs: [task.output?.path].compactMap { $0 })
    try read.refuseOutput(report)
  }

  // MARK: From films

  private func open(_ input: FilmInput, to output: FilmOutput?, _ stop: StopRequest) async throws -> any FrameSource {
    if input.isPipe && !isSilent { Console.line("safelight: waiting for what comes through \(input.name)") }
    return try await film.input.open(
      input, to: output, isLossless: film.lossless && output != nil, keepsGoing: run.keepGoing,
      pixelLimit: run.maxPixels, warnings: warnings, stop: stop)
  }

  private func perform(
    _ input: FilmInput, to output: FilmOutput, _ calls: [FilterCall], _ stop: StopRequest
  ) async throws {
    let source = try await open(input, to: output, stop)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    try await perform(source, named: input.name, to: output, processor, stop)
  }

  private func perform(
    _ source: some FrameSource, named name: String, to output: FilmOutput, _ processor: FrameProcessor,
    _ stop: StopRequest
  ) async throws {
    let isUntouched = isUntouched(source.format, processor.chain, output)
    let tagged = try tagged(source, name, isUntouched: isUntouched)
    let selection = try run.frames.map { try FrameSelection($0) }
    try output.prepare()
    tidy([output.path].compactMap { $0 })
    let grayBits = (source as? Y4MSource)?.sampleBits
    let made = isUntouched ? tagged.format.size : try processor.chain.output(of: tagged.format.filtered).size
    let writer = try FilmTask.begin(
      output, for: tagged.format.replacing(size: made), grayBits: source.format.layout == .gray16 ? grayBits : nil,
      isUntouched: isUntouched, film, warnings)
    warnOfUnknownColor(tagged.format.color, name, writer, isUntouched: isUntouched)
    warnOfColor(writer)
    warnOfAlpha(
      try FilmTask.hasAlpha(tagged.format) && writer.format.layout.isYCbCr
        || FilmTask.leavesAlphaOut(of: tagged.format, output, film), writer)
    try await run(processor, to: writer, total: nil, stop) { pipeline, observer in
      await pipeline.run(film: tagged, name: name, selection: selection, stop: stop, observer: observer) { _ in
        .film(writer)
      }
    }
  }

  /// Turns films into pictures one after the other, each as if it were alone.
  private func performFilms(
    _ named: [FilmInput], _ calls: [FilterCall], _ read: InputFiles, _ stop: StopRequest
  ) async throws {
    let (films, selection) = try chosen(named)
    let files = try films.enumerated().map { place, input in
      try FilmFrameFiles(
        output, of: input, number: place + 1, isSingle: selection?.isSingle ?? false, isStreamable: film.writesPNG)
    }
    try checkOutputs(files, of: films, read, selection)
    // Faults of the first film are found before a device is opened.
    let first = run.keepGoing ? nil : try await open(films[0], to: nil, stop)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    if processor.chain.history > 0, films.count > 1, films.contains(where: \.isPicture) {
      throw SafelightError(
        .usage, filter,
        why: "for each frame it needs those before, but \(films[0].name) and the others are single pictures",
        remedy: "convert them to PNG files, which are taken as one sequence, or pass a film")
    }
    for files in files { try files.prepare() }
    tidy(files.flatMap(\.unfinished))
    let total = films.allSatisfy(\.isPicture) ? films.count : nil
    try await run(processor, to: nil, total: total, stop) { pipeline, observer in
      var ledger = FrameLedger()
      var left: [String] = []
      for (number, (film, files)) in zip(films, files).enumerated() {
        if stop.isMade { ledger.isInterrupted = true }
        let output = film.isPicture ? files.path(1) : nil
        if ledger.isInterrupted || !ledger.errors.isEmpty && !run.keepGoing {
          ledger.append(unopened: film.name, output: output)
          left.append(film.name)
          continue
        }
        do {
          let source = if number == 0, let first { first } else { try await open(film, to: nil, stop) }
          let made = try await take(
            source, of: film, to: files, selection, first: ledger.nextIndex, through: pipeline, observer, stop)
          if let output, let error = made.errors.first, made.wantedCount == 0 {
            ledger.append(unopened: film.name, output: output, error)
          } else {
            ledger.append(made)
          }
          if selection == nil, made.errors.isEmpty, !made.isInterrupted {
            warn(of: try files.leftOver(behind: made.entries.count), film)
          }
        } catch let error as SafelightError {
          observer.frameEnded(ledger.append(unopened: film.name, output: output, error))
        } catch  where stop.isMade {
          ledger.isInterrupted = true
        }
      }
      if let name = left.first, !ledger.isInterrupted {
        let names = left.count == 1 ? "\(name) was" : "\(name) and \(left.count - 1) more were"
        warnings.add("\(names) not begun; --keep-going goes on after a failure")
      }
      return ledger
    }
  }

  /// Warns of frames that an earlier run left, and that would be taken for the end of `film`.
  private func warn(of leftOver: [String], _ film: FilmInput) {
    guard let first = leftOver.first else { return }
    let names = leftOver.count == 1 ? "\(first) is" : "\(first) and \(leftOver.count - 1) more are"
    warnings.add("\(names) from an earlier run, beyond the last frame of \(film.name)")
  }

  private func take(
    _ source: some FrameSource, of film: FilmInput, to files: FilmFrameFiles, _ selection: FrameSelection?, first: Int,
    through pipeline: FramePipeline, _ observer: FramePipeline.Observer, _ stop: StopRequest
  ) async throws -> FrameLedger {
    await pipeline.run(
      film: try tagged(source, film.name), name: film.name, selection: selection, first: first, stop: stop,
      observer: observer
    ) { FrameTarget(path: files.path($0.number)) }
  }

  /// Applies `--frames`, which chooses some of several pictures, or frames of each film.
  private func chosen(_ films: [FilmInput]) throws -> ([FilmInput], FrameSelection?) {
    let selection = try run.frames.map { try FrameSelection($0) }
    guard let selection, films.count > 1, films.contains(where: \.isPicture) else { return (films, selection) }
    if let other = films.first(where: { !$0.isPicture }) {
      throw SafelightError(
        .usage, "--frames \(selection)",
        why: "it chooses either pictures or frames of films, but this run has both pictures and the film \(other.name)",
        remedy: "process the films in a run of their own")
    }
    return (try selection.indices(count: films.count).map { films[$0] }, nil)
  }

  private func checkOutputs(
    _ files: [FilmFrameFiles], of films: [FilmInput], _ read: InputFiles, _ selection: FrameSelection?
  ) throws {
    var owners: [String: FilmInput] = [:]
    for (files, film) in zip(files, films) {
      if let other = owners.updateValue(film, forKey: files.path(1)) {
        throw SafelightError(
          .usage, files.path(1), why: "both \(other.name) and \(film.name) would be written there",
          remedy: "process each in a run of its own, to a folder of its own")
      }
      try files.refuse(replacing: read, selection)
      if let report = run.report, report != "-" { try files.refuse(report: report) }
      if run.existing == .fail, let path = try files.existing { _ = try ExistingOutputs.keeps(path, .fail) }
    }
  }

  /// Returns `source` with a meaning for its luma and chroma; planes that pass untouched need none.
  private func tagged<Source: FrameSource>(
    _ source: Source, _ name: String, isUntouched: Bool = false
  ) throws -> TaggedSource<Source> {
    if isUntouched { return TaggedSource(source, color: .unspecified) }
    try source.format.refuseLimitedGray(name)
    return TaggedSource(source, color: film.input.meaning(of: source.format, name, warnings: warnings))
  }

  private func isUntouched(_ format: VideoFormat, _ chain: FilterChain, _ output: FilmOutput?) -> Bool {
    guard chain.isPassthrough, let output, film.outputFormat == nil, film.outputMatrix == nil, film.outputRange == nil
    else { return false }
    return (try? FilmTask.layout(of: output, for: format.layout, film)) == format.layout
  }

  /// Warns of color properties that the film `input` declares and `writer` cannot pass on.
  private func warnOfUnknownColor(
    _ color: ColorDescription, _ input: String, _ writer: any FilmWriter, isUntouched: Bool
  ) {
    guard writer is FFmpegWriter else { return }
    let unknown = [
      // Otherwise a matrix is assumed, and another warning says so.
      isUntouched && color.matrix == .other ? "a matrix" : nil, color.transfer == .other ? "a transfer function" : nil,
      color.primaries == .other ? "primaries" : nil,
    ].compactMap { $0 }
    guard !unknown.isEmpty else { return }
    let names = unknown.joined(separator: " and ")
    warnings.add("\(input) declares \(names) that safelight does not know; \(writer.name) leaves that out")
  }

  /// Warns if players will assume another matrix for a Y4M film; other writers warn themselves.
  private func warnOfColor(_ writer: any FilmWriter) {
    let (matrix, size) = (writer.format.color.matrix, writer.format.uprightSize)
    guard writer is Y4MWriter, matrix.lumaWeights != nil, matrix != .customary(for: size) else { return }
    warnings.add(
      """
      \(writer.name) does not say that its colors are \(matrix); for \(size) players assume \
      \(ColorMatrix.customary(for: size))
      """
    )
  }

  /// Warns that alpha is left out.
  private func warnOfAlpha(_ isLost: Bool, _ writer: any FilmWriter) {
    guard isLost else { return }
    warnings.add("\(writer.name) has no alpha; the alpha of the frames is left out")
  }

  // MARK: From pictures

  private func performPictures(
    to output: FilmOutput, _ calls: [FilterCall], _ stop: StopRequest
  ) async throws {
    let list = try FrameList(inputs, isRecursive: run.recursive)
    warnings.add(leftOutOf: list, hasRecursion: true)
    let chosen = try run.frames.map { try list.selecting(FrameSelection($0)) } ?? list.frames
    guard let first = chosen.first else { return }
    let shown = try held(chosen, list)
    let duration = try film.input.frameDuration() ?? MediaTime(value: 1, timescale: 25)
    let source = try FrameSequenceSource([first], frameDuration: duration, limits: options.limits)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    try output.prepare()
    tidy([output.path].compactMap { $0 })
    let made = try processor.chain.output(of: source.format.filtered)
    let writer = try FilmTask.begin(
      output, for: source.format.replacing(size: made.size, color: made.color), grayBits: nil, film, warnings)
    warnOfUnknownColor(source.format.color, first.path, writer, isUntouched: false)
    if source.hasExif {
      warnings.add("the Exif data of \(first.path) is left out; \(writer.name) is not rotated as it asks")
    }
    warnOfColor(writer)
    warnOfAlpha(try FilmTask.leavesAlphaOut(of: source.format, output, film), writer)
    let work = shown.map { (frame: $0, target: FrameTarget.film(writer)) }
    try await run(processor, to: writer, total: work.count, stop) { pipeline, observer in
      try await pipeline.run(work, of: list.frames, stop: stop, observer: observer)
    }
  }

  /// Returns `chosen`; with `--gaps hold`, the frame before a gap is repeated. Without an explicit choice a gap is an
  /// error, because the shorter film would be out of step.
  private func held(_ chosen: [Frame], _ list: FrameList) throws -> [Frame] {
    let gaps = try list.gaps(within: chosen, literally: true)
    guard !gaps.isEmpty else { return chosen }
    switch run.gaps {
    case .skip:
      warnings.add(
        """
        \(FrameGaps.text(gaps)); the film is \
        \(gaps.count == 1 ? "1 frame" : "\(gaps.count) frames") shorter
        """)
      return chosen
    case .hold:
      warnings.add(
        """
        \(FrameGaps.text(gaps)); the film repeats the frame before, \
        \(gaps.count == 1 ? "once" : "\(gaps.count) times")
        """)
      let missing = Dictionary(grouping: gaps, by: \.place)
      return chosen.flatMap { frame in missing[frame.index, default: []].map { list.frames[$0.previous] } + [frame] }
    case .error, nil:
      throw SafelightError(
        .missingInput, FrameGaps.text(gaps), why: "a film without them would be out of step",
        remedy:
          "restore them, or choose: --gaps skip leaves them out, --gaps hold repeats the frame before"
      )
    }
  }

  // MARK: Both

  /// Runs the pipeline, shows its progress, and finishes the film whole or not at all.
  private func run(
    _ processor: FrameProcessor, to writer: (any FilmWriter)?, total: Int?, _ stop: StopRequest,
    _ work: @escaping @Sendable (FramePipeline, FramePipeline.Observer) async throws -> FrameLedger
  ) async throws {
    let record = record(processor, total: total)
    let pipeline = FramePipeline(processor, options: options)
    let running = Task { try await work(pipeline, record.observer) }
    // A pipe may be silent forever; canceling ends the wait for it.
    stop.whenMade { running.cancel() }
    let ledger: FrameLedger
    do {
      ledger = try await running.value
    } catch {
      await writer?.abandon()
      throw error
    }
    // The film is reported on only once it is known whether it exists.
    let failure = await end(writer, ledger)
    try record.end(failure.map(ledger.withoutFilm) ?? ledger, toFilm: writer != nil)
    if let failure, ledger.errors.isEmpty && !ledger.isInterrupted { throw failure }
    if ledger.entries.isEmpty && !ledger.isInterrupted {
      throw SafelightError(
        .missingInput, inputs.joined(separator: " "), why: "the film has no frames", remedy: "see what wrote it")
    }
    if let code = Self.exitCode(ledger) { throw code }
  }

  /// Finishes the film if it is complete, and abandons it otherwise. Returns the error if there is no film because of a
  /// failure or a stop.
  private func end(_ writer: (any FilmWriter)?, _ ledger: FrameLedger) async -> SafelightError? {
    guard let writer else { return nil }
    guard ledger.errors.isEmpty, !ledger.isInterrupted, ledger.count(.done) > 0 else {
      await writer.abandon()
      let error = ledger.errors.first
      guard error != nil || ledger.isInterrupted else { return nil }
      return SafelightError(
        error?.kind ?? .transfer, writer.name,
        why: "the film was not finished: " + (error.map { "\($0.what) failed" } ?? "the run was stopped"),
        remedy: error == nil ? "run it again" : "correct that error, then run it again")
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
