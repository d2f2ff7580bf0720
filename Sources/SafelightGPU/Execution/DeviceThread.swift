internal import Dispatch
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Replays recordings one after the other on a thread of its own.
///
/// The actor's executor is that thread, so the compiler proves that a ``Backend``, and with it every GL call,
/// is used nowhere else. Work arrives as closures, first in, first out. No replay contains an `await`: nothing can
/// come between two commands.
actor DeviceThread {
  nonisolated let contextThread: ContextThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe contextThread.asUnownedSerialExecutor() }

  /// Pipelines on their way through a driver's compiler.
  var preparations: [ObjectIdentifier: any PipelinePreparation] = [:]
  var backend: (any Backend)?
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

  private init(contextThread: ContextThread) { self.contextThread = contextThread }

  /// Starts a thread and makes a backend on it; blocks until that is done.
  nonisolated static func start(
    _ make: @escaping @Sendable (DeviceThread) throws(SafelightError) -> any Backend
  ) throws(SafelightError) -> (thread: DeviceThread, info: DeviceInfo, capabilities: Capabilities) {
    let thread = DeviceThread(contextThread: ContextThread())
    let outcome = thread.contextThread.sync {
      thread.assumeIsolated { $0.open(make) }
    }
    switch outcome {
    case .success(let (info, capabilities)): return (thread, info, capabilities)
    case .failure(let error):
      thread.contextThread.close {}
      throw error
    case nil: throw closed
    }
  }

  /// Carries `submissions` out after all earlier ones of their lane, one after the other with nothing of other lanes in between; returns
  /// why where the device takes no more work, and tells nobody then.
  nonisolated func submit(_ submissions: Submission...) -> SafelightError? {
    let accepted = contextThread.post {
      self.assumeIsolated { thread in
        for submission in submissions { thread.accept(Replay(submission)) }
      }
    }
    return accepted ? nil : refusal
  }

  /// Replays `recording` after all earlier work, then calls `completion`: on the device's thread, or at once where the device takes no
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
    if contextThread.isCurrent {
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
    let outcome = contextThread.sync { self.assumeIsolated { $0.compile(pipeline) } }
    guard let outcome else { throw refusal }
    try outcome.get()
  }

  /// The device, as messages call it.
  nonisolated var deviceName: String { name.withLock(\.self) }

  /// True when buffers shared with the process need no copy.
  nonisolated var worksInHostMemory: Bool { sharesMemory.load(ordering: .relaxed) }

  /// Gives a buffer memory shared with the process, after all earlier work.
  nonisolated func share(_ buffer: Buffer) throws(SafelightError) {
    let outcome = contextThread.sync {
      self.assumeIsolated { thread -> Result<Void, SafelightError> in
        do throws(SafelightError) {
          try thread.backend?.share(buffer)
          // No context can lose what lies in memory of the process.
          if thread.backend?.worksInHostMemory == true { thread.residents.release(buffer.lifetime.id) }
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
    contextThread.sync { self.assumeIsolated { $0.currentStatistics } } ?? nil
  }

  /// Notes that a resource got storage; on the thread.
  nonisolated func settle(_ id: ResourceID) { assumeIsolated { $0.residents.settle(id) } }

  /// Seconds of CPU time for the GL calls of `count` dispatches alone, after all earlier work; nil where there are none.
  nonisolated func bareDispatches(
    _ pipeline: ComputePipelineState, count: Int
  ) throws(SafelightError) -> Double? {
    let outcome = contextThread.sync {
      self.assumeIsolated { thread -> Result<Double?, SafelightError> in
        do throws(SafelightError) {
          return .success(try thread.backend?.bareDispatches(pipeline, count: count))
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
    contextThread.post { self.assumeIsolated { $0.backend?.simulateLoss() } }
  }

  /// Frees the storage of a resource, after all earlier work; nothing is left to free once the device was closed.
  nonisolated func release(_ id: ResourceID) {
    contextThread.post {
      self.assumeIsolated { thread in
        thread.backend?.release(id)
        thread.residents.release(id)
      }
    }
  }

  /// Makes the storage of a resource zeros, after all earlier work.
  nonisolated func erase(_ id: ResourceID) {
    contextThread.post {
      self.assumeIsolated { thread in
        thread.backend?.erase(id)
        thread.residents.erased(id)
      }
    }
  }

  /// Waits for all work, frees everything and ends the thread.
  nonisolated func close() {
    contextThread.close {
      self.assumeIsolated { thread in
        thread.preparations = [:]
        thread.failHeldReplays()
        thread.backend?.close()
        thread.backend = nil
      }
    }
  }

  // MARK: On the thread

  private var currentStatistics: DeviceStatistics? {
    guard var statistics = backend?.statistics else { return nil }
    statistics.heldCommandBuffers = held.values.reduce(0) { $0 + $1.count }
    statistics.rebuiltContexts = rebuilds
    return statistics
  }

  private func open(
    _ make: (DeviceThread) throws(SafelightError) -> any Backend
  ) -> Result<(DeviceInfo, Capabilities), SafelightError> {
    do throws(SafelightError) {
      let made = try make(self)
      backend = made
      sharesMemory.store(made.worksInHostMemory, ordering: .relaxed)
      name.withLock { $0 = made.info.name }
      return .success((made.info, made.capabilities))
    } catch {
      return .failure(error)
    }
  }

  private func compile(_ pipeline: Pipeline) -> Result<Void, SafelightError> {
    do throws(SafelightError) {
      try backend?.prepare(pipeline)
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Why no more work is taken.
  nonisolated var refusal: SafelightError { contextThread.isForked ? Self.forked : Self.closed }

  static let closed = SafelightError(
    .usage, "device", why: "it was closed", remedy: "keep the Device until its command buffers completed")

  static let forked = SafelightError(
    .usage, "device", why: "it was opened before fork(), which no graphics driver survives",
    remedy: "open the Device in the child process, or start the child with posix_spawn")
}

extension DeviceThread {
  /// Compiles a pipeline while other work goes on where the driver can; `completion` is called once, on the device's thread
  /// or, where the device takes no more work, on another.
  nonisolated func prepare(
    _ pipeline: Pipeline, completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void
  ) {
    post(completion) { $0.begin(pipeline, completion) }
  }

  private nonisolated func post(
    _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void,
    _ body: @escaping @Sendable (isolated DeviceThread) -> Void
  ) {
    let accepted = contextThread.post { self.assumeIsolated { body($0) } }
    if !accepted { completion(.failure(contextThread.isForked ? Self.forked : Self.closed)) }
  }

  private func begin(_ pipeline: Pipeline, _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void) {
    do throws(SafelightError) {
      guard let preparation = try backend?.beginCompiling(pipeline) else { return completion(.success(())) }
      preparations[ObjectIdentifier(preparation)] = preparation
      advance(ObjectIdentifier(preparation), pipeline, completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Asks the driver, and again a little later while it is busy: work that came in between goes first.
  private func advance(
    _ id: ObjectIdentifier, _ pipeline: Pipeline,
    _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void
  ) {
    do throws(SafelightError) {
      guard let preparation = preparations[id] else {
        // A lost context has taken it along.
        return backend == nil ? completion(.failure(Self.closed)) : begin(pipeline, completion)
      }
      guard try preparation.advance() else {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
          self.post(completion) { $0.advance(id, pipeline, completion) }
        }
        return
      }
      preparations[id] = nil
      completion(.success(()))
    } catch {
      preparations[id] = nil
      completion(.failure(error))
    }
  }
}

/// What a device says of memory that it shares with others.
extension DeviceThread {
  /// Makes the storage of a texture over shared memory, after all earlier work; returns why it is a copy.
  nonisolated func adopt(_ texture: Texture) throws(SafelightError) -> SafelightError? {
    let outcome = contextThread.sync {
      self.assumeIsolated { thread -> Result<SafelightError?, SafelightError> in
        do throws(SafelightError) {
          let reason = try thread.backend?.copyReason(of: texture)
          texture.copyReason = reason ?? nil
          return .success(reason ?? nil)
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }

  /// Shares the memory of a texture, after all earlier work.
  nonisolated func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    let outcome = contextThread.sync {
      self.assumeIsolated { thread -> Result<DMABuffer, SafelightError> in
        guard let backend = thread.backend else { return .failure(Self.closed) }
        return Result { () throws(SafelightError) in try backend.exportChecked(texture) }
      }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }
}
