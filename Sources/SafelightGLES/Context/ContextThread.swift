internal import CLinux
internal import Dispatch
internal import Glibc
internal import SafelightImage
internal import Synchronization

/// One operating-system thread that runs work first in, first out; a DeviceThread lives on it for its whole
/// life.
///
/// It is the `SerialExecutor` of that executor's actor, so the compiler proves that nothing of the actor runs
/// elsewhere. Work posted as closures keeps its order, which jobs of tasks need not.
package final class ContextThread: SerialExecutor {
  private enum Work {
    case job(UnownedJob)
    case body(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isClosed = false
    /// True where it was closed from the thread itself, which nobody waits for then.
    var endsAlone = false
    /// True while it runs work.
    var isBusy = false
    /// True once the process ends: nothing begins any more.
    var isStopped = false
  }

  private let inbox = Mutex(Inbox())
  private let wakeups = DispatchSemaphore(value: 0)
  /// Signalled where it was busy as it was stopped, and is no longer.
  private let stillness = DispatchSemaphore(value: 0)
  /// The thread, to wait for; a `pthread_t`.
  private let thread = Atomic<UInt>(0)
  /// The thread's identity, written by the thread itself before it runs any work.
  private let identity = Atomic<UInt>(0)
  private let process = getpid()

  /// Starts the thread.
  package init() {
    let box = unsafe Unmanaged.passRetained(self)
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<ContextThread>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, box.toOpaque())
    trap(unless: status == 0, "the system refused a thread (error \(status)); raise the limit on threads (ulimit -u)")
    self.thread.store(UInt(thread), ordering: .releasing)
    ContextThreads.began(self)
  }

  /// Appends `body` to the work of the thread; false when the thread was closed or the process was forked since.
  @discardableResult
  package func post(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard !isForked else { return false }
    let accepted = inbox.withLock { inbox -> Bool in
      guard !inbox.isClosed && !inbox.isStopped else { return false }
      inbox.work.append(.body(body))
      return true
    }
    if accepted { wakeups.signal() }
    return accepted
  }

  /// Runs `body` on the thread and waits for its result; runs it at once when called from the thread. Nil when closed.
  package func sync<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    if isCurrent { return body() }
    let box = ResultBox<Value>()
    guard post({ box.finish(body()) }) else { return nil }
    return box.wait()
  }

  /// Accepts no more work, runs what was posted before, then `last`, and ends the thread.
  ///
  /// Waits for the end unless called from the thread itself, where the end of the process waits: that of the thread and not of its work, for
  /// drivers clean up behind a thread (pthread_key_create(3)), which must be over when the process ends.
  package func close(last: @escaping @Sendable () -> Void) {
    let accepted = inbox.withLock { inbox -> Bool in
      guard !inbox.isClosed && !inbox.isStopped else { return false }
      inbox.work.append(.body(last))
      inbox.isClosed = true
      inbox.endsAlone = isCurrent
      return true
    }
    guard accepted else { return }
    wakeups.signal()
    if isForked || isCurrent { return }
    pthread_join(pthread_t(self.thread.load(ordering: .acquiring)), nil)
  }

  /// True on the thread itself.
  package var isCurrent: Bool { identity.load(ordering: .acquiring) == Self.current }

  /// True when the process is a fork of the one that made the thread: threads and contexts do not survive it.
  package var isForked: Bool { getpid() != process }

  // MARK: SerialExecutor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job that is dropped never resumes: refuse loudly.
    let accepted = inbox.withLock { inbox -> Bool in
      guard !inbox.isClosed else { return false }
      inbox.work.append(.job(job))
      return true
    }
    trap(unless: accepted, "work was sent to a device after it was closed; keep the Device until its buffers completed")
    wakeups.signal()
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  package func checkIsolated() {
    trap(unless: isCurrent, "GL was called off its context thread; record a command instead")
  }

  // MARK: The loop

  private static var current: UInt { UInt(pthread_self()) }

  private func run() {
    identity.store(Self.current, ordering: .releasing)
    while true {
      wakeups.wait()
      let (work, isLast) = inbox.withLock { inbox -> (Work?, Bool) in
        guard !inbox.isStopped else { return (nil, false) }
        guard !inbox.work.isEmpty else { return (nil, inbox.isClosed) }
        let first = inbox.work.removeFirst()
        inbox.isBusy = true
        return (first, inbox.isClosed && inbox.work.isEmpty)
      }
      switch work {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .body(let body): body()
      case nil: break
      }
      let (isAwaited, endsAlone) = inbox.withLock { inbox -> (Bool, Bool) in
        defer { inbox.isBusy = false }
        return (inbox.isBusy && inbox.isStopped, inbox.endsAlone)
      }
      if isLast { ContextThreads.ended(self, isAlone: endsAlone) }
      if isAwaited { stillness.signal() }
      if isLast { break }
    }
  }

  /// Begins no more work, as the process ends, and waits a while for what is under way, once: a handler may wait for ever.
  func stop() {
    let isAwaited = inbox.withLock { inbox -> Bool in
      defer { inbox.isStopped = true }
      return inbox.isBusy && !inbox.isStopped
    }
    if isAwaited && !isCurrent { _ = stillness.wait(timeout: .now() + 10) }
  }
}

/// The place where a caller waits for a value made on another thread.
private final class ResultBox<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func finish(_ value: Value) {
    result.withLock { $0 = value }
    done.signal()
  }

  func wait() -> Value? {
    done.wait()
    return result.withLock { $0 }
  }
}

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
