public import SafelightFrames
public import SafelightImage

/// A sequence on its way: decoded, taken through a device, encoded, written; all at the same time, and in order.
///
/// Memory is bounded by the frames in flight and not by the length of the sequence.
public struct FramePipeline: Sendable {
  /// What to do with outputs that exist.
  public enum Existing: String, Sendable, CaseIterable {
    /// Replace them.
    case overwrite
    /// Leave them and their frames alone.
    case skip
    /// Refuse to begin.
    case fail
  }

  /// How a run is done.
  public struct Options: Sendable {
    /// Pictures decoded or encoded at a time.
    public var jobs: Int
    /// Frames between their first byte read and their last byte written.
    public var inFlight: Int
    /// Finish the other frames after one failed.
    public var keepsGoing = false
    /// What to do with outputs that exist.
    public var existing = Existing.overwrite
    /// PNG effort.
    public var compression = PNGCompression.fast
    /// What is refused before memory is taken for it.
    public var limits = PNGLimits()
    /// What decodes and encodes PNGs, and keeps its memory from one frame to the next.
    public var codec = PNGCodec()

    /// Makes options for `jobs` threads; twice as many frames and one more may be on the way unless told otherwise.
    public init(jobs: Int, inFlight: Int? = nil) {
      precondition(jobs > 0 && (inFlight ?? 1) > 0, "a run needs at least one job and one frame in flight")
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

    /// Makes an observer that does nothing.
    public init() {}
  }

  private let processor: FrameProcessor
  private let options: Options
  private let codec: CodecPool

  /// Joins a processor with options.
  public init(_ processor: FrameProcessor, options: Options) {
    self.processor = processor
    self.options = options
    codec = CodecPool(jobs: options.jobs)
  }

  /// Takes each frame of `work` to its file, whose folder exists.
  ///
  /// Where a result depends on the frames before it, those of `sequence`, in which each frame has its index, are taken through
  /// the filters too, and not written: so a part of a film comes out as in the whole. Without a sequence, `work` is the whole.
  /// A frame that cannot be read, or that the device failed at, ends what later ones depend on; they have a warning. What the device
  /// fails at is a line of the ledger for frames that are not written too, and what the twin disagrees with.
  ///
  /// Failures of single frames are lines of the ledger; throws only what keeps the run from beginning.
  public func run(
    _ work: [(frame: Frame, output: String)], of sequence: [Frame] = [], stop: StopRequest = StopRequest(),
    observer: Observer = Observer()
  ) async throws -> FrameLedger {
    if options.existing == .fail, let path = work.map(\.output).first(where: fileExists) {
      throw SafelightError(
        .output, path, why: "it exists", remedy: "choose another output, or --existing overwrite or skip")
    }
    let clock = ContinuousClock()
    let start = clock.now
    var ledger = FrameLedger()
    var onTheWay: [Task<FrameLedger.Entry?, Never>] = []
    var hasFailed = false
    // The device's stage begins in the order of the frames: each waits for the one before it.
    var previous: Turn?

    func end(_ entry: FrameLedger.Entry?) {
      guard let entry else { return }
      ledger.entries.append(entry)
      if entry.status == .failed { hasFailed = true }
      observer.frameEnded(entry)
    }

    let history = processor.chain.history
    // Without a history nothing depends on what is there, and it is looked at when a frame's turn comes.
    let schedule = FrameSchedule(work, of: sequence, history: history) { history > 0 && isSkipped($0) }
    let lost = LostFrames(history: history)
    processor.chain.reset()
    for step in schedule.steps {
      if onTheWay.count == options.inFlight { end(await onTheWay.removeFirst().value) }
      if stop.isMade { ledger.isInterrupted = true }
      if ledger.isInterrupted || (hasFailed && !options.keepsGoing) {
        // Those on the way are before it in the order of the ledger.
        while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
        if let (frame, path) = step.work { ledger.entries.append(.unmade(frame, path, .untouched)) }
        continue
      }
      let (task, turn) = begin(step, after: previous, lost, observer: observer)
      onTheWay.append(task)
      previous = turn
    }
    while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }

  private func isSkipped(_ path: String) -> Bool { options.existing == .skip && fileExists(path) }

  /// What a frame waits for of those before it.
  private struct Turn {
    /// The device has their commands.
    let recorded: Task<Void, Never>
    /// It is known what the device made of them.
    let settled: Task<Void, Never>
  }

  private typealias Submitted = (file: PNGFile, submission: FrameProcessor.Submission)
  private typealias Made = (file: PNGFile, image: Image)

