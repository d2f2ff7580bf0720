internal import Dispatch
internal import SafelightGLES
public import SafelightImage

/// An event that the CPU, other devices and other processes see as well; Metal's `MTLSharedEvent`.
///
/// A device signals it once all its work before the signal is done (`glFenceSync`, `glClientWaitSync`): contexts of two devices share
/// nothing that `glWaitSync` could wait for. Safe to use from any thread.
public final class SharedEvent: Sendable {
  package let event: Event

  /// Makes an event of value 0 for any device of the process; `Device.makeSharedEvent` is the same.
  public init(label: String = "shared event") { event = Event(label: label, home: nil) }

  /// Joins the event that `handle` stands for; Metal's `makeSharedEvent(handle:)`.
  public init(_ handle: SharedEventHandle, label: String = "shared event") {
    event = Event(label: label, home: nil)
    event.join(handle.counter)
  }

  /// A name for messages.
  public var label: String { event.label }

  /// The number that was signalled last. Raising it wakes who waits for it, those of this process on this thread; it never sinks.
  public var signaledValue: UInt64 {
    get { event.value }
    set { event.signal(newValue) }
  }

  /// Calls `handler` once the value is `value` or more: at once where it is, else on the thread that raises it, which may be a device's
  /// own, or on one that listens to other processes.
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

  /// What another process needs to join the event. Throws ``SafelightError/Kind/environment`` where the system has no memory to share.
  public func makeSharedEventHandle() throws(SafelightError) -> SharedEventHandle {
    SharedEventHandle(try event.sharedCounter(), label: label)
  }
}

/// Stands for a shared event in other processes; Metal's `MTLSharedEventHandle`.
///
/// It owns a file descriptor, which goes to the other process over a Unix socket (`SCM_RIGHTS`), as `/proc/PID/fd/N`, or to a
/// child as a duplicate (`posix_spawn_file_actions_adddup2`); closed with the last reference to handle and event.
public final class SharedEventHandle: Sendable {
  /// A name for messages.
  public let label: String
  package let counter: SharedCounter

  init(_ counter: SharedCounter, label: String) {
    self.counter = counter
    self.label = label
  }

  /// Makes a handle of a descriptor that came from another process; the descriptor stays the caller's to close.
  ///
  /// Throws ``SafelightError/Kind/input`` where it is no shared event's.
  public init(fileDescriptor: Int32, label: String = "shared event") throws(SafelightError) {
    counter = try SharedCounter(sharing: fileDescriptor)
    self.label = label
  }

  /// The memory in which the number lies; valid as long as the handle.
  public var fileDescriptor: Int32 { counter.descriptor }
}
