public import SafelightFrames
public import SafelightImage
internal import Synchronization

/// The outcome of a run: an entry for each frame to be made, and one for each frame that could not be remembered.
public struct FrameLedger: Sendable {
  /// The ways in which a frame ends.
  public enum Status: String, Sendable {
    /// Its output was written.
    case done
    /// Its output existed and was kept.
    case skipped
    /// It was begun and could not be finished.
    case failed
    /// It was never begun, because the run was stopped or had failed before.
    case untouched
  }

  /// The outcome of one frame.
  public struct Entry: Sendable {
    /// The frame.
    public let frame: Frame
    /// The place it is written to; nil if it was only to be remembered for later frames, and could not be.
    public let output: String?
    /// The way in which it ended.
    public internal(set) var status: Status
    /// The error that made it fail.
    public internal(set) var error: SafelightError?
    /// Warnings about its file and its result, one sentence each.
    public internal(set) var warnings: [String] = []
    /// Seconds from its first byte read to its last byte written.
    public internal(set) var seconds: Double = 0

    init(_ frame: Frame, output: String?, _ status: Status, _ error: SafelightError? = nil) {
      self.frame = frame
      self.output = output
      self.status = status
      self.error = error
    }
  }

  /// The entries, in the order of the frames.
  public internal(set) var entries: [Entry] = []
  /// True if a request stopped the run before its end.
  public var isInterrupted = false
  /// Seconds that the whole run took.
  public internal(set) var seconds: Double = 0

  /// Makes an empty ledger.
  public init() {}

  /// Appends the entries of a run that followed this one.
  public mutating func append(_ next: FrameLedger) {
    entries += next.entries
    isInterrupted = isInterrupted || next.isInterrupted
    seconds += next.seconds
  }

  /// Appends and returns an entry for a film or a picture at `path` that could not be opened because of `error`, or, if
  /// that is nil, was not begun; `output` is the file that a picture would have become.
  @discardableResult public mutating func append(
    unopened path: String, output: String? = nil, _ error: SafelightError? = nil
  ) -> Entry {
    let frame = Frame(index: nextIndex, number: 1, path: path)
    let entry = Entry(frame, output: output, error == nil ? .untouched : .failed, error)
    entries.append(entry)
    return entry
  }

  /// The index after the last frame's.
  public var nextIndex: Int { (entries.map(\.frame.index).max() ?? -1) + 1 }

  /// Returns the number of frames that ended with `status`.
  public func count(_ status: Status) -> Int { entries.count { $0.status == status } }

  /// The number of frames that were to be made: all but those that were kept or only to be remembered.
  public var wantedCount: Int { entries.count { $0.output != nil && $0.status != .skipped } }

  /// Returns the ledger of a run whose film was not finished because of `error`: the frames that were done have failed.
  public func withoutFilm(_ error: SafelightError) -> FrameLedger {
    var ledger = self
    for index in entries.indices where entries[index].status == .done {
      (ledger.entries[index].status, ledger.entries[index].error) = (.failed, error)
    }
    return ledger
  }

  /// The errors, in the order of the frames.
  public var errors: [SafelightError] { entries.compactMap(\.error) }
}

/// A request that a run begin no more frames and finish those in flight. Canceling the task of a run is one, too.
public final class StopRequest: Sendable {
  private let state = Mutex<(isMade: Bool, listeners: [@Sendable () -> Void])>((false, []))

  /// Makes a request that nobody has made yet.
  public init() {}

  /// True once ``make()`` has been called.
  public var isMade: Bool { state.withLock { $0.isMade } }

  /// True if the run of the calling task must stop: because of this request, or because the task is canceled.
  var holdsHere: Bool { isMade || Task.isCancelled }

  /// Makes the request; may be called from any thread, and again.
  public func make() {
    let listeners = state.withLock { state in
      defer { state = (true, []) }
      return state.listeners
    }
    listeners.forEach { $0() }
  }

  /// Runs `listener` when the request is made, on the thread that makes it; at once if it has been made.
  public func whenMade(_ listener: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      if !state.isMade { state.listeners.append(listener) }
      return state.isMade
    }
    if isMade { listener() }
  }
}
