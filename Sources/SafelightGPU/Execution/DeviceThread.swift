internal import Dispatch
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Owns a device: replays recordings one after the other on a thread of its own.
///
/// The actor's executor is that thread, so the compiler proves that a ``Backend``, and with it every GL call, is used
/// nowhere else. Work arrives as closures and runs in order of arrival. No replay contains an `await`, so nothing can
/// come between two commands.
actor DeviceThread {
  nonisolated let contextThread: ContextThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe contextThread.asUnownedSerialExecutor() }

  var backend: (any Backend)?
  /// Replays of the timelines whose first one waits for an event, in order.
  var held: [ObjectIdentifier: [Replay]] = [:]
  /// The current replay; nil between two, and while completion handlers run.
  var current: Replay?
  var residents = ResidentSet()
  /// True after a failed attempt to make a new context.
  var needsRebuild = false
  var rebuilds = 0

  private let info = Mutex<DeviceInfo?>(nil)

  private init() throws(SafelightError) { contextThread = try ContextThread() }

  /// Starts a thread and makes a backend on it; blocks until that is done.
  nonisolated static func start(
    _ make: @escaping @Sendable (DeviceThread) throws(SafelightError) -> any Backend
  ) throws(SafelightError) -> Device.Started {
    let thread = try DeviceThread()
    do throws(SafelightError) {
      return try thread.sync { thread throws(SafelightError) in
        let backend = try make(thread)
        thread.backend = backend
        thread.info.withLock { $0 = backend.info }
        return (thread, backend.info, backend.capabilities)
      }
    } catch {
      thread.contextThread.close {}
      throw error
    }
  }

  /// Waits for all work, frees everything and ends the thread.
  nonisolated func close() {
    contextThread.close {
      self.assumeIsolated { thread in
        thread.failHeldReplays()
        thread.backend?.close()
        thread.backend = nil
      }
    }
  }

  /// Runs `body` on the thread after all earlier work and waits for it; runs it immediately if called from the thread.
  private nonisolated func sync<Value: Sendable>(
    _ body: @escaping @Sendable (isolated DeviceThread) throws(SafelightError) -> Value
  ) throws(SafelightError) -> Value {
    let outcome = contextThread.sync {
      self.assumeIsolated { thread in Result { () throws(SafelightError) in try body(thread) } }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }

  /// Runs `body` on the thread after all earlier work; returns false, and does not run it, if the thread takes no more.
  @discardableResult
  nonisolated func post(_ body: @escaping @Sendable (isolated DeviceThread) -> Void) -> Bool {
    contextThread.post { self.assumeIsolated { body($0) } }
  }

  /// Why the thread takes no more work.
  nonisolated var refusal: SafelightError { contextThread.isForked ? Self.forked : Self.closed }

  static let closed = SafelightError(
    .usage, "device", why: "it was closed", remedy: "keep the Device until its command buffers have completed")

  private static let forked = SafelightError(
    .usage, "device", why: "it was opened before fork(), which no graphics driver survives",
    remedy: "open the Device in the child process, or start the child with posix_spawn")

  nonisolated var deviceName: String { info.withLock { $0?.name ?? "device" } }
  nonisolated var worksInHostMemory: Bool { info.withLock { $0?.worksInHostMemory == true } }
}

// MARK: Replays

extension DeviceThread {
  /// Carries out `submissions` after all earlier ones of their timelines, with nothing of other timelines in between.
  /// Returns why, without calling their handlers, if the device takes no more work.
  nonisolated func submit(_ submissions: Submission...) -> SafelightError? {
    let accepted = post { thread in
      for submission in submissions { thread.accept(Replay(submission)) }
    }
    return accepted ? nil : refusal
  }

  /// Replays `recording` after all earlier work, then calls `completion`: on the device's thread, or immediately if the
  /// device takes no more work.
  nonisolated func replay(
    _ recording: Recording, completion: @escaping @Sendable (Result<ReplayResult, SafelightError>) -> Void
  ) {
    if let refusal = submit(submission(of: recording, completion)) { completion(.failure(refusal)) }
  }

