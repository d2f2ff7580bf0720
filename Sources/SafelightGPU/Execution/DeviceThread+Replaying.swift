internal import SafelightGLES
internal import SafelightImage

/// Carries out recordings, on the device's thread.
extension DeviceThread {
  /// Carries out `replay`, or queues it behind the waiting replays of its timeline.
  func accept(_ replay: Replay) {
    let timeline = ObjectIdentifier(replay.submission.timeline)
    if held[timeline] != nil { held[timeline]?.append(replay) } else if !run(replay) { held[timeline] = [replay] }
  }

  /// Carries out `replay` before all other work, for a caller on the thread itself.
  func acceptNow(_ replay: Replay) {
    if let current {
      trap(
        "'\(replay.recording.label)' cannot be replayed while '\(current.recording.label)' runs, as in a scheduled "
          + "handler; replay it in a completed handler, or on another thread")
    }
    accept(replay)
  }

  /// Resumes a timeline whose first replay waited, as far as possible.
  private func resume(_ timeline: ObjectIdentifier) {
    while let first = held[timeline]?.first {
      guard run(first) else { return }
      held[timeline]?.removeFirst()
    }
    held[timeline] = nil
  }

  /// Carries out `replay` from where it stopped; returns false if it has to wait.
  private func run(_ replay: Replay) -> Bool {
    if let wait = replay.wait {
      guard wait.isOver || wait.isExpired else { return false }
    } else if let refusal = replay.submission.refusal() {
      replay.submission.completed(.failure(ReplayFailure(error: refusal)))
      return true
    }
    current = replay
    let outcome = advance(replay)
    current = nil
    guard let outcome else { return false }
    replay.submission.completed(outcome)
    return true
  }

  /// Fails the replays that wait for events when the device closes, as nothing can resume them afterwards.
  func failHeldReplays() {
    let replays = held.values.flatMap { $0 }
    held = [:]
    for replay in replays {
      backend?.reuse(replay.marks)
      let command = replay.wait == nil ? nil : replay.position
      replay.submission.completed(.failure(ReplayFailure(error: Self.closed, command: command)))
    }
  }

  /// Performs commands from where `replay` stopped; returns nil if it has to wait.
  private func advance(_ replay: Replay) -> Result<ReplayResult, ReplayFailure>? {
    guard let backend else { return .failure(ReplayFailure(error: Self.closed)) }
    do throws(SafelightError) {
      guard try perform(replay, backend) else { return nil }
      try finish(replay, backend)
      residents.restore(replay.recording)
      return .success(replay.result)
    } catch {
      // No command is to blame before the first one and after the last.
      let isPerforming = replay.begin != nil && replay.position < replay.recording.commands.count
      let failure = ReplayFailure(error: error, command: isPerforming ? replay.position : nil)
      abandon(replay, backend)
      return backend.isLost ? retry(replay, after: failure, backend) : .failure(failure)
    }
  }

  /// Performs commands up to the end, or up to one that has to wait; returns false then.
  private func perform(_ replay: Replay, _ backend: any Backend) throws(SafelightError) -> Bool {
    if replay.begin == nil { try begin(replay, backend) }
    if replay.wait != nil { try reopen(replay, backend) }
    let entries = replay.recording.commands
    while replay.position < entries.count {
      if let joined = entries[replay.position].joined, let cpu = backend as? CPUBackend {
        try perform(joined, replay, cpu)
        replay.position += joined.count
        continue
      }
      switch entries[replay.position].command {
      case .waitForEvent(let event, let value, let seconds) where !event.hasReached(value):
        try giveWay(replay, backend)
        let timeline = ObjectIdentifier(replay.submission.timeline)
        replay.wait = EventWait(event, value: value, seconds: seconds) { self.post { $0.resume(timeline) } }
        return false
      case .waitForEvent: try pass(replay, backend)
      default: try perform(entries[replay.position], replay, backend)
      }
      replay.position += 1
    }
    return true
  }

  private func perform(
    _ entry: Recording.Entry, _ replay: Replay, _ backend: any Backend
  ) throws(SafelightError) {
    let command = entry.command
    switch command {
    case .signalEvent(let event, let value):
      // Queues of one device share its stream; other devices and the CPU must see finished work.
      if event.home == nil { try publish(replay, backend) } else { try backend.flush() }
      event.signal(value)
    case .sampleCounters(let buffer, let index): replay.samples.append((buffer, index, try backend.mark()))
    default:
      try command.check(backend.capabilities)
      if replay.shared.isStale && !entry.accesses.isEmpty { try copyIn(replay, backend) }
      try backend.perform(command, entry.accesses, label: entry.label, result: &replay.result)
      replay.shared.note(entry.accesses)
      switch command {
      case .pushDebugGroup(let name): replay.groups.append(name)
      case .popDebugGroup: _ = replay.groups.popLast()
      default: break
      }
    }
  }

  /// Runs a twin in place of several commands, once all of them are checked.
  private func perform(_ joined: JoinedTwin, _ replay: Replay, _ backend: CPUBackend) throws(SafelightError) {
    let entries = replay.recording.commands[replay.position..<replay.position + joined.count]
    for entry in entries { try entry.command.check(backend.capabilities) }
    if replay.shared.isStale { try copyIn(replay, backend) }
    try backend.perform(joined)
    replay.shared.note(entries.flatMap(\.accesses))
  }

  private func begin(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    residents.begin(replay.recording)
    if needsRebuild { try rebuild(backend) }
    if replay.startsOver { try prepareToStartOver(replay) }
    let lost = residents.takeLost(neededBy: replay.recording, except: replay.submission.dispensable)
    if !lost.isEmpty { throw Self.lostContents(lost) }
    backend.begin()
    if !replay.recording.beginsWithWait { try copyIn(replay, backend) }
    replay.result.times.kernelStart = HostClock.now
    replay.result.times.kernelCPU = -ThreadClock.now
    replay.begin = try backend.mark()
  }

