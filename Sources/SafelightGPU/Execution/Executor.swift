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

  private(set) var commands: (any CommandExecutor)?
  /// Pipelines on their way through a driver's compiler.
  var preparations: [ObjectIdentifier: any PipelinePreparation] = [:]

  private let sharesMemory = Atomic<Bool>(false)

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

  /// Replays `recording` after all earlier work, then calls `completion` on the executor's thread; returns why where the device
  /// takes no more work, and never calls it then.
  nonisolated func replay(
    _ recording: Recording, completion: @escaping @Sendable (Result<ReplayResult, SafelightError>) -> Void
  ) -> SafelightError? {
    let accepted = thread.post {
      let outcome = self.assumeIsolated { $0.perform(recording) }
      completion(outcome)
    }
    return accepted ? nil : thread.isForked ? Self.forked : Self.closed
  }

  /// Replays `recording` and waits for it.
  nonisolated func replay(_ recording: Recording) throws(SafelightError) -> ReplayResult {
    let outcome = thread.sync { self.assumeIsolated { $0.perform(recording) } }
    guard let outcome else { throw thread.isForked ? Self.forked : Self.closed }
    return try outcome.get()
  }

  /// Compiles a pipeline and waits for it.
  nonisolated func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    let outcome = thread.sync { self.assumeIsolated { $0.compile(pipeline) } }
    guard let outcome else { throw Self.closed }
    try outcome.get()
  }

  /// True when buffers shared with the process need no copy.
  nonisolated var worksInHostMemory: Bool { sharesMemory.load(ordering: .relaxed) }

  /// Gives a buffer memory shared with the process, after all earlier work.
  nonisolated func share(_ buffer: Buffer) throws(SafelightError) {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<Void, SafelightError> in
        do throws(SafelightError) {
          try executor.commands?.share(buffer)
          return .success(())
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw Self.closed }
    try outcome.get()
  }

  /// Makes the storage of a texture over shared memory, after all earlier work; returns why it is a copy.
  nonisolated func adopt(_ texture: Texture) throws(SafelightError) -> SafelightError? {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<SafelightError?, SafelightError> in
        do throws(SafelightError) {
          let reason = try executor.commands?.copyReason(of: texture)
          texture.copyReason = reason ?? nil
          return .success(reason ?? nil)
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw Self.closed }
    return try outcome.get()
  }

  /// What is held after all earlier work; nil once closed.
  nonisolated var statistics: DeviceStatistics? {
    thread.sync { self.assumeIsolated { $0.commands?.statistics } } ?? nil
  }

  /// Frees the storage of a resource, after all earlier work; nothing is left to free once the executor was closed.
  nonisolated func release(_ id: ResourceID) {
    thread.post { self.assumeIsolated { $0.commands?.release(id) } }
  }

  /// Makes the storage of a resource zeros, after all earlier work.
  nonisolated func erase(_ id: ResourceID) {
    thread.post { self.assumeIsolated { $0.commands?.erase(id) } }
  }

  /// Waits for all work, frees everything and ends the thread.
  nonisolated func close() {
    thread.close {
      self.assumeIsolated { executor in
        executor.preparations = [:]
        executor.commands?.close()
        executor.commands = nil
      }
    }
  }

  // MARK: On the thread

  private func open(
    _ make: (Executor) throws(SafelightError) -> any CommandExecutor
  ) -> Result<(DeviceInfo, Capabilities), SafelightError> {
    do throws(SafelightError) {
      let made = try make(self)
      commands = made
      sharesMemory.store(made.worksInHostMemory, ordering: .relaxed)
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

  private func perform(_ recording: Recording) -> Result<ReplayResult, SafelightError> {
    guard let commands else { return .failure(Self.closed) }
    var result = ReplayResult()
    var openGroups = 0
    var scratch = ReplayResult()
    let clock = ContinuousClock()
    let start = clock.now
    do throws(SafelightError) {
      commands.begin()
      let copies = try commands.bringIn(recording)
      for entry in recording.commands {
        switch entry.command {
        case .pushDebugGroup: openGroups += 1
        case .popDebugGroup: openGroups -= 1
        default: break
        }
        do throws(SafelightError) {
          try commands.perform(entry.command, label: entry.label, result: &result)
        } catch {
          throw error.during("\(recording.label), \(entry.label)")
        }
      }
      try commands.finish(recording.label)
      try commands.carryOut(copies)
      result.seconds = (clock.now - start).inSeconds
      return .success(result)
    } catch {
      // A failure must leave no group open for the next recording; closing one cannot fail in a way worth hiding the
      // cause.
      for _ in 0..<max(0, openGroups) {
        try? commands.perform(.popDebugGroup, label: recording.label, result: &scratch)
      }
      return .failure(error)
    }
  }

  static let closed = SafelightError(
    .usage, "device", why: "it was closed", remedy: "keep the Device until its command buffers completed")

  static let forked = SafelightError(
    .usage, "device", why: "it was opened before fork(), which no graphics driver survives",
    remedy: "open the Device in the child process, or start the child with posix_spawn")
}
