internal import SafelightImage
internal import Synchronization

/// Order between queues, and with the CPU.
extension CommandBuffer {
  /// Raises `event` to `value` when everything recorded before is done.
  public func encodeSignalEvent(
    _ event: Event, value: UInt64, fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(event)
    appendBetweenEncoders(.signalEvent(event, value: value), Recording.Place(fileID, line))
  }

  /// Raises `event` to `value` when everything recorded before is done (`glFenceSync`, `glClientWaitSync`).
  public func encodeSignalEvent(
    _ event: SharedEvent, value: UInt64, fileID: StaticString = #fileID, line: Int = #line
  ) {
    appendBetweenEncoders(.signalEvent(event.event, value: value), Recording.Place(fileID, line))
  }

  /// Holds what is recorded after it, and the queue, back until `event` has reached `value`; other queues go on.
  ///
  /// Where nobody signals the event within `timeout` the buffer fails and says so.
  public func encodeWaitForEvent(
    _ event: Event, value: UInt64, timeout: Duration = .seconds(30), fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(event)
    appendBetweenEncoders(
      .waitForEvent(event, value: value, seconds: timeout.inSeconds), Recording.Place(fileID, line))
  }

  /// Holds what is recorded after it, and the queue, back until `event` has reached `value`; other queues go on.
  ///
  /// Where nobody signals the event within `timeout` the buffer fails and says so.
  public func encodeWaitForEvent(
    _ event: SharedEvent, value: UInt64, timeout: Duration = .seconds(30), fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    appendBetweenEncoders(
      .waitForEvent(event.event, value: value, seconds: timeout.inSeconds), Recording.Place(fileID, line))
  }

  private func check(_ event: Event) {
    trap(
      unless: event.home === device.executor,
      "event '\(event.label)' of another device was used on '\(label)'; use a SharedEvent between devices")
  }

  private func appendBetweenEncoders(_ command: Command, _ place: Recording.Place) {
    trap(
      unless: !state.withLock { $0.hasOpenEncoder },
      "command buffer '\(label)' recorded an event while an encoder is open; call endEncoding() first")
    append(command, place)
  }
}
