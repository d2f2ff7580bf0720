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
  /// Failures of single frames are lines of the ledger; throws only what keeps the run from beginning.
  public func run(
    _ work: [(frame: Frame, output: String)], stop: StopRequest = StopRequest(), observer: Observer = Observer()
  ) async throws -> FrameLedger {
    if options.existing == .fail, let path = work.map(\.output).first(where: fileExists) {
      throw SafelightError(
        .output, path, why: "it exists", remedy: "choose another output, or --existing overwrite or skip")
    }
    let clock = ContinuousClock()
    let start = clock.now
    var ledger = FrameLedger()
    var onTheWay: [Task<FrameLedger.Entry, Never>] = []
    var hasFailed = false
    // The device's stage begins in the order of the frames: each waits for the one before it.
    var previous: Task<Void, Never>?

    func end(_ entry: FrameLedger.Entry) {
      ledger.entries.append(entry)
      if entry.status == .failed { hasFailed = true }
      observer.frameEnded(entry)
    }

    for (frame, path) in work {
      if onTheWay.count == options.inFlight { end(await onTheWay.removeFirst().value) }
      if stop.isMade { ledger.isInterrupted = true }
      if ledger.isInterrupted || (hasFailed && !options.keepsGoing) {
        // Those on the way are before it in the order of the ledger.
        while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
        ledger.entries.append(
          FrameLedger.Entry(
            frame: frame, output: path, status: .untouched, error: nil, warnings: [], seconds: 0))
        continue
      }
      let (task, turn) = begin(frame, path, after: previous, observer: observer)
      onTheWay.append(task)
      previous = turn
    }
    while !onTheWay.isEmpty { end(await onTheWay.removeFirst().value) }
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }

  /// Starts the way of one frame; the second task ends when the device has its commands.
  private func begin(
    _ frame: Frame, _ path: String, after previous: Task<Void, Never>?, observer: Observer
  ) -> (Task<FrameLedger.Entry, Never>, Task<Void, Never>) {
    let clock = ContinuousClock()
    let start = clock.now
    if options.existing == .skip && fileExists(path) {
      let entry = FrameLedger.Entry(
        frame: frame, output: path, status: .skipped, error: nil, warnings: [], seconds: 0)
      return (Task { entry }, previous ?? Task {})
    }
    let submission = Task { () throws -> (PNGFile, FrameProcessor.Submission) in
      let file: Result<PNGFile, any Error>
      do {
        file = .success(
          try await codec.run { [limits = options.limits] in try PNGFile(reading: frame.path, limits: limits) })
      } catch {
        file = .failure(error)
      }
      await previous?.value
      let decoded = try file.get()
      return (decoded, try processor.submit(decoded.image, label: frame.path))
    }
    let turn = Task { _ = await submission.result }
    let entry = Task { () -> FrameLedger.Entry in
      var warnings: [String] = []
      var failure: SafelightError?
      do {
        let (file, submitted) = try await submission.value
        warnings = file.warnings
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
    return (entry, turn)
  }
}
