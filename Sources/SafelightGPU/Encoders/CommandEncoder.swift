internal import SafelightImage

/// What the encoders share; Metal's `MTLCommandEncoder`.
///
/// An encoder belongs to one thread at a time. The place in the source of every call that records a command is kept for messages.
public class CommandEncoder {
  let recorder: CommandRecorder
  /// Fences that it updated.
  private var updatedFences: [Fence] = []

  init(_ recorder: CommandRecorder) { self.recorder = recorder }

  /// A name for messages and debuggers.
  public var label: String { recorder.label }

  /// The device that will run the commands.
  public var device: Device { recorder.buffer.device }

  /// Ends the list; the encoder records nothing afterwards.
  public func endEncoding() { recorder.end() }

  // MARK: Names for debuggers

  /// Opens a named group around the commands that follow (`glPushDebugGroup`); close it before the end.
  public func pushDebugGroup(_ name: String, fileID: StaticString = #fileID, line: Int = #line) {
    recorder.pushGroup(name, at: Recording.Place(fileID, line))
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  public func popDebugGroup(fileID: StaticString = #fileID, line: Int = #line) {
    recorder.popGroup(at: Recording.Place(fileID, line))
  }

  /// Leaves a text for debuggers between the commands (`glDebugMessageInsert`).
  public func insertDebugSignpost(_ text: String, fileID: StaticString = #fileID, line: Int = #line) {
    recorder.append(.insertDebugSignpost(text), at: Recording.Place(fileID, line))
  }

  // MARK: Order and time

  /// Says that what waits for `fence` comes after the commands so far; orders nothing that is not ordered already.
  public func updateFence(_ fence: Fence) {
    check(fence)
    updatedFences.append(fence)
  }

  /// Says that the commands that follow come after those before the update of `fence`, by an encoder before this one.
  public func waitForFence(_ fence: Fence) {
    check(fence)
    trap(
      unless: !updatedFences.contains { $0 === fence },
      "encoder '\(label)' waits for fence '\(fence.label)', which it updated itself; wait in another encoder")
  }

  /// Notes the time at which the device passes this point (`glQueryCounterEXT`; the host's clock where the device has none).
  public func sampleCounters(
    _ sampleBuffer: CounterSampleBuffer, sampleIndex: Int, fileID: StaticString = #fileID, line: Int = #line
  ) {
    sampleBuffer.check(sampleIndex..<sampleIndex + 1)
    recorder.append(.sampleCounters(sampleBuffer, index: sampleIndex), at: Recording.Place(fileID, line))
  }

  private func check(_ fence: Fence) {
    trap(
      unless: fence.home === device.thread,
      "fence '\(fence.label)' of another device was used on encoder '\(label)'; make it with this device's makeFence()")
  }
}

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
