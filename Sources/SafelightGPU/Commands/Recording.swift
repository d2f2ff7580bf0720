internal import SafelightImage
internal import Synchronization

/// The commands of a command buffer, which any device may replay any number of times.
public struct Recording: Sendable {
  /// The command buffer's label.
  public let label: String
  package internal(set) var commands: [Entry] = []
  /// The labels of the encoders, in order of creation.
  package internal(set) var encoders: [String] = []

  package struct Entry: Sendable {
    /// The label of the encoder, or of the buffer if it recorded the command without one.
    package let label: String
    package let command: Command
    /// The command's effects, in order.
    package let accesses: [ResourceAccess]
    package let callSite: CallSite
    /// The index in ``Recording/encoders``; nil if the buffer recorded the command without an encoder.
    let encoder: Int?
    /// The kernel's pass that recorded the command, by which a capture finds its twin; nil for other commands.
    var origin: String?
    /// The twin that the CPU runs in place of this command and the next ones; nil for most commands.
    var joined: JoinedTwin?

    init(label: String, command: Command, callSite: CallSite, encoder: Int? = nil, origin: String? = nil) {
      self.label = label
      self.command = command
      accesses = command.accesses
      self.callSite = callSite
      self.encoder = encoder
      self.origin = origin
    }

    func with(_ command: Command) -> Entry {
      Entry(label: label, command: command, callSite: callSite, encoder: encoder, origin: origin)
    }
  }

  /// A line of source; cheap enough to keep for every command.
  package struct CallSite: Sendable, CustomStringConvertible {
    let fileID: StaticString
    let line: Int

    init(_ fileID: StaticString, _ line: Int) {
      self.fileID = fileID
      self.line = line
    }

    /// The file without its module, and the line: `Main.swift:42`.
    package var description: String {
      let file = fileID.description
      return "\(file.split(separator: "/").last ?? Substring(file)):\(line)"
    }
  }

  init(label: String, commands: [Command] = [], callSite: CallSite = CallSite(#fileID, #line)) {
    self.label = label
    self.commands = commands.map { Entry(label: label, command: $0, callSite: callSite) }
  }
}

extension Recording {
  /// Adds to an error of the command at `index` the labels of buffer and encoder, and the command's place.
  func locate(_ error: SafelightError, at index: Int?) -> SafelightError {
    guard let index else { return error.during("'\(label)'") }
    let entry = commands[index]
    let encoder = entry.encoder == nil ? "" : " › '\(entry.label)'"
    return error.during("'\(label)'\(encoder) (\(entry.callSite))")
  }
}

/// The outcome of one encoder of a command buffer; Metal's `MTLCommandBufferEncoderInfo`.
public struct EncoderInfo: Hashable, Sendable {
  /// The progress of an encoder's work; Metal's values.
  public enum State: Int, Sendable {
    /// The buffer has not completed yet.
    case unknown
    /// It completed.
    case completed
    /// The buffer failed as a whole, perhaps because of this encoder.
    case affected
    /// It had not begun when the buffer failed.
    case pending
    /// It caused the failure.
    case faulted
  }

  /// The encoder's label.
  public let label: String
  /// Its debug groups and signposts, in order.
  public let debugSignposts: [String]
  /// Its progress.
  public let state: State
}

extension CommandBuffer {
  /// The outcomes of its encoders, in order.
  ///
  /// If a command failed, its encoder is `faulted`, earlier ones are `completed` and later ones `pending`. If no single
  /// command failed, every encoder is `affected`.
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
