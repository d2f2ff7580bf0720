internal import Dispatch
internal import SafelightImage

/// An event that the CPU and other devices see as well; Metal's `MTLSharedEvent`, within one process.
///
/// A device signals it once all its work before the signal is done (`glFenceSync`, `glClientWaitSync`): contexts of two devices share
/// nothing that `glWaitSync` could wait for. Safe to use from any thread.
public final class SharedEvent: Sendable {
  let event: Event

  /// Makes an event of value 0 for any device of the process; `Device.makeSharedEvent` is the same.
  public init(label: String = "shared event") { event = Event(label: label, home: nil) }

  /// A name for messages.
  public var label: String { event.label }

  /// The number that was signalled last. Raising it wakes who waits for it, on this thread; it never sinks.
  public var signaledValue: UInt64 {
    get { event.value }
    set { event.signal(newValue) }
  }

  /// Calls `handler` once the value is `value` or more: at once where it is, else on the thread that raises it, which may be a device's own.
  public func notify(atValue value: UInt64, _ handler: @escaping @Sendable (SharedEvent, UInt64) -> Void) {
    _ = event.notify(atValue: value) { handler(self, self.signaledValue) }
  }

  /// Blocks until the value is `value` or more; false when that took longer than `timeout`.
  public func wait(untilSignaledValue value: UInt64, timeout: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let number = event.notify(atValue: value) { done.signal() }
    defer { if let number { event.forget(number) } }
    return done.wait(timeout: .now() + timeout.inSeconds) == .success || event.hasReached(value)
  }
}
