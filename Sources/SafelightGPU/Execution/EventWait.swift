internal import Dispatch

/// A replay's wait for an event: who wakes it, and until when.
final class EventWait {
  let event: Event
  let value: UInt64
  let seconds: Double
  let deadline: Double
  private let number: Int?
  private let timer: any DispatchSourceTimer

  /// Calls `wake` on some thread when the event has the value and when the time is over.
  init(_ event: Event, value: UInt64, seconds: Double, wake: @escaping @Sendable () -> Void) {
    self.event = event
    self.value = value
    self.seconds = seconds
    deadline = HostClock.now + seconds
    // A timer is given up with the wait; a block handed to a queue would stay until its time.
    timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + seconds)
    timer.setEventHandler(handler: wake)
    timer.activate()
    number = event.notify(atValue: value, wake)
  }

  var isOver: Bool { event.hasReached(value) }
  /// A timer may ring a little before its time.
  var isExpired: Bool { HostClock.now >= deadline - 0.001 }

  deinit {
    timer.cancel()
    if let number { event.forget(number) }
  }
}
