internal import SafelightImage
internal import Synchronization

/// A whole list of commands with the labels of their encoders; may be replayed any number of times, on any backend.
public struct Recording: Sendable {
  /// The command buffer's label.
  public let label: String
  /// The commands, in order.
  public internal(set) var commands: [Entry] = []
  /// The labels of the encoders, in the order in which they were made.
  public internal(set) var encoders: [String] = []

  /// A command and who recorded it.
  public struct Entry: Sendable {
    /// The encoder's label; the buffer's for what it recorded without one.
    public let label: String
    /// The command.
    public let command: Command
    /// Where in the source it was recorded.
    public let place: Place
    /// The encoder's number in ``Recording/encoders``; nil for what the buffer recorded without one.
    public let encoder: Int?

    /// The same for a command that goes with it.
    func with(_ command: Command) -> Entry { Entry(label: label, command: command, place: place, encoder: encoder) }
  }

  /// A line of the source; cheap enough to be kept for every command.
  public struct Place: Sendable, CustomStringConvertible {
    /// Module and file, as `#fileID` says.
    public let fileID: StaticString
    /// The line in it.
    public let line: Int

    /// Names a line.
    public init(_ fileID: StaticString, _ line: Int) {
      self.fileID = fileID
      self.line = line
    }

    /// The file without its module, and the line: `Main.swift:42`.
    public var description: String {
      let file = fileID.description
      return "\(file.split(separator: "/").last ?? Substring(file)):\(line)"
    }
  }

  init(label: String, commands: [Command] = [], place: Place = Place(#fileID, #line)) {
    self.label = label
    self.commands = commands.map { Entry(label: label, command: $0, place: place, encoder: nil) }
  }
}

extension Recording {
  /// The same error as the command at `index` raised it: with the names of buffer and encoder and the command's place.
  func locate(_ error: SafelightError, at index: Int?) -> SafelightError {
    guard let index else { return error.during("'\(label)'") }
    let entry = commands[index]
    let encoder = entry.encoder == nil ? "" : " › '\(entry.label)'"
    return error.during("'\(label)'\(encoder) (\(entry.place))")
  }
}

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