  /// Replays `recording` and waits for it; runs it immediately if called from the thread. Resources of `dispensable`
  /// whose contents a reset lost are zeros.
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
        why: "it would wait for an event on the device's own thread, as in a completion handler",
        remedy: "replay it on another thread, or with replayed(_:) in a task")
    }
    return try result.get()
  }

  private nonisolated func submission(
    of recording: Recording, _ completion: @escaping @Sendable (Result<ReplayResult, SafelightError>) -> Void
  ) -> Submission {
    Submission(recording: recording, timeline: Timeline(), scheduled: {}) { outcome in
      completion(outcome.mapError { recording.locate($0.error, at: $0.command) })
    }
  }

  /// Simulates the loss of the context, after all earlier work.
  nonisolated func simulateLoss() { post { $0.backend?.simulateLoss() } }

  /// ``Backend/bareDispatches(_:count:)`` after all earlier work.
  nonisolated func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    try sync { thread throws(SafelightError) in try thread.backend?.bareDispatches(pipeline, count: count) }
  }
}

// MARK: Resources

extension DeviceThread {
  /// Gives a buffer memory shared with the process, after all earlier work.
  nonisolated func share(_ buffer: Buffer) throws(SafelightError) {
    try sync { thread throws(SafelightError) in
      try thread.backend?.share(buffer)
      // A lost context does not lose memory of the process.
      if thread.worksInHostMemory { thread.residents.release(buffer.lifetime.id) }
    }
  }

  /// ``Backend/copyReason(of:)`` after all earlier work; the texture keeps the answer.
  nonisolated func adopt(_ texture: Texture) throws(SafelightError) -> SafelightError? {
    try sync { thread throws(SafelightError) in
      let reason = try thread.backend?.copyReason(of: texture) ?? nil
      texture.copyReason = reason
      return reason
    }
  }

  /// Shares the memory of a texture, after all earlier work.
  nonisolated func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try sync { thread throws(SafelightError) in
      guard let backend = thread.backend else { throw Self.closed }
      do throws(SafelightError) {
        return try backend.export(texture)
      } catch {
        throw error.during("texture '\(texture.label)'")
      }
    }
  }

  /// Notes that a resource got storage; call on the thread.
  nonisolated func settle(_ id: ResourceID) { assumeIsolated { $0.residents.settle(id) } }

  /// Frees the storage of a resource, after all earlier work; does nothing once the device is closed.
  nonisolated func release(_ id: ResourceID) {
    post { thread in
      thread.backend?.release(id)
      thread.residents.release(id)
    }
  }

  /// Fills the storage of a resource with zeros, after all earlier work.
  nonisolated func erase(_ id: ResourceID) {
    post { thread in
      thread.backend?.erase(id)
      thread.residents.erased(id)
    }
  }

  /// The resources held after all earlier work; nil once closed.
  nonisolated var statistics: DeviceStatistics? {
    contextThread.sync {
      self.assumeIsolated { thread -> DeviceStatistics? in
        guard var statistics = thread.backend?.statistics else { return nil }
        statistics.heldCommandBuffers = thread.held.values.reduce(0) { $0 + $1.count }
        statistics.rebuiltContexts = thread.rebuilds
        return statistics
      }
    } ?? nil
  }
}

// MARK: Pipelines

extension DeviceThread {
  /// Compiles a pipeline, after all earlier work, and waits for it.
  nonisolated func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    try sync { thread throws(SafelightError) in _ = try thread.backend?.prepare(pipeline, waits: true) }
  }

  /// Compiles a pipeline, during other work if the driver can, and calls `completion` once: on the device's thread, or
  /// on another one if the device takes no more work.
  nonisolated func prepare(
    _ pipeline: Pipeline, completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void
  ) {
    if !post({ $0.advance(pipeline, completion) }) { completion(.failure(refusal)) }
  }

  /// Polls the driver, and while it is busy again a millisecond later, after the work that has arrived meanwhile.
  private func advance(_ pipeline: Pipeline, _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void) {
    do throws(SafelightError) {
      guard let backend else { throw Self.closed }
      if try backend.prepare(pipeline, waits: false) { return completion(.success(())) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
        self.prepare(pipeline, completion: completion)
      }
    } catch {
      completion(.failure(error))
    }
  }
}
