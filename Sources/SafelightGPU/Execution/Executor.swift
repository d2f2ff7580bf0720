internal import Dispatch
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Replays recordings one after the other on a thread of its own.
///
/// The actor's executor is that thread, so the compiler proves that a ``CommandExecutor``, and with it every GL call,
/// is used nowhere else. Work arrives as closures, first in, first out. No replay contains an `await`: nothing can
/// come between two commands.
actor Executor {
  nonisolated let thread: ContextThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// Pipelines on their way through a driver's compiler.
  var preparations: [ObjectIdentifier: any PipelinePreparation] = [:]
  var commands: (any CommandExecutor)?
  /// Replays of lanes whose first waits for an event, in order.
  var held: [ObjectIdentifier: [Replay]] = [:]
  /// The replay under way; nil between two, and while handlers of completion run.
  var current: Replay?
  var residents = ResidentSet()
  /// True while an attempt at a new context has failed.
  var needsRebuild = false
  /// Contexts made in the place of lost ones.
  var rebuilds = 0

  private let sharesMemory = Atomic<Bool>(false)
  private let name = Mutex("device")

  private init(thread: ContextThread) { self.thread = thread }

  /// Starts a thread and makes a command executor on it; blocks until that is done.
  nonisolated static func start(
    _ make: @escaping @Sendable (Executor) throws(SafelightError) -> any CommandExecutor
  ) throws(SafelightError) -> (executor: Executor, info: DeviceInfo, capabilities: Capabilities) {
    let executor = Executor(thread: ContextThread())
    let outcome = executor.thread.sync {
      executor.assumeIsolated { $0.open(make) }
    }
    switch outcome {
    case .success(let (info, capabilities)): return (executor, info, capabilities)
    case .failure(let error):
      executor.thread.close {}
      throw error
    case nil: throw closed
    }
  }

  /// Carries `submissions` out after all earlier ones of their lane, one after the other with nothing of other lanes in between; returns
  /// why where the device takes no more work, and tells nobody then.
  nonisolated func submit(_ submissions: Submission...) -> SafelightError? {
    let accepted = thread.post {
      self.assumeIsolated { executor in
        for submission in submissions { executor.accept(Replay(submission)) }
      }
    }
    return accepted ? nil : refusal
  }

  /// Replays `recording` after all earlier work, then calls `completion`: on the executor's thread, or at once where the device takes no
  /// more work.
  nonisolated func replay(
    _ recording: Recording, completion: @escaping @Sendable (Result<ReplayResult, SafelightError>) -> Void
  ) {
    if let refusal = submit(submission(of: recording, completion)) { completion(.failure(refusal)) }
  }

  /// Replays `recording` and waits for it; at once when called from the thread. Where a reset took what `dispensable` held, it finds zeros.
  nonisolated func replay(
    _ recording: Recording, dispensable: Set<ResourceID> = []
  ) throws(SafelightError) -> ReplayResult {
    let outcome = Mutex<Result<ReplayResult, SafelightError>?>(nil)
    let done = DispatchSemaphore(value: 0)
    var submission = submission(of: recording) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    submission.dispensable = dispensable
    if thread.isCurrent {
      assumeIsolated { [submission] in $0.acceptNow(Replay(submission)) }
    } else if let refusal = submit(submission) {
      throw refusal
    } else {
      done.wait()
    }
    guard let result = outcome.withLock({ $0 }) else {
      throw SafelightError(
        .usage, "'\(recording.label)'",
        why: "it waits for an event on the device's own thread, as in a completion handler",
        remedy: "replay it on another thread, or with replayed(_:) in a task")
    }
    return try result.get()
  }

  nonisolated private func submission(
    of recording: Recording, _ completion: @escaping @Sendable (Result<ReplayResult, SafelightError>) -> Void
  ) -> Submission {
    Submission(recording: recording, lane: Lane(), scheduled: {}) { outcome in
      completion(outcome.mapError { recording.locate($0.error, at: $0.command) })
    }
  }

  /// Compiles a pipeline and waits for it.
  nonisolated func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    let outcome = thread.sync { self.assumeIsolated { $0.compile(pipeline) } }
    guard let outcome else { throw refusal }
    try outcome.get()
  }

  /// The device, as messages call it.
  nonisolated var deviceName: String { name.withLock(\.self) }

  /// True when buffers shared with the process need no copy.
  nonisolated var worksInHostMemory: Bool { sharesMemory.load(ordering: .relaxed) }

  /// Gives a buffer memory shared with the process, after all earlier work.
  nonisolated func share(_ buffer: Buffer) throws(SafelightError) {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<Void, SafelightError> in
        do throws(SafelightError) {
          try executor.commands?.share(buffer)
          // No context can lose what lies in memory of the process.
          if executor.commands?.worksInHostMemory == true { executor.residents.release(buffer.lifetime.id) }
          return .success(())
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw refusal }
    try outcome.get()
  }

  /// What is held after all earlier work; nil once closed.
  nonisolated var statistics: DeviceStatistics? {
    thread.sync { self.assumeIsolated { $0.currentStatistics } } ?? nil
  }

  /// Notes that a resource got storage; on the thread.
  nonisolated func settle(_ id: ResourceID) { assumeIsolated { $0.residents.settle(id) } }

  /// Seconds of CPU time for the GL calls of `count` dispatches alone, after all earlier work; nil where there are none.
  nonisolated func bareDispatches(
    _ pipeline: ComputePipelineState, count: Int
  ) throws(SafelightError) -> Double? {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<Double?, SafelightError> in
        do throws(SafelightError) {
          return .success(try executor.commands?.bareDispatches(pipeline, count: count))
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }

  /// Has the context be lost, after all earlier work.
  nonisolated func simulateLoss() {
    thread.post { self.assumeIsolated { $0.commands?.simulateLoss() } }
  }

  /// Frees the storage of a resource, after all earlier work; nothing is left to free once the executor was closed.
  nonisolated func release(_ id: ResourceID) {
    thread.post {
      self.assumeIsolated { executor in
        executor.commands?.release(id)
        executor.residents.release(id)
      }
    }
  }

  /// Makes the storage of a resource zeros, after all earlier work.
  nonisolated func erase(_ id: ResourceID) {
    thread.post {
      self.assumeIsolated { executor in
        executor.commands?.erase(id)
        executor.residents.erased(id)
      }
    }
  }

  /// Waits for all work, frees everything and ends the thread.
  nonisolated func close() {
    thread.close {
      self.assumeIsolated { executor in
        executor.preparations = [:]
        executor.failHeldReplays()
        executor.commands?.close()
        executor.commands = nil
      }
    }
  }

  // MARK: On the thread

  private var currentStatistics: DeviceStatistics? {
    guard var statistics = commands?.statistics else { return nil }
    statistics.heldCommandBuffers = held.values.reduce(0) { $0 + $1.count }
    statistics.rebuiltContexts = rebuilds
    return statistics
  }

  private func open(
    _ make: (Executor) throws(SafelightError) -> any CommandExecutor
  ) -> Result<(DeviceInfo, Capabilities), SafelightError> {
    do throws(SafelightError) {
      let made = try make(self)
      commands = made
      sharesMemory.store(made.worksInHostMemory, ordering: .relaxed)
      name.withLock { $0 = made.info.name }
      return .success((made.info, made.capabilities))
    } catch {
      return .failure(error)
    }
  }

  private func compile(_ pipeline: Pipeline) -> Result<Void, SafelightError> {
    do throws(SafelightError) {
      try commands?.prepare(pipeline)
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Why no more work is taken.
  nonisolated var refusal: SafelightError { thread.isForked ? Self.forked : Self.closed }

  static let closed = SafelightError(
    .usage, "device", why: "it was closed", remedy: "keep the Device until its command buffers completed")

  static let forked = SafelightError(
    .usage, "device", why: "it was opened before fork(), which no graphics driver survives",
    remedy: "open the Device in the child process, or start the child with posix_spawn")
}
