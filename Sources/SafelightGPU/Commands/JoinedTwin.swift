package import SafelightImage
internal import Synchronization

/// The twin of several commands together, which the CPU runs in their place: textures that only they use need no
/// memory.
struct JoinedTwin: Sendable {
  /// The code; `memory` returns that of a texture, and is valid only during the call. Returns what went wrong.
  typealias Body = @Sendable (_ memory: (Texture) -> TextureMemory) -> SafelightError?

  /// The commands, from the one that has the twin on.
  let count: Int
  let run: Body
}

extension CommandBuffer {
  /// Records the dispatches and draws of `record`, in place of which the CPU runs `twin`. A twin must leave the same in
  /// all textures but those that no other command reads; it returns what went wrong.
  package func recordJoined(
    _ twin: @escaping @Sendable (_ memory: (Texture) -> TextureMemory) -> SafelightError?,
    _ record: () -> Void
  ) {
    let first = recordedCommands
    record()
    state.withLock { state in
      let added = state.recording.commands[first...]
      // A texture over a buffer brings copies, which have to be made.
      guard !added.isEmpty, added.allSatisfy(\.command.isJoinable) else { return }
      state.recording.commands[first].joined = JoinedTwin(count: added.count, run: twin)
    }
  }

  private var recordedCommands: Int { state.withLock { $0.recording.commands.count } }
}

extension Command {
  fileprivate var isJoinable: Bool {
    switch self {
    case .dispatch, .draw, .pushDebugGroup, .popDebugGroup: true
    default: false
    }
  }
}
