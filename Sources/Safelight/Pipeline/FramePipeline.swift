public import SafelightFrames
public import SafelightImage

/// Takes the frames of a folder, a film or a watched folder through a device: decoded, filtered, encoded and written,
/// all at the same time and in order.
///
/// Memory is bounded by a budget and by the frames in flight, not by the length of the sequence.
public struct FramePipeline: Sendable {
  /// The rule for outputs that exist.
  public enum Existing: String, Sendable, CaseIterable {
    /// Replaces them.
    case overwrite
    /// Keeps them.
    case skip
    /// Keeps those that are whole and whose seal, which a run writes into its files, shows that they were made from
    /// these frames in this way; replaces the others with a warning that says why. Frames of films are always made.
    case verify
    /// Refuses to begin.
    case fail
  }

  /// The options of a run.
  public struct Options: Sendable {
    /// The numbers of jobs that a run may have.
    public static let jobsRange = 1...4096
    /// The numbers of frames that may be in flight.
    public static let inFlightRange = 1...65536

    /// Pictures decoded or encoded at a time, of ``jobsRange``.
    public var jobs: Int
    /// Frames between their first byte read and their last byte written, of ``inFlightRange``.
    public var inFlight: Int
    /// The memory that frames may take. One that does not fit beside others waits; one that never fits goes in bands
    /// of rows, or is refused.
    public var memory = MemoryBudget.automatic
    /// True to finish the other frames after one failed.
    public var keepsGoing = false
    /// The rule for outputs that exist.
    public var existing = Existing.overwrite
    /// True to refuse to replace or keep a file that an earlier run made of an input of another name.
    public var keepsOthers = false
    /// The PNG effort.
    public var compression = PNGCompression.fast
    /// The shape of pixels that pictures are written with; nil for that of their inputs, which filters may change.
    public var pixelAspect: PixelAspect?
    /// True to make frames upright before the filters: pictures of files as their Exif data says, which then says so
    /// no more, and frames of films as their orientation says.
    public var turnsUpright = false
    /// The limits of what is decoded, checked before memory is taken for it.
    public var limits = PNGLimits()
    /// The codec of PNG files, which keeps its memory from one frame to the next.
    public var pngCodec = PNGCodec()
    /// The kind to which pictures of files are promoted before the filters, without losing what they have besides; nil
    /// to leave each as it is.
    package var kind: PictureKind?
    /// The number of bytes of a huge picture's rows, and of those that filters make of them, that are made together.
    ///
    /// Memory holds a few times as much. The fixed costs of a band, such as a command buffer, are negligible beside it.
    package var bandByteCount = 1 << 24

    /// Makes options for `jobs` threads; by default one more than twice as many frames may be in flight.
    public init(jobs: Int, inFlight: Int? = nil) {
      trap(
        unless: Self.jobsRange.contains(jobs) && Self.inFlightRange.contains(inFlight ?? 1),
        "a run takes \(Self.jobsRange) jobs and \(Self.inFlightRange) frames in flight")
      self.jobs = jobs
      self.inFlight = inFlight ?? 2 * jobs + 1
    }
  }

  /// The functions that a run calls while it goes on. All but `frameEnded` are called out of order, from any thread,
  /// before the frame ends.
  public struct Observer: Sendable {
    /// Receives the entry of each frame that has ended, in the order of the frames.
    public var frameEnded: @Sendable (FrameLedger.Entry) -> Void = { _ in }
    /// Receives a warning of a frame before its picture is decoded; the frame's entry has it too.
    public var warned: (@Sendable (_ frame: Frame, _ warning: String) -> Void)?
    /// Receives each picture written to a file or stream, before and after the filters; called on a codec thread.
    public var pictures: (@Sendable (_ frame: Frame, _ before: Image, _ after: Image) -> Void)?
    /// Receives the ``SafelightImage/Image/pixelHash`` of each frame that was written as a picture, not as luma and
    /// chroma.
    public var pixelsMade: (@Sendable (_ frame: Frame, _ hash: String) -> Void)?
    /// Receives the measurements that filters took of a frame.
    public var measured: (@Sendable (_ frame: Frame, _ measured: [MeasuredFrame]) -> Void)?
    /// Receives the results of the twins and of the device if they differ; for a huge frame, the rows made together.
    public var twinsDiffered:
      (@Sendable (_ frame: Frame, _ target: FrameTarget?, _ expected: Image, _ actual: Image) -> Void)?
    /// Receives the seconds that a stage of a frame took; those of the device only if the processor times them.
    var stageTimed: (@Sendable (PipelineBenchmark.Stage, Double) -> Void)?

