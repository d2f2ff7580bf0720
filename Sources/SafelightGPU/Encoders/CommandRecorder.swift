internal import SafelightImage

/// The part that all encoders share: where commands go, under which label, until the end.
///
/// An encoder belongs to one thread at a time, as Metal's do.
final class CommandRecorder {
  let label: String
  let buffer: CommandBuffer
  private let number: Int
  /// Where the encoder was made: the place of what names none of its own.
  private let place: Recording.Place
  private var isOpen = true
  private var openGroups = 0

  init(buffer: CommandBuffer, label: String, number: Int, place: Recording.Place) {
    self.buffer = buffer
    self.label = label
    self.number = number
    self.place = place
    append(.pushDebugGroup(label))
  }

  /// Traps where something is set once nothing will be recorded with it.
  func checkThatItIsOpen() {
    trap(unless: isOpen, "encoder '\(label)' was given something after endEncoding(); make a new encoder")
  }

  func append(_ command: Command, at place: Recording.Place? = nil) {
    trap(unless: isOpen, "encoder '\(label)' recorded a command after endEncoding(); make a new encoder")
    buffer.append(Recording.Entry(label: label, command: command, place: place ?? self.place, encoder: number))
  }

  func pushGroup(_ name: String, at place: Recording.Place) {
    append(.pushDebugGroup(name), at: place)
    openGroups += 1
  }

  func popGroup(at place: Recording.Place) {
    trap(
      unless: openGroups > 0,
      "popDebugGroup() was called on encoder '\(label)', which has no open group; call pushDebugGroup(_:) first")
    openGroups -= 1
    append(.popDebugGroup, at: place)
  }

  func end() {
    trap(unless: isOpen, "endEncoding() was called twice on encoder '\(label)'")
    trap(
      unless: openGroups == 0,
      "encoder '\(label)' was ended with \(openGroups) open debug groups; call popDebugGroup() for each first")
    append(.popDebugGroup)
    isOpen = false
    buffer.endEncoder()
  }

  deinit {
    trap(unless: !isOpen, "encoder '\(label)' was left open; call endEncoding() before letting go of it")
  }
}
