internal import Dispatch
internal import Synchronization

/// Threads for decoding and encoding, apart from those of Swift's tasks, which must not be blocked by files.
///
/// The oldest frame is served first: what is nearly done is finished before more is begun, so that frames come out early and few are in
/// memory.
package final class CodecPool: Sendable {
  private struct Work: Sendable {
    let frame: Int
    let run: @Sendable () -> Void
  }

  private struct State {
    var idle: Int
    var waiting: [Work] = []
  }

  private let queue = DispatchQueue(label: "safelight.codec", attributes: .concurrent)
  private let state: Mutex<State>

  /// Does `jobs` pieces of work at a time.
  package init(jobs: Int) { state = Mutex(State(idle: jobs)) }

  /// Pieces of work that no thread has begun.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `work` for the frame of this number on a thread of the pool.
  package func run<Value: Sendable>(
    for frame: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      begin(Work(frame: frame) { continuation.resume(with: Result { try work() }) })
    }
  }

  /// The same for work that cannot fail.
  package func run<Value: Sendable>(for frame: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      begin(Work(frame: frame) { continuation.resume(returning: work()) })
    }
  }

  private func begin(_ work: Work) {
    let isFree = state.withLock { state in
      state.waiting.append(work)
      defer { state.idle = max(0, state.idle - 1) }
      return state.idle > 0
    }
    if isFree { queue.async { [self] in workUntilDone() } }
  }

  /// One of the jobs: works as long as something waits.
  private func workUntilDone() {
    while let work = next() { work.run() }
  }

  /// The work for the oldest frame; of two for one frame, the first. Without any, the thread is given back.
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
