/// How memory that a replay shares with others and the device's copies of it differ.
struct SharedState {
  /// True until what is there was brought in: at the beginning, and behind each wait for an event.
  var isStale = true
  /// Textures of which the recording writes a copy.
  var copies: [Texture] = []
  /// Those of them that were written and not copied out since: only these may be, as the memory of all others may be somebody's again.
  private(set) var unsent: [ResourceID: Texture] = [:]
  /// Buffers that were written and not copied to the process since, which must not be overwritten by what it holds.
  private var changed: [ResourceID: Buffer] = [:]

  /// Buffers whose contents are newer than the process's.
  var newer: [Buffer] { Array(changed.values) }

  /// A command with `touches` was performed.
  mutating func note(_ touches: [ResourceTouch]) {
    for touch in touches where touch.kind.makesContents {
      switch touch.resource {
      case .texture(let texture):
        if copies.contains(where: { $0.lifetime === texture.lifetime }) { unsent[texture.lifetime.id] = texture }
      case .buffer(let buffer) where buffer.storageMode != .private: changed[buffer.lifetime.id] = buffer
      case .buffer: break
      }
    }
  }

  /// Everything was handed out; buffers of other devices than `executor`'s never are.
  mutating func published(by executor: Executor) {
    unsent = [:]
    changed = changed.filter { $0.value.home !== executor }
  }
}

extension Recording {
  /// True where nothing is used before a wait for an event, behind which everything is brought in once more.
  var beginsWithWait: Bool {
    let first = commands.lazy.map(\.command).first { command in
      if case .waitForEvent = command { true } else { !command.touches.isEmpty }
    }
    guard case .waitForEvent = first else { return false }
    return true
  }
}