  /// Waits until all of it is done, and notes its times.
  private func finish(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    replay.end = try backend.mark()
    try backend.flush()
    replay.result.times.kernelEnd = HostClock.now
    replay.result.times.kernelCPU += ThreadClock.now
    replay.submission.scheduled()
    try backend.finish(replay.recording.label)
    try copyOut(replay, backend)
    settleTimes(of: replay, backend)
  }

  private func settleTimes(of replay: Replay, _ backend: any Backend) {
    let marks = replay.marks
    let now = HostClock.now
    let seconds = backend.seconds(at: marks)
    backend.reuse(marks)
    replay.result.times.gpuStart = seconds?[0] ?? marks[0].hostTime
    replay.result.times.gpuEnd = seconds?[1] ?? now
    replay.result.times.source = seconds != nil && marks[0].query != nil ? .gpu : .wallClock
    replay.result.seconds = now - replay.result.times.kernelStart
    for (number, sample) in replay.samples.enumerated() {
      sample.buffer.fill(sample.index, seconds?[number + 2])
    }
  }

  /// Leaves the stream to other queues: closes the debug groups that ``reopen(_:_:)`` opens again.
  private func giveWay(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    for _ in replay.groups { try backend.perform(.popDebugGroup, [], label: "", result: &replay.result) }
    try publish(replay, backend)
  }

  /// Lets the process see the work done so far, in the middle of a replay.
  private func publish(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    try backend.finish(replay.recording.label)
    try copyOut(replay, backend)
    replay.hasPublished = true
  }

  /// Continues after a wait that is already over, with the latest shared memory, as after one that held the replay.
  private func pass(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    if !replay.shared.unsent.isEmpty { try publish(replay, backend) }
    replay.shared.isStale = true
  }

  private func copyIn(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    backend.refresh(except: replay.shared.newer)
    replay.shared.copies = try backend.copyIn(replay.recording)
    replay.shared.isStale = false
  }

  private func copyOut(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    try backend.copyOut(Array(replay.shared.unsent.values))
    replay.shared.published(by: self)
  }

  private func reopen(_ replay: Replay, _ backend: any Backend) throws(SafelightError) {
    if let wait = replay.wait.take(), !wait.isOver {
      replay.groups = []
      throw Self.expired(wait)
    }
    backend.begin()
    replay.shared.isStale = true
    for name in replay.groups { try backend.perform(.pushDebugGroup(name), [], label: "", result: &replay.result) }
  }

  /// Cleans up after a failed replay: closes its groups and takes back its queries.
  private func abandon(_ replay: Replay, _ backend: any Backend) {
    // An error in closing a group must not hide the cause of the failure.
    for _ in replay.groups { try? backend.perform(.popDebugGroup, [], label: "", result: &replay.result) }
    backend.reuse(replay.marks)
    replay.rewind()
  }

  private static func expired(_ wait: EventWait) -> SafelightError {
    SafelightError(
      .limit, "event '\(wait.event.label)'",
      why: "it did not reach the value \(wait.value) within \(wait.seconds) s; its value is \(wait.event.value)",
      remedy: "commit the command buffer that signals it, on another queue, or wait longer (timeout:)")
  }
}

/// Recovers from a reset of the GPU.
extension DeviceThread {
  /// Retries `replay` on a new context, which succeeds only if it needs nothing that was lost.
  private func retry(
    _ replay: Replay, after failure: ReplayFailure, _ backend: any Backend
  ) -> Result<ReplayResult, ReplayFailure>? {
    do throws(SafelightError) {
      try rebuild(backend)
    } catch {
      return .failure(ReplayFailure(error: error, command: failure.command))
    }
    guard !replay.isRetry else { return .failure(failure) }
    replay.isRetry = true
    return advance(replay)
  }

  /// Readies a replay to start over; throws if its inputs have changed.
  private func prepareToStartOver(_ replay: Replay) throws(SafelightError) {
    let buffers = replay.recording.hostBuffers
    // The first attempt has written into memory that the second would take for its inputs.
    let changed = buffers.filter { replay.hasPublished || ($0.isZeroCopy && !worksInHostMemory) }
    let drawn = replay.recording.sharedTextures.filter { use in
      use.isWritten && (replay.hasPublished || (use.texture.copyReason == nil && !worksInHostMemory))
    }
    let ids = changed.map(\.lifetime.id) + drawn.map(\.texture.hazard)
    let needed = replay.recording.neededContents(among: Set(ids))
    guard needed.isEmpty else { throw Self.lostContents(needed.map(\.label)) }
    for buffer in buffers where buffer.storageMode == .managed {
      // The lost context had received what the process wrote.
      buffer.didModifyRange(0..<buffer.length)
    }
  }

  /// Makes a new context, in which every resource is zero; waiting replays start over in it.
  private func rebuild(_ backend: any Backend) throws(SafelightError) {
    needsRebuild = true
    residents.loseAll()
    for replay in held.values.joined() { replay.rewind() }
    do throws(SafelightError) {
      try backend.rebuild()
    } catch {
      throw error.during("the GPU was reset, and no new context can be made")
    }
    needsRebuild = false
    rebuilds += 1
  }

  private static func lostContents(_ labels: [String]) -> SafelightError {
    SafelightError(
      .driver, labels.map { "'\($0)'" }.joined(separator: ", "),
      why: "the GPU was reset, and the contents that this work needs were lost",
      remedy: "write them again, then commit this work again in a new command buffer")
  }
}
