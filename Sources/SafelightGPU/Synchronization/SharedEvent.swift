internal import Dispatch
internal import SafelightGLES
public import SafelightImage

/// An event shared with the CPU, other devices and other processes; Metal's `MTLSharedEvent`.
///
/// A device signals it once all its work before the signal is done (`glFenceSync`, `glClientWaitSync`): the contexts of
/// two devices share nothing that `glWaitSync` could wait for. Safe to use from any thread.
public final class SharedEvent: Sendable {
  package let event: Event

  /// Makes an event of value 0 for any device of the process, like `Device.makeSharedEvent`.
  public init(label: String = "shared event") { event = Event(label: label, home: nil) }

  /// Joins the event behind `handle`; Metal's `makeSharedEvent(handle:)`.
  public init(_ handle: SharedEventHandle, label: String = "shared event") {
    event = Event(label: label, home: nil)
    event.join(handle.counter)
  }

  /// A name for messages.
  public var label: String { event.label }

  /// The last signaled number, which never decreases. Raising it calls this process's waiters on the current thread.
  public var signaledValue: UInt64 {
    get { event.value }
    set { event.signal(newValue) }
  }

  /// Calls `handler` once the value is at least `value`: immediately, or on the thread that raises it, which may be a
  /// device's or one that listens to other processes.
  public func notify(atValue value: UInt64, _ handler: @escaping @Sendable (SharedEvent, UInt64) -> Void) {
    _ = event.notify(atValue: value) { handler(self, self.signaledValue) }
  }

  /// Blocks until the value is at least `value`; returns false after `timeout`.
  public func wait(untilSignaledValue value: UInt64, timeout: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let number = event.notify(atValue: value) { done.signal() }
    defer { if let number { event.forget(number) } }
    return done.wait(timeout: .now() + timeout.inSeconds) == .success || event.hasReached(value)
  }

  /// Returns a handle with which another process joins the event.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if the system has no memory to share.
  public func makeSharedEventHandle() throws(SafelightError) -> SharedEventHandle {
    SharedEventHandle(try event.sharedCounter(), label: label)
  }
}

/// A shared event in other processes; Metal's `MTLSharedEventHandle`.
///
/// It owns a file descriptor, closed with the last reference to handle and event. Another process receives it over a
/// Unix socket (`SCM_RIGHTS`) or as `/proc/PID/fd/N`, a child as a duplicate (`posix_spawn_file_actions_adddup2`).
public final class SharedEventHandle: Sendable {
  /// A name for messages.
  public let label: String
  package let counter: SharedCounter

  init(_ counter: SharedCounter, label: String) {
    self.counter = counter
    self.label = label
  }

  /// Makes a handle from another process's descriptor, which remains the caller's to close.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is not a shared event's.
  public init(fileDescriptor: Int32, label: String = "shared event") throws(SafelightError) {
    counter = try SharedCounter(sharing: fileDescriptor)
    self.label = label
  }

  /// The descriptor of the memory that holds the number; valid as long as the handle.
  public var fileDescriptor: Int32 { counter.descriptor }
}
