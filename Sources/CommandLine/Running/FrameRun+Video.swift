import ArgumentParser
import Safelight

extension FrameRun {
  func perform(_ task: VideoTask, _ calls: [FilterCall], _ stop: StopRequest) async throws {
    let frames = task.inputs.isEmpty ? try FrameList(inputs, isRecursive: run.recursive).frames : []
    let read = InputFiles(frames.map(\.path) + calls.flatMap(\.files), films: task.inputs)
    if let output = task.output { try read.refuseOutput(output) }
    try refuseWhatIsForPictures(task)
    let sequences = task.inputs.isEmpty ? [frames.map(\.name)] : task.inputs.map { [PathParts($0.name).name] }
    let last = try task.inputs.isEmpty ? SecondPictures.count(of: calls, after: frames.count) - 1 : nil
    try SecondPictures.check(calls, for: frames, upTo: last)
    for names in sequences {
      for warning in try FilterCatalogue.warnings(of: calls, for: names) { warnings.add(warning) }
    }
    if let report = run.report, report != "-" {
      try FrameOutput.checkSideFile(report, beside: frames, outputs: [task.output?.path].compactMap { $0 })
      try read.refuseOutput(report)
    }
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

  private func refuseWhatIsForPictures(_ task: VideoTask) throws {
    let name = task.inputs.first?.name ?? task.output?.name ?? ""
    let toPictures = task.output == nil
    let fromFilms = !task.inputs.isEmpty
    let arePictures = toPictures && task.inputs.allSatisfy(\.isPicture)
    let opened = "it is for PNG files, but these pictures are opened by ffmpeg"
    let part = "leave it out, or name only a part of the pictures in each run"
    let refusals: [(isGiven: Bool, option: String, why: String, remedy: String)] = [
      (arePictures && run.shard != nil, "--shard", opened, part),
      (arePictures && run.dryRun, "--dry-run", opened, part),
      (
        toPictures && run.shard != nil, "--shard", "the number of a film's frames is unknown before it ends",
        "choose frames with --frames, or convert the film to pictures first"
      ),
      (
        run.shard != nil, "--shard", "each shard would be a film of its own",
        "write pictures in shards, then make a film of them"
      ),
      (
        run.keepGoing && !toPictures, "--keep-going", "it leaves failed frames out, which would make another film",
        "write pictures first, then make a film of them"
      ),
      (
        run.contactSheet != nil, "--contact-sheet", "it is made only of pictures that exist before the run",
        "write the pictures first, then make the sheet of them in another run"
      ),
      (run.dryRun, "--dry-run", "the frames of a film are known only as it runs", "leave it out"),
      (
        run.existing == .verify, "--existing verify",
        toPictures
          ? "a picture made from a film does not record the content of its frame"
          : "a film does not record the pictures that it was made of", "use --existing overwrite or skip"
      ),
      (run.recursive && fromFilms, "--recursive", "it is for folders of PNG files", "leave it out"),
      (
        run.gaps != nil && fromFilms, "--gaps", "only the numbers of files can have gaps, and a film has none",
        "leave it out"
      ),
    ]
    if let refusal = refusals.first(where: \.isGiven) {
      throw SafelightError(.usage, "\(refusal.option) with \(name)", why: refusal.why, remedy: refusal.remedy)
    }
    if run.compression != nil, let output = task.output {
      throw SafelightError(
        .usage, "--compression", why: "it is for PNG files, and \(output.name) is a film",
        remedy: "use --encoder, or leave it out")
    }
  }

  // MARK: From films

  func open(_ input: VideoInput, to output: VideoOutput?, _ stop: StopRequest) async throws -> any FrameSource {
    if input.isPipe && !isSilent { Console.line("safelight: waiting for what comes through \(input.name)") }
    return try await film.input.open(
      input, to: output, isLossless: film.lossless && output != nil, keepsGoing: run.keepGoing,
      readsTags: run.autoOrient, pixelLimit: run.maxPixels, warnings: warnings, stop: stop)
  }

  private func perform(
    _ input: VideoInput, to output: VideoOutput, _ calls: [FilterCall], _ stop: StopRequest
  ) async throws {
    let source = try await open(input, to: output, stop)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    let isUntouched = isUntouched(source.format, processor.chain, output)
    // Planes that pass untouched need no meaning.
    let tagged = try isUntouched ? source : film.input.tagged(source, input.name, warnings: warnings)
    let selection = try run.frames.map { try FrameSelection($0) }
    try output.prepare()
    tidy([output.path].compactMap { $0 })
    var made = tagged.format.replacing(pixelAspect: try shape(of: tagged.format, processor.chain))
    if !isUntouched { made = made.holding(try processor.chain.output(of: tagged.format.filtered)) }
    made.facts = facts(of: tagged.format, in: made, output.name, beginsLater: selection?.contains(0) == false)
    let writer = try begin(
      output, from: tagged.format, input.name, for: made,
      grayBits: source.format.layout == .gray16 ? (source as? Y4MSource)?.sampleBits : nil, isUntouched: isUntouched)
    if tagged.format.hasAlpha && writer.format.layout.isYCbCr { warnOfAlpha(writer) }
    try await run(processor, to: writer, total: nil, stop) { pipeline, observer in
      let made = await pipeline.run(
        film: tagged, name: input.name, selection: selection, stop: stop, observer: observer
      ) { _ in .film(writer) }
      warn(ofEndOf: selection, made, input)
      return made
    }
  }

  /// Turns films into pictures one after the other, each as if it were alone.
  private func performFilms(
    _ named: [VideoInput], _ calls: [FilterCall], _ read: InputFiles, _ stop: StopRequest
  ) async throws {
    let (films, selection) = try chosen(named)
    let files = try films.enumerated().map { place, input in
      try VideoFrameFiles(
        output, of: input, number: place + 1, isSingle: selection?.isSingle ?? false, isStreamable: film.writesPNG)
    }
    try checkOutputs(files, of: films, read, selection)
    try SecondPictures.refuse(calls, writing: files.map { $0.path(1) })
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
          tell(of: source.format, in: processor.chain, film.name)
          let made = await pipeline.run(
            film: try self.film.input.tagged(source, film.name, warnings: warnings), name: film.name,
            selection: selection, first: ledger.nextIndex, stop: stop, observer: observer
          ) { FrameTarget(path: files.path($0.number)) }
          if let output, let error = made.errors.first, made.wantedCount == 0 {
            ledger.append(unopened: film.name, output: output, error)
          } else {
            ledger.append(made)
          }
          warn(ofEndOf: selection, made, film)
          if selection == nil, made.errors.isEmpty, !made.isInterrupted {
            warn(of: try files.leftOver(behind: made.entries.count), film)
          }
        } catch let error as SafelightError {
          observer.frameEnded(ledger.append(unopened: film.name, output: output, error))
        } catch  where stop.isMade {
          ledger.isInterrupted = true
        }
      }
      if let names = left.counted("was", "were"), !ledger.isInterrupted {
        warnings.add("\(names) not begun; --keep-going goes on after a failure")
      }
      return ledger
    }
  }

  /// Warns of what the film `name` says of itself and its pictures will not. Faults of the chain are those of frames.
  private func tell(of format: VideoFormat, in chain: FilterChain, _ name: String) {
    let made = (try? chain.output(of: format.filtered)).map(format.holding) ?? format
    let kept = facts(of: format, in: made, output)
    if let lost = kept.names(except: VideoFacts.ofPictures) { warnings.add("its pictures leave out \(lost)", of: name) }
  }

  /// Warns of frames that an earlier run left, and that would be taken for the end of `film`.
  private func warn(of leftOver: [String], _ film: VideoInput) {
    guard let names = leftOver.counted("is", "are") else { return }
    warnings.add("\(names) from an earlier run, beyond the last frame of \(film.name)")
  }

  /// Warns if `film`, of which `made` is what was taken, ends before `selection` does.
  private func warn(ofEndOf selection: FrameSelection?, _ made: FrameLedger, _ film: VideoInput) {
    guard made.errors.isEmpty, !made.isInterrupted else { return }
    warnings.add(endOf: selection, at: made.entries.last?.frame.number, of: film.name)
  }

  /// Applies `--frames`, which chooses some of several pictures, or frames of each film.
  private func chosen(_ films: [VideoInput]) throws -> ([VideoInput], FrameSelection?) {
    let selection = try run.frames.map { try FrameSelection($0) }
    guard let selection, films.count > 1, films.contains(where: \.isPicture) else { return (films, selection) }
    if let other = films.first(where: { !$0.isPicture }) {
      throw SafelightError(
        .usage, "--frames \(selection)",
        why: "it chooses either pictures or frames of films, but this run has both pictures and the film \(other.name)",
        remedy: "process the films in a run of their own")
    }
    let places = try selection.indices(count: films.count)
    warnings.add(endOf: selection, at: places.last.map { $0 + 1 }, of: inputs.joined(separator: " "))
    return (places.map { films[$0] }, nil)
  }

  private func checkOutputs(
    _ files: [VideoFrameFiles], of films: [VideoInput], _ read: InputFiles, _ selection: FrameSelection?
  ) throws {
    var owners: [String: VideoInput] = [:]
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

  // MARK: From pictures

  private func performPictures(to output: VideoOutput, _ calls: [FilterCall], _ stop: StopRequest) async throws {
    let list = try FrameList(inputs, isRecursive: run.recursive)
    warnings.add(leftOutOf: list, hasRecursion: true)
    let whole = try held(list, calls)
    let chosen = try chosen(of: whole)
    guard let first = chosen.first else { return }
    let isBehind = { (frame: Frame) in frame.index >= list.frames.count }
    let shown = try held(chosen.filter { !isBehind($0) }, list) + chosen.filter(isBehind)
    let duration = try film.input.frameDuration() ?? MediaTime(value: 1, timescale: 25)
    let source = try FrameSequenceSource(chosen, frameDuration: duration, limits: options.limits)
    try VideoInputArguments.refuseLimitedRange(of: source.format, first.path)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    try output.prepare()
    tidy([output.path].compactMap { $0 })
    let chain = run.autoOrient ? try processor.turning(source.exifOrientation).chain : processor.chain
    let made = try chain.output(of: source.format.filtered)
    var format = source.format.replacing(
      size: made.size, color: made.color, pixelAspect: try shape(of: source.format, chain))
    format.facts = facts(of: source.format, in: format, output.name)
    let writer = try begin(output, from: source.format, first.path, for: format)
    if source.hasExif {
      let isUpright = source.exifOrientation == .up || chain.makesUpright
      let turn = isUpright ? "" : "; \(writer.name) is not rotated as it asks, which --auto-orient would do"
      warnings.add("the Exif data of \(first.path) is left out\(turn)")
    }
    let kind = tell(of: source, for: writer)
    let work = shown.map { (frame: $0, target: FrameTarget.film(writer)) }
    try await run(processor, to: writer, total: work.count, kind: kind, stop) { pipeline, observer in
      try await pipeline.run(work, of: whole.frames, stop: stop, observer: observer)
    }
  }

  /// Returns the kind to which the pictures of `source` are promoted for `writer`. Warns if they are of several.
  private func tell(of source: FrameSequenceSource, for writer: any VideoWriter) -> PictureKind {
    // Alpha has no place there, and pictures without it need none.
    let isOpaque = writer.format.layout.isYCbCr
    let kind = isOpaque ? source.kind.opaque : source.kind
    let kinds = Dictionary(source.kinds.map { (isOpaque ? $0.opaque : $0, $1) }, uniquingKeysWith: +)
    if kinds.count > 1 {
      let counts = kinds.map { (count: $1, name: $0.description) }.sorted { ($0.count, $0.name) < ($1.count, $1.name) }
        .map { "\($0.count) \($0.count == 1 ? "is" : "are") \($0.name)" }
      warnings.add("of the frames, \(counts.joined(separator: ", ")); all become \(kind)")
    }
    return kind
  }

  /// Returns `chosen`; with `--gaps hold`, the frame before a gap is repeated. Without an explicit choice a gap is an
  /// error, because the shorter film would be out of step.
  private func held(_ chosen: [Frame], _ list: FrameList) throws -> [Frame] {
    try tellOfNumbers(chosen, list)
    let gaps = try list.gaps(within: chosen, literally: true)
    guard !gaps.isEmpty else { return chosen }
    let text = gaps.text
    switch run.gaps {
    case .skip:
      warnings.add("\(text); the film is \(gaps.count == 1 ? "1 frame" : "\(gaps.count) frames") shorter")
      return chosen
    case .hold:
      let times = gaps.count == 1 ? "once" : "\(gaps.count) times"
      warnings.add("\(text); the film repeats the frame before, \(times)")
      let missing = Dictionary(grouping: gaps, by: \.place)
      return chosen.flatMap { frame in missing[frame.index, default: []].map { list.frames[$0.previous] } + [frame] }
    case .error, nil:
      throw SafelightError(
        .missingInput, text, why: "a film without them would be out of step",
        remedy: "restore them, or choose: --gaps skip leaves them out, --gaps hold repeats the frame before")
    }
  }

  // MARK: Both

  /// Runs the pipeline, shows its progress, and finishes the film whole or not at all.
  private func run(
    _ processor: FrameProcessor, to writer: (any VideoWriter)?, total: Int?, kind: PictureKind? = nil,
    _ stop: StopRequest,
    _ work: @escaping @Sendable (FramePipeline, FramePipeline.Observer) async throws -> FrameLedger
  ) async throws {
    let record = record(processor, total: total)
    var options = options
    options.kind = kind
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
  private func end(_ writer: (any VideoWriter)?, _ ledger: FrameLedger) async -> SafelightError? {
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
