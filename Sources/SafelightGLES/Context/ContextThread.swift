internal import CLinux
internal import Dispatch
internal import Glibc
package import SafelightImage
internal import Synchronization

/// An operating-system thread that runs work first in, first out; a device uses one for its whole life.
///
/// It is the `SerialExecutor` of the device thread's actor, so the compiler proves that nothing of the actor runs
/// elsewhere. Work posted as closures keeps its order, unlike the jobs of tasks. All methods may be called from any
/// thread.
package final class ContextThread: SerialExecutor {
  private enum Work {
    case job(UnownedJob)
    case body(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isClosed = false
    /// True if the thread closed itself, so that no other thread joins it.
    var endsAlone = false
    /// True if a piece of work is running.
    var isBusy = false
    /// True if the process is ending, so that no more work starts.
    var isStopped = false
  }

  private let inbox = Mutex(Inbox())
  private let wakeups = DispatchSemaphore(value: 0)
  /// Signaled when the work that was running as the thread was stopped has ended.
  private let stillness = DispatchSemaphore(value: 0)
  /// The `pthread_t` to join.
  private let thread = Atomic<UInt>(0)
  /// The `pthread_self()` of the thread, stored by the thread itself before it runs any work.
  private let identity = Atomic<UInt>(0)
  private let process = getpid()

  /// Starts the thread.
  ///
  /// - Throws: ``SafelightError`` of kind `resources` if the system refuses it.
  package init() throws(SafelightError) {
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
    guard status == 0 else {
      unsafe box.release()
      let reason = unsafe String(cString: strerror(status))
      throw SafelightError(
        .resources, "a thread for the device", why: "the system refused it: \(reason)",
        remedy: "raise the limit on threads (ulimit -u, or pids.max of the control group)")
    }
    self.thread.store(UInt(thread), ordering: .releasing)
    ContextThreads.began(self)
  }

  /// Appends `body` to the thread's work; returns false if the thread is closed or the process has forked since.
  @discardableResult
  package func post(_ body: @escaping @Sendable () -> Void) -> Bool { !isForked && accept(.body(body)) }

  /// Appends work, after which the thread accepts no more if it `isLast`, and wakes the thread; returns false if the
  /// thread is closed, or stopped: then it takes jobs, which would never resume otherwise, but does not run them.
  private func accept(_ work: Work, isLast: Bool = false) -> Bool {
    let accepted = inbox.withLock { inbox -> Bool in
      guard !inbox.isClosed else { return false }
      if case .body = work, inbox.isStopped { return false }
      inbox.work.append(work)
      inbox.isClosed = isLast
      inbox.endsAlone = isLast && isCurrent
      return true
    }
    if accepted { wakeups.signal() }
    return accepted
  }

  /// Runs `body` on the thread and waits for its result; runs it directly if called on the thread. Returns nil if the
  /// thread is closed.
  package func sync<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    if isCurrent { return body() }
    let result = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    let isPosted = post {
      let value = body()
      result.withLock { $0 = value }
      done.signal()
    }
    if isPosted { done.wait() }
    return result.withLock { $0 }
  }

  /// Accepts no more work, runs what was posted before, then `last`, and ends the thread.
  ///
  /// Waits for the thread to end, unless called on the thread itself; the end of the process then waits for it. It
  /// waits for the thread and not just its work, because drivers clean up when a thread exits (pthread_key_create(3)),
  /// which must be over before the process ends.
  package func close(last: @escaping @Sendable () -> Void) {
    guard accept(.body(last), isLast: true), !isForked, !isCurrent else { return }
    pthread_join(pthread_t(self.thread.load(ordering: .acquiring)), nil)
  }

  /// True if the caller runs on the thread.
  package var isCurrent: Bool { identity.load(ordering: .acquiring) == Self.current }

  /// True if the process is a fork of the one that made the thread; threads and contexts do not survive a fork.
  package var isForked: Bool { getpid() != process }

  // MARK: SerialExecutor

  package func enqueue(_ job: consuming ExecutorJob) {
    let isAccepted = accept(.job(UnownedJob(job)))
    // A dropped job would never resume, so this traps.
    trap(
      unless: isAccepted,
      "work was sent to a device after it was closed; keep the Device until its command buffers have completed")
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

  /// Starts no more work, as the process is ending, and waits up to 10 s, once, for the work that is running: a handler
  /// may wait forever.
  func stop() {
    let isAwaited = inbox.withLock { inbox -> Bool in
      defer { inbox.isStopped = true }
      return inbox.isBusy && !inbox.isStopped
    }
    if isAwaited && !isCurrent { _ = stillness.wait(timeout: .now() + 10) }
  }
}

/// The threads on which drivers are called, which must be idle when the process ends.
///
/// `exit` unloads the libraries of a driver. A thread that draws or frees a context meanwhile crashes in them (llvmpipe
/// aborts), for example one that releases a device just after reporting that its last work is done.
package enum ContextThreads {
  private struct State {
    let process = getpid()
    var living: [ObjectIdentifier: ContextThread] = [:]
    /// The threads that nobody joins; drivers clean up when they exit (pthread_key_create(3)).
    var ending: [pthread_t] = []
  }

  private static let state = Mutex(State())
  private static let isProcessEnding = Atomic<Bool>(false)

  /// True if the process is ending. Its context threads are then stopped and no other thread may free their objects, so
  /// these are left to the end of the process.
  static var areStopped: Bool { isProcessEnding.load(ordering: .acquiring) }

  /// The stop of threads on which no driver is called; registered once.
  private static let stopsAtExit: Void = stopAtExit()

  /// Registers a thread that starts.
  static func began(_ thread: ContextThread) {
    stopsAtExit
    withState { $0.living[ObjectIdentifier(thread)] = thread }
  }

  /// Notes that the calling thread does no more work; if `isAlone`, the end of the process joins it.
  static func ended(_ thread: ContextThread, isAlone: Bool) {
    withState { state in
      state.living[ObjectIdentifier(thread)] = nil
      guard isAlone else { return }
      state.ending.removeAll { pthread_tryjoin_np($0, nil) == 0 }
      state.ending.append(pthread_self())
    }
  }

  /// Makes `exit` stop the threads before it unloads the libraries loaded so far: exit handlers run in reverse order
  /// (atexit(3)).
  package static func stopAtExit() { atexit { ContextThreads.stop() } }

  private static func stop() {
    isProcessEnding.store(true, ordering: .releasing)
    for thread in withState({ $0.living.values }) { thread.stop() }
    let ending = withState { state in
      defer { state.ending = [] }
      return state.ending
    }
    for thread in ending { pthread_join(thread, nil) }
  }

  /// Calls `body` with the state of this process; a fork starts without its parent's threads.
  private static func withState<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      if state.process != getpid() { state = State() }
      return body(&state)
    }
  }
}
