internal import Dispatch
internal import SafelightFrames
internal import Synchronization

/// Lets the frames of a run through one after the other, in the order of their turns.
///
/// A frame waits for its turn, does what must be done in order, and passes. A frame with nothing to do passes without
/// waiting; passing twice has no further effect.
final class FrameGate: Sendable {
  private struct State {
    /// The first turn that has not passed.
    var next = 0
    /// Later turns that have passed.
    var passed: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The first turn after which the gate is closed.
    var lastOpen = Int.max
  }

  private let state = Mutex(State())

  /// Waits until all turns before `turn` have passed; returns false if one of them closed the gate.
  @discardableResult func wait(for turn: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let isNext = state.withLock { state in
        if state.next < turn { state.waiting[turn] = continuation }
        return state.next >= turn
      }
      if isNext { continuation.resume() }
    }
    return state.withLock { $0.lastOpen >= turn }
  }

  /// Lets the turns after `turn` in, or closes the gate to them.
  func pass(_ turn: Int, closing: Bool = false) {
    let waiting = state.withLock { state in
      if closing { state.lastOpen = min(state.lastOpen, turn) }
      if turn >= state.next { state.passed.insert(turn) }
      while state.passed.remove(state.next) != nil { state.next += 1 }
      let turns = state.waiting.keys.filter { $0 <= state.next }
      return turns.compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// The frames whose results are missing from those of later frames that depend on them.
final class LostFrames: Sendable {
  /// The number of frames before its own that a result depends on.
  let history: Int

  /// The index of the last frame whose commands were recorded, and the losses.
  private let state = Mutex<(last: Int, losses: [(affected: Range<Int>, why: String)])>((0, []))

  init(history: Int) { self.history = history }

  /// Notes that the commands of `frame` are about to be recorded.
  func begin(_ frame: Frame) { state.withLock { $0.last = frame.index } }

  /// Notes that `frame` failed and that the filters were reset: frames recorded until then lack this frame, and later
  /// frames lack those.
  func add(_ frame: Frame, _ error: any Error) {
    guard history > 0 else { return }
    state.withLock { state in
      let next = frame.index + 1
      state.losses.append((next..<max(next, state.last + 1) + history, "\(error)"))
    }
  }

  /// Returns warnings that name the frames missing from the result of `frame`.
  func warnings(for frame: Frame) -> [String] {
    state.withLock { state in
      state.losses.filter { $0.affected.contains(frame.index) }.map {
        "an earlier frame, on which it depends, is missing: \($0.why)"
      }
    }
  }
}

/// Threads for reading, decoding, encoding and writing, so that files do not block the threads of Swift's tasks.
///
/// The oldest frame is served first: finishing frames before beginning others brings results early and keeps memory
/// small.
package final class CodecPool: Sendable {
  private struct Work: Sendable {
    let frame: Int
    let run: @Sendable () -> Void
  }

  private let queue = DispatchQueue(label: "safelight.codec", attributes: .concurrent)
  private let state: Mutex<(idle: Int, waiting: [Work])>

  /// Makes a pool that does `jobs` pieces of work at a time.
  package init(jobs: Int) { state = Mutex((jobs, [])) }

  /// The number of pieces of work that no thread has begun.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `work` for the frame with this index on a thread of the pool.
  package func run<Value: Sendable, Failure: Error>(
    for frame: Int, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await withCheckedContinuation { continuation in
      begin(Work(frame: frame) { continuation.resume(returning: Result(catching: work)) })
    }.get()
  }

  private func begin(_ work: Work) {
    let isFree = state.withLock { state in
      state.waiting.append(work)
      defer { state.idle = max(0, state.idle - 1) }
      return state.idle > 0
    }
    if isFree { queue.async { [self] in while let work = next() { work.run() } } }
  }

  /// Removes and returns the oldest frame's first work; if nothing waits, gives the thread back.
  private func next() -> Work? {
    state.withLock { state in
      guard let oldest = state.waiting.indices.min(by: { state.waiting[$0].frame < state.waiting[$1].frame }) else {
        state.idle += 1
        return nil
      }
      return state.waiting.remove(at: oldest)
    }
  }
}
