public import SafelightFrames
public import SafelightImage
internal import Synchronization

/// What became of every frame of a run; each has exactly one line, and one more where it was remembered and that failed.
public struct FrameLedger: Sendable {
  /// How a frame ended.
  public enum Status: String, Sendable {
    /// Its output is there.
    case done
    /// Its output was there already.
    case skipped
    /// It was begun and could not be finished.
    case failed
    /// It was never begun, because the run was stopped or had failed before.
    case untouched
  }

  /// The line of one frame.
  public struct Entry: Sendable {
    /// The frame.
    public let frame: Frame
    /// The file it goes to; nil where it was only to be remembered for later ones, and could not be.
    public let output: String?
    /// How it ended.
    public let status: Status
    /// Why it failed.
    public let error: SafelightError?
    /// What was odd about its file.
    public let warnings: [String]
    /// Seconds from its first byte read to its last byte written.
    public let seconds: Double
  }

  /// The lines, in the order of the frames.
  public internal(set) var entries: [Entry] = []
  /// True when the run was stopped by request before its end.
  public internal(set) var isInterrupted = false
  /// Seconds that the whole run took.
  public internal(set) var seconds: Double = 0

  /// Makes an empty one.
  public init() {}

  /// Adds the lines of a run that came behind this one.
  public mutating func append(_ next: FrameLedger) {
    entries += next.entries
    isInterrupted = isInterrupted || next.isInterrupted
    seconds += next.seconds
  }

  /// Adds a line for a film or a picture at `path` that could not be opened, or without an error was not begun, and returns it; `output` is
  /// the file that a picture would have become.
  @discardableResult public mutating func append(
    unopened path: String, output: String? = nil, _ error: SafelightError? = nil
  ) -> Entry {
    let frame = Frame(index: nextIndex, number: 1, path: path)
    let entry = Entry(
      frame: frame, output: output, status: error == nil ? .untouched : .failed, error: error, warnings: [], seconds: 0)
    entries.append(entry)
    return entry
  }

  /// Notes that the run was stopped before its end.
  public mutating func interrupt() { isInterrupted = true }

  /// The index behind that of the last frame.
  public var nextIndex: Int { (entries.map(\.frame.index).max() ?? -1) + 1 }

  /// How many frames ended so.
  public func count(_ status: Status) -> Int { entries.count { $0.status == status } }

  /// How many frames were to be made: all but those that were there, and those only to be remembered.
  public var wantedCount: Int { entries.count { $0.output != nil && $0.status != .skipped } }

  /// The same where the film that the frames went to was not finished: those that were done have failed, with `error`.
  public func withoutFilm(_ error: SafelightError) -> FrameLedger {
    var ledger = self
    ledger.entries = entries.map { entry in
      let isDone = entry.status == .done
      return Entry(
        frame: entry.frame, output: entry.output, status: isDone ? .failed : entry.status,
        error: isDone ? error : entry.error,
        warnings: entry.warnings, seconds: entry.seconds)
    }
    return ledger
  }

  /// The errors, in the order of the frames.
  public var errors: [SafelightError] { entries.compactMap(\.error) }
}

/// Frames that left nothing behind for those that depend on them.
final class LostFrames: Sendable {
  /// How many frames before its own a result depends on.
  let history: Int

  private struct State {
    /// The last frame whose commands were recorded.
    var last = 0
    var losses: [(affected: Range<Int>, why: String)] = []
  }

  private let state = Mutex(State())

  init(history: Int) { self.history = history }

  /// To be called before the commands of a frame are recorded.
  func begin(_ frame: Frame) { state.withLock { $0.last = frame.index } }

  /// To be called when the filters have been reset. Frames that were recorded until then go without this one, and those
  /// behind them without them.
  func add(_ frame: Frame, _ error: any Error) {
    guard history > 0 else { return }
    state.withLock { state in
      let next = frame.index + 1
      state.losses.append((next..<max(next, state.last + 1) + history, "\(error)"))
    }
  }

  /// What the result of `frame` lacks.
  func warnings(for frame: Frame) -> [String] {
    state.withLock { state in
      state.losses.filter { $0.affected.contains(frame.index) }.map {
        "a frame before it, on which it depends, is left out: \($0.why)"
      }
    }
  }
}

/// Asks a run to take no new frames and finish those on the way.
public final class StopRequest: Sendable {
  private let state = Mutex<(isMade: Bool, listeners: [@Sendable () -> Void])>((false, []))

  /// Makes a request that nobody has made yet.
  public init() {}

  /// True once ``make()`` was called.
  public var isMade: Bool { state.withLock { $0.isMade } }

  /// Asks; may be called from any thread, and again.
  public func make() {
    let listeners = state.withLock { state in
      defer { state = (true, []) }
      return state.listeners
    }
    listeners.forEach { $0() }
  }

  /// Runs `listener` when the request is made, on the thread that makes it; at once where it was.
  public func whenMade(_ listener: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      if !state.isMade { state.listeners.append(listener) }
      return state.isMade
    }
    if isMade { listener() }
  }
}
