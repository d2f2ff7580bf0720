internal import SafelightGLES
internal import SafelightImage

/// What becomes of work when the GPU was reset.
extension Executor {
  /// Tries `replay` once more on a new context, which is right only where it needs nothing that was lost.
  func retry(_ replay: Replay, after failure: ReplayFailure) -> Progress {
    guard let commands else { return .over(.failure(failure)) }
    do throws(SafelightError) {
      try rebuild(commands)
    } catch {
      return .over(.failure(ReplayFailure(error: error, command: failure.command)))
    }
    guard !replay.isRetry else { return .over(.failure(failure)) }
    replay.isRetry = true
    return advance(replay)
  }

  /// Readies a replay to begin anew, which is right only where its inputs are still what they were.
  func prepareAnotherTry(of replay: Replay) throws(SafelightError) {
    let buffers = replay.recording.hostBuffers
    // The first try has written into memory that the second would take for its inputs.
    let worksInHostMemory = commands?.worksInHostMemory == true
    let changed = buffers.filter { replay.hasPublished || ($0.isZeroCopy && !worksInHostMemory) }
    let drawn = replay.recording.sharedTextures.filter { use in
      use.isWritten && (replay.hasPublished || (use.texture.copyReason == nil && !worksInHostMemory))
    }
    let ids = changed.map(\.lifetime.id) + drawn.map(\.texture.hazard)
    let needed = replay.recording.neededContents(among: Set(ids))
    guard needed.isEmpty else { throw Self.lostContents(needed.map(\.label)) }
    for buffer in buffers where buffer.storageMode == .managed {
      // What the process wrote was brought over to the context that is gone.
      buffer.didModifyRange(0..<buffer.length)
    }
  }

  /// A new context, in which every resource is zero; replays that are held back begin anew in it.
  func rebuild(_ commands: any CommandExecutor) throws(SafelightError) {
    needsRebuild = true
    residents.loseAll()
    preparations = [:]
    for replay in held.values.joined() { replay.rewind() }
    do throws(SafelightError) {
      try commands.rebuild()
    } catch {
      throw error.during("the GPU was reset, and no new context can be made")
    }
    needsRebuild = false
    rebuilds += 1
  }

  static func lostContents(_ labels: [String]) -> SafelightError {
    SafelightError(
      .driver, labels.map { "'\($0)'" }.joined(separator: ", "),
      why: "the GPU was reset, and the contents that this work needs were lost",
      remedy: "write them again, then commit this work again in a new command buffer")
  }
}

extension Replay {
  /// Back to the first command.
  func rewind() {
    isAnotherTry = true
    position = 0
    result = ReplayResult()
    groups = []
    shared = SharedState()
    samples = []
    begin = nil
    end = nil
  }
}
