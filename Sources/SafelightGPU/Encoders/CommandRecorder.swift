/// The part that all encoders share: where commands go, under which label, until the end.
///
/// An encoder belongs to one thread at a time, as Metal's do.
final class CommandRecorder {
  let label: String
  private let buffer: CommandBuffer
  private var isOpen = true

  init(buffer: CommandBuffer, label: String) {
    self.buffer = buffer
    self.label = label
    buffer.append(.pushDebugGroup(label), label: label)
  }

  func append(_ command: Command) {
    precondition(isOpen, "encoder '\(label)' recorded a command after endEncoding(); make a new encoder")
    buffer.append(command, label: label)
  }

  func end() {
    precondition(isOpen, "endEncoding() was called twice on encoder '\(label)'")
    append(.popDebugGroup)
    isOpen = false
    buffer.endEncoder()
  }

  deinit {
    precondition(!isOpen, "encoder '\(label)' was left open; call endEncoding() before letting go of it")
  }
}