  /// Starts the way of one frame.
  private func begin(
    _ step: FrameSchedule.Step, after previous: Turn?, _ lost: LostFrames, observer: Observer
  ) -> (Task<FrameLedger.Entry?, Never>, Turn?) {
    switch step {
    case .skip(let frame, let path): return (Task { .unmade(frame, path, .skipped) }, previous)
    case .make(let frame, let path) where lost.history == 0 && isSkipped(path):
      return (Task { .unmade(frame, path, .skipped) }, previous)
    case .make(let frame, let path):
      let (made, turn) = make(frame, after: previous, lost)
      return (finish(frame, path, made, after: previous, lost, observer), turn)
    case .remember(let frame):
      let (made, turn) = make(frame, after: previous, lost)
      return (remember(frame, made), turn)
    }
  }

  /// Reads a frame and takes it through the device.
  private func make(
    _ frame: Frame, after previous: Turn?, _ lost: LostFrames
  ) -> (Task<Made, any Error>, Turn) {
    let submitted = submit(frame, after: previous, lost)
    let made = Task {
      let (file, submission) = try await submitted.value
      do {
        return Made(file, try await submission.finished())
      } catch {
        // Its counts may be there in part. Where the twin alone says otherwise, the device's are whole.
        if (error as? SafelightError)?.kind != .difference {
          processor.chain.reset()
          lost.add(frame, error)
        }
        throw error
      }
    }
    let settled = Task {
      _ = await made.result
      await previous?.settled.value
    }
    return (made, Turn(recorded: Task { _ = await submitted.result }, settled: settled))
  }

  /// Reads a frame and hands it to the device, once those before it were.
  private func submit(
    _ frame: Frame, after previous: Turn?, _ lost: LostFrames
  ) -> Task<Submitted, any Error> {
    Task {
      let file: Result<PNGFile, any Error>
      do {
        file = .success(
          try await codec.run { [limits = options.limits, codec = options.codec] in
            try PNGFile(reading: frame.path, limits: limits, codec: codec)
          })
      } catch {
        file = .failure(error)
      }
      await previous?.recorded.value
      let decoded: PNGFile
      do {
        decoded = try file.get()
        _ = try processor.check(decoded.image, label: frame.path)
      } catch {
        processor.chain.reset()
        lost.add(frame, error)
        throw UnfitFrame(reason: error)
      }
      lost.begin(frame)
      do {
        return (decoded, try processor.submit(decoded.image, label: frame.path))
      } catch {
        lost.add(frame, error)
        throw error
      }
    }
  }

  /// Says only what failed: frames that cannot be read are told of with those that depend on them.
  private func remember(_ frame: Frame, _ made: Task<Made, any Error>) -> Task<FrameLedger.Entry?, Never> {
    let clock = ContinuousClock()
    let start = clock.now
    return Task {
      do {
        _ = try await made.value
        return nil
      } catch is UnfitFrame {
        return nil
      } catch {
        return FrameLedger.Entry(
          frame: frame, output: nil, status: .failed, error: known(error, frame), warnings: [],
          seconds: (clock.now - start).inSeconds)
      }
    }
  }

  /// Writes what comes back.
  private func finish(
    _ frame: Frame, _ path: String, _ made: Task<Made, any Error>, after previous: Turn?, _ lost: LostFrames,
    _ observer: Observer
  ) -> Task<FrameLedger.Entry?, Never> {
    let clock = ContinuousClock()
    let start = clock.now
    return Task {
      var warnings: [String] = []
      var failure: SafelightError?
      do {
        let (file, image) = try await made.value
        warnings = file.warnings
        try await codec.run { [compression = options.compression, codec = options.codec] in
          var made = file
          made.image = image
          try made.write(to: path, compression: compression, codec: codec)
          observer.pictures?(frame, file.image, image)
        }
      } catch let unfit as UnfitFrame {
        failure = known(unfit.reason, frame)
      } catch {
        failure = known(error, frame)
      }
      if lost.history > 0 {
        // What became of the frames before it must be known to be told.
        await previous?.settled.value
        warnings += lost.warnings(for: frame)
      }
      return FrameLedger.Entry(
        frame: frame, output: path, status: failure == nil ? .done : .failed, error: failure, warnings: warnings,
        seconds: (clock.now - start).inSeconds)
    }
  }

  private func known(_ error: any Error, _ frame: Frame) -> SafelightError {
    error as? SafelightError ?? SafelightError(.driver, frame.path, why: "\(error)", remedy: "report it")
  }
}

/// Why a frame never came to the device: its file, or a filter that is not defined for it.
private struct UnfitFrame: Error {
  let reason: any Error
}

extension FrameLedger.Entry {
  /// A frame that nothing was done with.
  fileprivate static func unmade(_ frame: Frame, _ path: String, _ status: FrameLedger.Status) -> FrameLedger.Entry {
    FrameLedger.Entry(frame: frame, output: path, status: status, error: nil, warnings: [], seconds: 0)
  }
}

extension FrameSchedule.Step {
  /// The frame and its file, unless it is only remembered.
  fileprivate var work: (Frame, String)? {
    switch self {
    case .make(let frame, let output), .skip(let frame, let output): (frame, output)
    case .remember: nil
    }
  }
}
