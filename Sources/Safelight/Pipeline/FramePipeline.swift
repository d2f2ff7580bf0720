public import SafelightFrames
public import SafelightImage
internal import Synchronization

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
  /// A frame that cannot be read ends what later ones depend on.
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
    var previous: Task<Void, Never>?

    func end(_ entry: FrameLedger.Entry?) {
      guard let entry else { return }
      ledger.entries.append(entry)
      if entry.status == .failed { hasFailed = true }
      observer.frameEnded(entry)
    }

    let history = processor.chain.history
    // Without a history nothing depends on what is there, and it is looked at when a frame's turn comes.
    let schedule = FrameSchedule(work, of: sequence, history: history) { history > 0 && isSkipped($0) }
    let unread = UnreadFrames(history: history)
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
      let (task, turn) = begin(step, after: previous, unread, observer: observer)
      onTheWay.append(task)
      previous = turn
    }
    while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }

  private func isSkipped(_ path: String) -> Bool { options.existing == .skip && fileExists(path) }

  /// Starts the way of one frame; the second task ends when the device has its commands.
  private func begin(
    _ step: FrameSchedule.Step, after previous: Task<Void, Never>?, _ unread: UnreadFrames, observer: Observer
  ) -> (Task<FrameLedger.Entry?, Never>, Task<Void, Never>) {
    switch step {
    case .remember(let frame):
      let submission = submit(frame, after: previous)
      let turn = Task {
        do { _ = try await submission.value } catch { unread.add(frame, error) }
      }
      let task = Task { () -> FrameLedger.Entry? in
        await turn.value
        do { _ = try await submission.value.submitted.finished() } catch { unread.add(frame, error) }
        return nil
      }
      return (task, turn)
    case .skip(let frame, let path): return (Task { .unmade(frame, path, .skipped) }, previous ?? Task {})
    case .make(let frame, let path):
      if unread.history == 0 && isSkipped(path) {
        return (Task { .unmade(frame, path, .skipped) }, previous ?? Task {})
      }
      let submission = submit(frame, after: previous)
      return (finish(frame, path, submission, unread, observer), Task { _ = await submission.result })
    }
  }

  /// Reads a frame and hands it to the device, once those before it were.
  private func submit(
    _ frame: Frame, after previous: Task<Void, Never>?
  ) -> Task<(file: PNGFile, submitted: FrameProcessor.Submission), any Error> {
    Task {
      let file: Result<PNGFile, any Error>
      do {
        file = .success(
          try await codec.run { [limits = options.limits] in try PNGFile(reading: frame.path, limits: limits) })
      } catch {
        file = .failure(error)
      }
      await previous?.value
      if case .failure = file { processor.chain.reset() }
      let decoded = try file.get()
      return (decoded, try processor.submit(decoded.image, label: frame.path))
    }
  }

  /// Writes what comes back.
  private func finish(
    _ frame: Frame, _ path: String,
    _ submission: Task<(file: PNGFile, submitted: FrameProcessor.Submission), any Error>, _ unread: UnreadFrames,
    _ observer: Observer
  ) -> Task<FrameLedger.Entry?, Never> {
    let clock = ContinuousClock()
    let start = clock.now
    return Task {
      var warnings: [String] = []
      var failure: SafelightError?
      do {
        let (file, submitted) = try await submission.value
        warnings = file.warnings + unread.warnings(for: frame)
        let image = try await submitted.finished()
        try await codec.run { [compression = options.compression] in
          var made = file
          made.image = image
          try made.write(to: path, compression: compression)
          observer.pictures?(frame, file.image, image)
        }
      } catch let error as SafelightError {
        failure = error
      } catch {
        failure = SafelightError(.driver, frame.path, why: "\(error)", remedy: "report it")
      }
      return FrameLedger.Entry(
        frame: frame, output: path, status: failure == nil ? .done : .failed, error: failure, warnings: warnings,
        seconds: (clock.now - start).inSeconds)
    }
  }
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

/// Frames that were to be remembered and could not be read.
private final class UnreadFrames: Sendable {
  let history: Int
  private let errors = Mutex<[Int: String]>([:])

  init(history: Int) { self.history = history }

  func add(_ frame: Frame, _ error: any Error) { errors.withLock { $0[frame.index] = "\(error)" } }

  /// What the result of `frame` lacks.
  func warnings(for frame: Frame) -> [String] {
    errors.withLock { errors in
      (max(0, frame.index - history)..<frame.index).compactMap { errors[$0] }.map {
        "a frame before it, on which it depends, is left out: \($0)"
      }
    }
  }
}
