/// A whole list of commands with the labels of their encoders; may be replayed any number of times, on any executor.
public struct Recording: Sendable {
  /// The command buffer's label.
  public let label: String
  /// The commands, in order.
  public internal(set) var commands: [Entry] = []

  /// A command and who recorded it.
  public struct Entry: Sendable {
    /// The encoder's label.
    public let label: String
    /// The command.
    public let command: Command
  }

  init(label: String, commands: [Command] = []) {
    self.label = label
    self.commands = commands.map { Entry(label: label, command: $0) }
  }
}

/// What a replay brought back.
public struct ReplayResult: Sendable {
  /// Seconds the executor spent on it, by the wall clock.
  public internal(set) var seconds: Double = 0

  var readbacks: [ObjectIdentifier: [UInt8]] = [:]

  /// The bytes that a command of the recording read back.
  public func contents(of readback: Readback) -> [UInt8]? { readbacks[ObjectIdentifier(readback)] }
}