    /// Makes an observer that does nothing.
    public init() {}

    /// True if huge frames must not be made in bands.
    var wantsWholePictures: Bool { pictures != nil || stageTimed != nil }

    /// Does `work`, which is `stage`, and reports the time it took.
    func timed<Value>(_ stage: PipelineBenchmark.Stage, _ work: () throws -> Value) rethrows -> Value {
      guard let stageTimed else { return try work() }
      let clock = ContinuousClock()
      let start = clock.now
      defer { stageTimed(stage, (clock.now - start).inSeconds) }
      return try work()
    }
  }

  let processor: FrameProcessor
  let options: Options
  /// The codec for huge pictures of which a filter needs the whole.
  let wholeCodec: PNGCodec
  let codec: CodecPool

  /// Joins a processor with options.
  public init(_ processor: FrameProcessor, options: Options) {
    self.processor = processor
    self.options = options
    wholeCodec = options.pngCodec.writingWhole
    codec = CodecPool(jobs: options.jobs)
  }

  /// Takes each frame of `work` to its file, whose folder exists, or to a film.
  ///
  /// If a result depends on the frames before it, those frames of `sequence`, in which each frame has its index, are
  /// taken through the filters too but not written, so that a part of a film has the same result as in the whole.
  /// Without a sequence, `work` is the whole. If a frame cannot be read, or the device fails at it, later frames that
  /// depend on it are made without it and have a warning. A frame that is only remembered has an entry if the device
  /// fails at it or the twin disagrees.
  ///
  /// Canceling the task is a request to stop: frames in flight are finished, and the ledger, which is returned as ever,
  /// is ``FrameLedger/isInterrupted`` and counts what was done.
  ///
  /// - Throws: ``SafelightError`` if the run cannot begin; failures of single frames are entries of the ledger.
  public func run(
    _ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame] = [], stop: StopRequest = StopRequest(),
    observer: Observer = Observer()
  ) async throws -> FrameLedger {
    let outputs = outputs(of: sequence.isEmpty ? work.map(\.frame) : sequence)
    if let last = work.map(\.frame.index).max() {
      try processor.chain.check(sequence.isEmpty ? work.map(\.frame) : sequence, upTo: last)
    }
    try outputs.refuseExisting(work)
    try await checkSeconds(of: work)
    let whole = sequence.isEmpty ? work.map(\.frame) : sequence
    let steps = FrameSchedule(
      work, of: sequence, history: processor.chain.history,
      gaps: processor.chain.dependsOnPosition ? try SequenceGaps(whole) : SequenceGaps(),
      judge: judge(outputs, isFilmed: false, stop))
    var run = PipelineRun(pipeline: self, stop: stop, observer: observer)
    await run.take(steps, outputs)
    return run.ended()
  }

  /// Takes the frames of the film `film`, which messages call `name`, to where `target` says. A chain that passes to a
  /// second sequence goes on to its end.
  ///
  /// If `film` throws, frames on the way are finished and the error is the last entry of the ledger. A run that is
  /// stopped, or whose task is canceled, asks for no more frames.
  ///
  /// - Parameters:
  /// - selection: The frames to take; nil for all. No frame after the last is asked for.
  /// - first: The index in the run of the film's first frame, if other films come before it; its number is 1.
  public func run(
    film: some FrameSource, name: String, selection: FrameSelection? = nil, first: Int = 0,
    stop: StopRequest = StopRequest(), observer: Observer = Observer(),
    target: @escaping @Sendable (Frame) -> FrameTarget
  ) async -> FrameLedger {
    let outputs = outputs()
    var count: (@Sendable (Int) throws(SafelightError) -> Int)?
    if processor.chain.goesOn {
      count = { [chain = processor.chain] (frames) throws(SafelightError) in try chain.count(after: frames) }
    }
    let steps = VideoSchedule(
      film: film.makeAsyncIterator(), name: name, selection: selection, history: processor.chain.history, first: first,
      stop: stop, judge: judge(outputs, isFilmed: true, stop), target: target, facts: film.format.facts,
      count: count, frameDuration: film.format.frameDuration)
    var run = PipelineRun(pipeline: self, stop: stop, observer: observer)
    do {
      try await checkSeconds(ofFilm: film.format, selection)
    } catch {
      run.end(breaking: error)
      return run.ended()
    }
    await run.take(steps, outputs, film.format.pixelAspect)
    // A film that is waited for ends at a stop as if it were over.
    if stop.holdsHere { run.ledger.isInterrupted = true }
    return run.ended()
  }

  /// Takes the files of a folder, and then those that arrive, to where `output` says, until `stop` is made, the task is
  /// canceled or nothing has come for `idle`. `begin` receives the outputs of files that arrived together before they
  /// are begun.
  ///
  /// A frame's index is its order of arrival. Chains with a history are not allowed: what a file becomes must not
  /// depend on when it comes.
  public func run(
    watching watch: FolderWatch, idle: Duration? = nil, stop: StopRequest = StopRequest(),
    observer: Observer = Observer(), begin: ([String]) -> Void = { _ in }, output: (Frame) -> String
  ) async -> FrameLedger {
    trap(
      unless: processor.chain.history == 0,
      "a watched folder cannot be filtered by a chain with a history; run the chain on the whole sequence")
    var run = PipelineRun(pipeline: self, stop: stop, observer: observer)
    var lastArrival = ContinuousClock.now
    do {
      while !run.isOver {
        let arrivals = try watch.arrivals()
        for error in watch.refusals() {
          let count = run.ledger.entries.count
          run.end(.init(Frame(index: count, number: count + 1, path: error.what), output: nil, .failed, error))
          lastArrival = .now
        }
        if arrivals.isEmpty {
          if let idle, !watch.isWaiting, .now - lastArrival >= idle { break }
          // A new file waits no longer than a person notices. The sleep throws if the task is canceled; the loop then
          // ends at its condition.
          try? await Task.sleep(for: .milliseconds(50))
          continue
        }
        let first = run.ledger.entries.count
        let frames = arrivals.enumerated().map { Frame(index: first + $0, number: first + $0 + 1, path: $1) }
        let paths = frames.map(output)
        let work = zip(frames, paths).map { (frame: $0, target: FrameTarget.file($1)) }
        begin(paths)
        let outputs = outputs(of: frames)
        try outputs.refuseExisting(work)
        await run.take(FrameSchedule(work, of: [], history: 0) { _, _ in nil }, outputs)
        lastArrival = .now
      }
    } catch {
      run.end(breaking: error)
    }
    run.ledger.isInterrupted = stop.holdsHere
    return run.ended()
  }

  /// Checks that second pictures suit the frames of `work`, before one is written; of all files the beginnings are
  /// read.
  private func checkSeconds(of work: [(frame: Frame, target: FrameTarget)]) async throws {
    guard !processor.chain.secondSequences.isEmpty else { return }
    try await codec.run(for: .min) { [processor, options] in
      for (frame, target) in work {
        if case .file(let path) = target, (try? ExistingOutputs.keeps(path, options.existing)) == true { continue }
        guard let outline = PNGOutline(frame.path, limits: options.limits, findsExif: options.turnsUpright) else {
          continue
        }
        var picture = outline.picture
        if let kind = options.kind { picture = picture.promoted(to: kind.union(PictureKind(picture))) }
        let chain = try processor.turning(options.turnsUpright ? outline.orientation : .up).chain
        try chain.checkSeconds(of: picture, at: frame.index)
      }
    }
  }

  /// Checks the second pictures of a film's frames, as many as there are files or frames to take. Frames that are
  /// turned are checked one by one.
  private func checkSeconds(ofFilm format: VideoFormat, _ selection: FrameSelection?) async throws {
    let chain = processor.chain
    guard !options.turnsUpright, let count = chain.secondSequences.map(\.checkedCount).max() else { return }
    try await codec.run(for: .min) {
      for position in 0..<min(count, (selection?.last ?? .max - 1) + 1) {
        try chain.checkSeconds(of: format.filtered, at: position)
      }
    }
  }

  private func outputs(of sequence: [Frame] = []) -> ExistingOutputs {
    ExistingOutputs(options, recipe: FrameRecipe(processor.chain, options), sequence: sequence)
  }

  /// Decides before the step if later results depend on the frame, so that a frame whose output is kept is still
  /// remembered. Otherwise the thread that reads the frame decides.
  private func judge(_ outputs: ExistingOutputs, isFilmed: Bool, _ stop: StopRequest) -> FrameSchedule.Judge {
    { [codec, history = processor.chain.history] frame, target in
      guard history > 0, !stop.holdsHere, case .file = target else { return nil }
      return await codec.run(for: frame.index) { outputs.verdict(on: frame, at: target, isFilmed: isFilmed) }
    }
  }
}

