public import SafelightFrames
public import SafelightImage

/// A sequence or a film on its way: decoded, taken through a device, encoded, written; all at the same time, and in order.
///
/// Memory is bounded by the frames in flight and not by the length of the sequence.
public struct FramePipeline: Sendable {
  /// What to do with outputs that exist.
  public enum Existing: String, Sendable, CaseIterable {
    /// Replace them.
    case overwrite
    /// Leave them and their frames alone.
    case skip
    /// Leave those alone that are whole and were made of these frames in this way, as the seal says that a run keeps in its files; replace
    /// the others, with a warning that says why. Frames of films are always made.
    case verify
    /// Refuse to begin.
    case fail
  }

  /// How a run is done.
  public struct Options: Sendable {
    /// How many jobs a run may have.
    public static let jobsRange = 1...4096
    /// How many frames may be on the way.
    public static let inFlightRange = 1...65536

    /// Pictures decoded or encoded at a time, of ``jobsRange``.
    public var jobs: Int
    /// Frames between their first byte read and their last byte written, of ``inFlightRange``.
    public var inFlight: Int
    /// Finish the other frames after one failed.
    public var keepsGoing = false
    /// What to do with outputs that exist.
    public var existing = Existing.overwrite
    /// Refuse to replace a file, or to skip its frame, where an earlier run made it of an input of another name.
    public var keepsOthers = false
    /// PNG effort.
    public var compression = PNGCompression.fast
    /// What is refused before memory is taken for it.
    public var limits = PNGLimits()
    /// What decodes and encodes PNGs, and keeps its memory from one frame to the next.
    public var pngCodec = PNGCodec()
    /// The bytes of a huge picture's rows that are made together.
    ///
    /// A few times as much is in memory, and what is done once for them all, as for a command buffer, does not count
    /// beside it.
    package var bandByteCount = 1 << 24

    /// Makes options for `jobs` threads; twice as many frames and one more may be on the way unless told otherwise.
    public init(jobs: Int, inFlight: Int? = nil) {
      trap(
        unless: Self.jobsRange.contains(jobs) && Self.inFlightRange.contains(inFlight ?? 1),
        "a run has \(Self.jobsRange) jobs and \(Self.inFlightRange) frames in flight")
      self.jobs = jobs
      self.inFlight = inFlight ?? 2 * jobs + 1
    }
  }

  /// What a run tells while it goes on, in the order of the frames.
  public struct Observer: Sendable {
    /// A frame has ended.
    public var frameEnded: @Sendable (FrameLedger.Entry) -> Void = { _ in }
    /// A frame was made: before and after. Called on a codec thread, out of order.
    public var pictures: (@Sendable (_ frame: Frame, _ before: Image, _ after: Image) -> Void)?

    /// A frame was made and is where it was to go, as a picture: not those that are luma and chroma there. Hears the
    /// hash of its pixels (``SafelightImage/Image/pixelHash``); called out of order.
    public var pixelsMade: (@Sendable (_ frame: Frame, _ hash: String) -> Void)?

    /// Filters found out numbers about a frame; called out of order, before the frame ends.
    public var measured: (@Sendable (_ frame: Frame, _ measured: [MeasuredFrame]) -> Void)?

    /// The twins made something else of a frame than the device: what they made, and what it made; of a huge frame the
    /// rows that were made together. Called out of order, before the frame ends.
    public var twinsDiffered:
      (@Sendable (_ frame: Frame, _ target: FrameTarget?, _ expected: Image, _ actual: Image) -> Void)?

    /// Makes an observer that does nothing.
    public init() {}
  }

  let processor: FrameProcessor
  private(set) var options: Options
  let codec: CodecPool

  /// Joins a processor with options.
  public init(_ processor: FrameProcessor, options: Options) {
    self.processor = processor
    self.options = options
    if !processor.chain.isPointwise { self.options.pngCodec = options.pngCodec.writingWhole }
    codec = CodecPool(jobs: options.jobs)
  }

