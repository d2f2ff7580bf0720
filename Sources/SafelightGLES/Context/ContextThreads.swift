internal import CLinux
internal import Glibc
internal import Synchronization

/// The threads that a driver is called on, which are still when the process ends.
///
/// `exit` takes the libraries of a driver apart. A thread that draws or frees a context meanwhile crashes in them (llvmpipe aborts), as where
/// it lets go of a device just after it told that the last work was done.
package enum ContextThreads {
  private struct State {
    let process = getpid()
    var living: [ObjectIdentifier: ContextThread] = [:]
    /// Those that nobody else waits for: drivers clean up behind them yet (pthread_key_create(3)).
    var ending: [pthread_t] = []
  }

  private static let state = Mutex(State())
  private static let isProcessEnding = Atomic<Bool>(false)

  /// True once the process ends: what belongs to a context is left to that, since its thread does nothing any more and
  /// no
  /// other may.
  static var areStopped: Bool { isProcessEnding.load(ordering: .acquiring) }

  /// For those that no driver is called on; made once.
  private static let stopsAtExit: Void = stopAtExit()

  /// Notes a thread that begins.
  static func began(_ thread: ContextThread) {
    stopsAtExit
    withState { $0.living[ObjectIdentifier(thread)] = thread }
  }

  /// Notes that `thread`, which calls this, does no more work; where `isAlone`, nobody waits for its end but the process.
  static func ended(_ thread: ContextThread, isAlone: Bool) {
    withState { state in
      state.living[ObjectIdentifier(thread)] = nil
      guard isAlone else { return }
      state.ending.removeAll { pthread_tryjoin_np($0, nil) == 0 }
      state.ending.append(pthread_self())
    }
  }

  /// Has `exit` stop them before it goes on to the libraries that are loaded by now: handlers run in the reverse order (atexit(3)).
  package static func stopAtExit() {
    atexit { ContextThreads.stop() }
  }

  private static func stop() {
    isProcessEnding.store(true, ordering: .releasing)
    for thread in withState({ $0.living.values }) { thread.stop() }
    let ending = withState { state in
      defer { state.ending = [] }
      return state.ending
    }
    for thread in ending { pthread_join(thread, nil) }
  }

  /// The state of this process: a fork begins with none of its parent's threads.
  private static func withState<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      if state.process != getpid() { state = State() }
      return body(&state)
    }
  }
}