/// One run: the tasks of the frames on the way, and the ledger of those that have ended.
private struct PipelineRun {
  let pipeline: FramePipeline
  let stop: StopRequest
  let observer: FramePipeline.Observer
  let start = ContinuousClock.now
  var ledger = FrameLedger()
  var onTheWay: [(task: Task<FrameLedger.Entry?, Never>, byteCount: Int)] = []
  var hasFailed = false
  var budget: (byteCount: Int, since: ContinuousClock.Instant)?

  /// The bytes that the frames on the way take.
  var taken: Int { onTheWay.reduce(0) { $0 + $1.byteCount } }

  /// True if no more frames are to be begun.
  var isOver: Bool { stop.holdsHere || ledger.isInterrupted || hasFailed && !pipeline.options.keepsGoing }

  /// Takes each step as `steps` brings it, and waits for the last. The pixels of a film have the shape `aspect`.
  mutating func take(
    _ steps: some AsyncIteratorProtocol<FrameStep, some Error>, _ outputs: ExistingOutputs,
    _ aspect: PixelAspect? = nil
  ) async {
    let journey = FrameJourney(pipeline, outputs, observer, aspect)
    pipeline.processor.chain.reset()
    var turn = 0
    var steps = steps
    do {
      while let step = try await steps.next() {
        let budget = currentBudget()
        let admission = isOver ? nil : await journey.admission(of: step, budget)
        await makeRoom(for: admission?.byteCount ?? 0, budget)
        if stop.holdsHere { ledger.isInterrupted = true }
        if let admission, !isOver {
          let task = Task { [turn] in await journey.take(step, admission, turn: turn) }
          onTheWay.append((task, admission.byteCount))
          turn += 1
          continue
        }
        // Frames in flight come before it in the order of the ledger.
        await endAll()
        // A film goes on, perhaps without end; files are all known, so each gets its entry.
        if step.picture != nil { break }
        if let target = step.target { ledger.entries.append(.init(step.frame, output: target.name, .untouched)) }
      }
      await endAll()
    } catch {
      await endAll()
      end(breaking: error)
    }
  }

