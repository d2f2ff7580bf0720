internal import Synchronization

/// What became of one encoder of a command buffer; Metal's `MTLCommandBufferEncoderInfo`.
public struct EncoderInfo: Hashable, Sendable {
  /// How far the work of an encoder is; Metal's values.
  public enum State: Int, Sendable {
    /// Nobody knows: the buffer is still under way.
    case unknown
    /// Its work was done.
    case completed
    /// The buffer failed as a whole; this encoder may or may not be to blame.
    case affected
    /// Its work had not begun.
    case pending
    /// It is to blame.
    case faulted
  }

  /// The encoder's label.
  public let label: String
  /// The texts that it left for debuggers: groups and signposts, in order.
  public let debugSignposts: [String]
  /// What became of it.
  public let state: State
}

extension CommandBuffer {
  /// Its encoders in order, with what became of each.
  ///
  /// Where a command failed, its encoder is `faulted`, those before it are `completed` and those after it `pending`. Where no command can be
  /// blamed, every encoder is `affected`.
  public var encoderInfos: [EncoderInfo] {
    let (recording, status, failed) = state.withLock { ($0.recording, $0.status, $0.failedCommand) }
    var signposts = [[String]](repeating: [], count: recording.encoders.count)
    for entry in recording.commands {
      guard let encoder = entry.encoder else { continue }
      switch entry.command {
      case .pushDebugGroup(let text), .insertDebugSignpost(let text): signposts[encoder].append(text)
      default: break
      }
    }
    return recording.encoders.indices.map { encoder in
      let state: EncoderInfo.State =
        switch status {
        case .completed: .completed
        case .error: failed.map { recording.state(of: encoder, failedCommand: $0) } ?? .affected
        default: .unknown
        }
      // The first group is the encoder's own label.
      return EncoderInfo(
        label: recording.encoders[encoder], debugSignposts: Array(signposts[encoder].dropFirst()), state: state)
    }
  }
}

extension Recording {
  fileprivate func state(of encoder: Int, failedCommand: Int) -> EncoderInfo.State {
    if commands[failedCommand].encoder == encoder { return .faulted }
    let hasBegun = commands[..<failedCommand].contains { $0.encoder == encoder }
    return hasBegun ? .completed : .pending
  }
}