  /// Takes each frame of `work` to its file, whose folder exists, or to a film.
  ///
  /// Where a result depends on the frames before it, those of `sequence`, in which each frame has its index, are taken through
  /// the filters too, and not written: so a part of a film comes out as in the whole. Without a sequence, `work` is the whole.
  /// A frame that cannot be read, or that the device failed at, ends what later ones depend on; they have a warning. What the device
  /// fails at is a line of the ledger for frames that are not written too, and what the twin disagrees with.
  ///
  /// Failures of single frames are lines of the ledger; throws only what keeps the run from beginning.
  public func run(
    _ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame] = [], stop: StopRequest = StopRequest(),
    observer: Observer = Observer()
  ) async throws -> FrameLedger {
    try Self.refuseExisting(work, options.existing)
    let history = processor.chain.history
    let outputs = ExistingOutputs(
      options.existing, recipe: FrameRecipe(processor.chain, options),
      sequence: sequence.isEmpty ? work.map(\.frame) : sequence)
    // Without a history nothing depends on what is there, and it is looked at by the thread that reads the frame.
    let schedule = FrameSchedule(work, of: sequence, history: history) { [codec] frame, target in
      guard history > 0, !stop.isMade, case .file = target else { return false }
      return await codec.run(for: frame.index) { outputs.verdict(on: frame, at: target) == .skip }
    }
    return await run(schedule, outputs, stop: stop, observer: observer)
  }

  /// Takes each step as `steps` brings it.
  ///
  /// Where `steps` fail, frames on the way are finished and the failure is the last line of the ledger. A run that is stopped asks for no
  /// more frames of a film.
  public func run<Steps: AsyncSequence>(
    _ steps: Steps, stop: StopRequest = StopRequest(), observer: Observer = Observer()
  ) async -> FrameLedger where Steps.Element == FrameStep {
    await run(steps, nil, stop: stop, observer: observer)
  }

  private func run<Steps: AsyncSequence>(
    _ steps: Steps, _ outputs: ExistingOutputs?, stop: StopRequest, observer: Observer
  ) async -> FrameLedger where Steps.Element == FrameStep {
    let clock = ContinuousClock()
    let start = clock.now
    var ledger = FrameLedger()
    var onTheWay: [Task<FrameLedger.Entry?, Never>] = []
    var hasFailed = false
    // The device's stage begins in the order of the frames, and so do films receive them: each waits for the one before it.
    var previous: FrameTurn?

    func end(_ entry: FrameLedger.Entry?) {
      guard let entry else { return }
      ledger.entries.append(entry)
      if entry.status == .failed { hasFailed = true }
      if entry.status != .untouched { observer.frameEnded(entry) }
    }
    func endAll() async {
      while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
    }

    let journey = FrameJourney(self, outputs, observer: observer)
    processor.chain.reset()
    var next = steps.makeAsyncIterator()
    do {
      while let step = try await next.next() {
        if onTheWay.count == options.inFlight { end(await onTheWay.removeFirst().value) }
        if stop.isMade { ledger.isInterrupted = true }
        if ledger.isInterrupted || (hasFailed && !options.keepsGoing) {
          // Those on the way are before it in the order of the ledger.
          await endAll()
          // A film goes on, perhaps without end; files are all known, and each has its line.
          if step.picture != nil { break }
          if let target = step.target { ledger.entries.append(.unmade(step.frame, target.name, .untouched)) }
          continue
        }
        let (task, turn) = journey.begin(step, after: previous)
        onTheWay.append(task)
        previous = turn
      }
      await endAll()
      // A film that is waited for ends where its reader is cancelled.
      if Task.isCancelled { ledger.isInterrupted = true }
    } catch {
      await endAll()
      end(.broken(ledger.entries.last?.frame, error))
    }
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }

  /// Throws an error of kind `output` where something is there that must not be.
  public static func refuseExisting(_ work: [(frame: Frame, target: FrameTarget)], _ rule: Existing) throws {
    guard rule == .fail, let name = work.map(\.target).first(where: \.isThere)?.name else { return }
    throw SafelightError(
      .output, name, why: "it exists", remedy: "choose another output, or overwrite, skip or verify",
      setting: .existingOutputs)
  }

  /// Why the file at `target` is not that of `frame`, which comes out of a film where `isFilmed`: an earlier run made
  /// it
  /// of something else. Nil where it may be, or is that of one of the `siblings` and will be made anew.
  public static func refusal(
    of target: FrameTarget, for frame: Frame, siblings: Set<String> = [], isFilmed: Bool = false
  ) -> SafelightError? {
    guard case .file(let path) = target, let seal = PNGSeal.atBeginning(ofFileAt: path), !seal.origin.isEmpty else {
      return nil
    }
    let remedy = "write to another folder, or overwrite"
    if seal.origin != frame.name {
      if siblings.contains(seal.origin) { return nil }
      return SafelightError(
        .output, path, why: "an earlier run made it of \(seal.origin), and this one would make it of \(frame.name)",
        remedy: remedy, setting: .existingOutputs)
    }
    guard isFilmed, seal.inputs != FrameRecipe.filmed(frame) else { return nil }
    return SafelightError(
      .output, path, why: "an earlier run made it of another film of the name \(frame.name), or before that changed",
      remedy: remedy, setting: .existingOutputs)
  }

  func isSkipped(_ target: FrameTarget) -> Bool { options.existing == .skip && target.isThere }
}