  /// The bytes that frames may take, which are found out again once a second: reading them takes the kernel a while.
  private mutating func currentBudget() -> Int {
    if let budget, budget.since.duration(to: .now) < .seconds(1) { return budget.byteCount }
    let byteCount = pipeline.options.memory.byteCount ?? 1 << 60
    budget = (byteCount, .now)
    return byteCount
  }

  /// Waits until another frame, which takes so many bytes of the budget, may be on the way.
  private mutating func makeRoom(for byteCount: Int, _ budget: Int) async {
    while !onTheWay.isEmpty, onTheWay.count == pipeline.options.inFlight || !isOver && taken > budget - byteCount {
      await endFirst()
    }
  }

  /// Adds the entry of a frame that has ended.
  mutating func end(_ entry: FrameLedger.Entry) {
    ledger.entries.append(entry)
    if entry.status == .failed { hasFailed = true }
    if entry.status != .untouched { observer.frameEnded(entry) }
  }

  /// Adds an entry with the reason why the next frame did not arrive.
  mutating func end(breaking error: any Error) {
    let last = ledger.entries.last?.frame
    let frame = Frame(index: (last?.index ?? -1) + 1, number: (last?.number ?? 0) + 1, path: last?.path ?? "frames")
    end(.init(frame, output: nil, .failed, .known(error, frame.path)))
  }

  /// Returns the ledger with the time the run took.
  func ended() -> FrameLedger {
    var ledger = ledger
    ledger.seconds = (ContinuousClock.now - start).inSeconds
    return ledger
  }

  private mutating func endFirst() async {
    if let entry = await onTheWay.removeFirst().task.value { end(entry) }
  }

  private mutating func endAll() async {
    while !onTheWay.isEmpty { await endFirst() }
  }
}

extension SafelightError {
  /// Returns `error`, or an error of the driver if it is of another type.
  static func known(_ error: any Error, _ name: String) -> SafelightError {
    error as? SafelightError ?? SafelightError(.driver, name, why: "\(error)", remedy: "report it")
  }
}
