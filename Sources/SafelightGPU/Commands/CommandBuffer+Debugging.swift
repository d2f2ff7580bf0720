internal import SafelightImage
internal import Synchronization

/// Names for debuggers (KHR_debug) around the encoders of a buffer.
extension CommandBuffer {
  /// Opens a named group around the encoders that follow (`glPushDebugGroup`).
  public func pushDebugGroup(_ name: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.pushDebugGroup(name), Recording.Place(fileID, line))
    state.withLock { $0.openGroups += 1 }
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  public func popDebugGroup(fileID: StaticString = #fileID, line: Int = #line) {
    state.withLock { state in
      trap(
        unless: state.openGroups > 0,
        "popDebugGroup() was called on command buffer '\(label)', which has no open group; call pushDebugGroup(_:) first"
      )
      state.openGroups -= 1
    }
    append(.popDebugGroup, Recording.Place(fileID, line))
  }

  /// Leaves a text for debuggers between the encoders (`glDebugMessageInsert`).
  public func insertDebugSignpost(_ text: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.insertDebugSignpost(text), Recording.Place(fileID, line))
  }

  /// Records a command of the buffer's own, between encoders.
  func append(_ command: Command, _ place: Recording.Place) {
    append(Recording.Entry(label: label, command: command, place: place, encoder: nil))
  }
}
