internal import SafelightImage

/// A whole list of commands with the labels of their encoders; may be replayed any number of times, on any executor.
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