extension FrameTarget {
  /// True where there is a file of that name.
  var isThere: Bool {
    switch self {
    case .file(let path): fileExists(path)
    case .stream, .film: false
    }
  }

  var isFilm: Bool {
    if case .film = self { true } else { false }
  }
}

extension FrameLedger.Entry {
  /// A frame that nothing was done with.
  static func unmade(_ frame: Frame, _ name: String, _ status: FrameLedger.Status) -> FrameLedger.Entry {
    FrameLedger.Entry(frame: frame, output: name, status: status, error: nil, warnings: [], seconds: 0)
  }

  /// A frame whose file is that of another.
  static func refused(_ frame: Frame, _ name: String, _ error: SafelightError) -> FrameLedger.Entry {
    FrameLedger.Entry(frame: frame, output: name, status: .failed, error: error, warnings: [], seconds: 0)
  }

  /// What kept the frame behind `last` from coming.
  static func broken(_ last: Frame?, _ error: any Error) -> FrameLedger.Entry {
    let frame = Frame(index: (last?.index ?? -1) + 1, number: (last?.number ?? 0) + 1, path: last?.path ?? "frames")
    return FrameLedger.Entry(
      frame: frame, output: nil, status: .failed, error: .known(error, frame.path), warnings: [], seconds: 0)
  }
}

extension SafelightError {
  /// `error`, which is one of these unless the driver is at fault.
  static func known(_ error: any Error, _ name: String) -> SafelightError {
    error as? SafelightError ?? SafelightError(.driver, name, why: "\(error)", remedy: "report it")
  }
}

extension FramePipeline {
  /// Takes the files of a folder, and then those that arrive, each to where `output` says, until `stop` is made or nothing has come for
  /// `idle`. `begin` hears the outputs of what has come together before that is begun.
  ///
  /// What has come together is a run of its own, whose frames follow those before in the ledger; a frame's index says as the how many-th it
  /// came. Only for chains without a history: what a file becomes must not depend on when it comes.
  public func run(
    watching watch: FolderWatch, idle: Duration? = nil, stop: StopRequest = StopRequest(),
    observer: Observer = Observer(),
    begin: ([String]) -> Void = { _ in }, output: (Frame) -> String
  ) async -> FrameLedger {
    trap(
      unless: processor.chain.history == 0,
      "a chain with a history cannot be watched with; run it over the whole sequence")
    let clock = ContinuousClock()
    let start = clock.now
    var lastArrival = start
    var ledger = FrameLedger()
    do {
      while !stop.isMade && !(ledger.count(.failed) > 0 && !options.keepsGoing) {
        let arrivals = try watch.arrivals()
        for error in watch.refusals() {
          let count = ledger.entries.count
          let entry = FrameLedger.Entry(
            frame: Frame(index: count, number: count + 1, path: error.what), output: nil, status: .failed, error: error,
            warnings: [], seconds: 0)
          ledger.entries.append(entry)
          observer.frameEnded(entry)
          lastArrival = clock.now
        }
        let first = ledger.entries.count
        let frames = arrivals.enumerated().map { number, path in
          Frame(index: first + number, number: first + number + 1, path: path)
        }
        if frames.isEmpty {
          if let idle, !watch.isWaiting, clock.now - lastArrival >= idle { break }
          // Short for a person, and long for a machine.
          try await Task.sleep(for: .milliseconds(50))
          continue
        }
        let outputs = frames.map(output)
        begin(outputs)
        let part = try await run(
          zip(frames, outputs).map { (frame: $0, target: .file($1)) }, stop: stop, observer: observer)
        ledger.entries += part.entries
        lastArrival = clock.now
      }
    } catch {
      let entry = FrameLedger.Entry.broken(ledger.entries.last?.frame, error)
      ledger.entries.append(entry)
      observer.frameEnded(entry)
    }
    ledger.isInterrupted = stop.isMade
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }
}
