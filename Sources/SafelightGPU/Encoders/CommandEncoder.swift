internal import SafelightImage

/// The base class of all encoders; Metal's `MTLCommandEncoder`.
///
/// An encoder belongs to one thread at a time. Every command keeps the source line that recorded it, for messages.
public class CommandEncoder {
  /// A name for messages and debuggers.
  public let label: String
  /// The kernel's pass that records the commands; nil if no kernel does.
  package final var origin: String?

  private let buffer: CommandBuffer
  private let number: Int
  /// The source line that made the encoder, for commands without a line of their own.
  private let callSite: Recording.CallSite
  private var isOpen = true
  private var openGroups = 0
  private var updatedFences: [Fence] = []

  init(_ buffer: CommandBuffer, _ label: String, _ callSite: Recording.CallSite) {
    self.buffer = buffer
    self.label = label
    self.callSite = callSite
    number = buffer.beginEncoder(label)
    append(.pushDebugGroup(label))
  }

  deinit { trap(unless: !isOpen, "encoder '\(label)' was left open; call endEncoding() before you release it") }

  /// The device that will run the commands.
  public var device: Device { buffer.device }

  /// Ends the encoder, which records nothing afterwards.
  public func endEncoding() {
    trap(unless: isOpen, "endEncoding() was called twice on encoder '\(label)'; call it once")
    trap(
      unless: openGroups == 0,
      "encoder '\(label)' was ended with \(openGroups) open debug groups; call popDebugGroup() for each first")
    append(.popDebugGroup)
    isOpen = false
    buffer.endEncoder()
  }

  /// Records a command; `place` is its source line.
  package final func append(_ command: Command, at callSite: Recording.CallSite? = nil) {
    trap(unless: isOpen, "encoder '\(label)' recorded a command after endEncoding(); make a new encoder")
    buffer.append(
      Recording.Entry(
        label: label, command: command, callSite: callSite ?? self.callSite, encoder: number, origin: origin))
  }

  final func checkThatItIsOpen() {
    trap(unless: isOpen, "encoder '\(label)' was changed after endEncoding(); make a new encoder")
  }

  // MARK: Names for debuggers

  /// Opens a named group of commands (`glPushDebugGroup`), to be closed before ``endEncoding()``.
  public func pushDebugGroup(_ name: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.pushDebugGroup(name), at: Recording.CallSite(fileID, line))
    openGroups += 1
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  public func popDebugGroup(fileID: StaticString = #fileID, line: Int = #line) {
    trap(
      unless: openGroups > 0,
      "popDebugGroup() was called on encoder '\(label)', which has no open group; call pushDebugGroup(_:) first")
    openGroups -= 1
    append(.popDebugGroup, at: Recording.CallSite(fileID, line))
  }

  /// Inserts a text for debuggers between the commands (`glDebugMessageInsert`).
  public func insertDebugSignpost(_ text: String, fileID: StaticString = #fileID, line: Int = #line) {
    append(.insertDebugSignpost(text), at: Recording.CallSite(fileID, line))
  }

  // MARK: Order and time

  /// Orders the commands so far before those that wait for `fence`. Has no effect of its own, as commands always run in
  /// order.
  public func updateFence(_ fence: Fence) {
    check(fence)
    updatedFences.append(fence)
  }

  /// Orders the commands that follow after the update of `fence` by an earlier encoder.
  public func waitForFence(_ fence: Fence) {
    check(fence)
    trap(
      unless: !updatedFences.contains { $0 === fence },
      "encoder '\(label)' waits for fence '\(fence.label)', which it updated itself; wait in another encoder")
  }

  /// Samples the time at which the device reaches this point (`glQueryCounterEXT`, or the host's clock if the device
  /// has none).
  public func sampleCounters(
    _ sampleBuffer: CounterSampleBuffer, sampleIndex: Int, fileID: StaticString = #fileID, line: Int = #line
  ) {
    sampleBuffer.check(sampleIndex..<sampleIndex + 1)
    append(.sampleCounters(sampleBuffer, index: sampleIndex), at: Recording.CallSite(fileID, line))
  }

  private func check(_ fence: Fence) {
    trap(
      unless: fence.home === device.thread,
      "fence '\(fence.label)' of another device was used on encoder '\(label)'; make it with this device's makeFence()")
  }
}
