internal import Synchronization

/// Orders command buffers of one device's queues by a number that only grows; Metal's `MTLEvent`.
///
/// `CommandBuffer.encodeSignalEvent` sets the number and `CommandBuffer.encodeWaitForEvent` waits for it. All queues of a device share
/// one stream of OpenGL ES commands, so a signal needs no `glFenceSync` and a wait no `glWaitSync`: a buffer that waits is held back, with
/// its queue, and the buffers of other queues pass it.
public final class Event: Sendable {
  /// A name for messages.
  public let label: String
  /// The device that may use it; nil for the inner event of a shared one.
  let home: Executor?

  private struct State {
    var value: UInt64 = 0
    var nextNumber = 0
    var waiters: [(number: Int, value: UInt64, body: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  init(label: String, home: Executor?) {
    self.label = label
    self.home = home
  }

  var value: UInt64 { state.withLock { $0.value } }

  func hasReached(_ value: UInt64) -> Bool { self.value >= value }

  /// Raises the number to `value`; a smaller one changes nothing. Wakes those who waited for it, on this thread.
  func signal(_ value: UInt64) {
    let woken = state.withLock { state in
      guard value > state.value else { return [@Sendable () -> Void]() }
      state.value = value
      let woken = state.waiters.filter { $0.value <= value }.map(\.body)
      state.waiters.removeAll { $0.value <= value }
      return woken
    }
    for body in woken { body() }
  }

  /// Calls `body` once the number is `value` or more: now, or on the thread that raises it. Returns how to ``forget(_:)`` it.
  func notify(atValue value: UInt64, _ body: @escaping @Sendable () -> Void) -> Int? {
    let number = state.withLock { state -> Int? in
      guard state.value < value else { return nil }
      state.nextNumber += 1
      state.waiters.append((state.nextNumber, value, body))
      return state.nextNumber
    }
    if number == nil { body() }
    return number
  }

  func forget(_ number: Int) { state.withLock { $0.waiters.removeAll { $0.number == number } } }

  /// How many wait for it.
  var waiterCount: Int { state.withLock { $0.waiters.count } }
}
