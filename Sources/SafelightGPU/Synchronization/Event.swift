internal import Dispatch
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Orders the command buffers of one device's queues by a number that only grows; Metal's `MTLEvent`.
///
/// `CommandBuffer.encodeSignalEvent` sets the number and `CommandBuffer.encodeWaitForEvent` waits for it. All queues of
/// a device share one stream of OpenGL ES commands, so a signal needs no `glFenceSync` and a wait no `glWaitSync`: a
/// waiting buffer holds back its queue, and the buffers of other queues overtake it.
public final class Event: Sendable {
  /// A name for messages.
  public let label: String
  /// The device that may use it; nil if it belongs to a ``SharedEvent``.
  let home: DeviceThread?

  private struct State {
    var value: UInt64 = 0
    var nextNumber = 0
    var waiters: [(number: Int, value: UInt64, body: @Sendable () -> Void)] = []
    /// The connection to other processes, if shared with any.
    var relay: EventRelay?

    /// Raises the number; returns the waiters to call.
    mutating func raise(to value: UInt64) -> [@Sendable () -> Void] {
      guard value > self.value else { return [] }
      self.value = value
      let woken = waiters.filter { $0.value <= value }.map(\.body)
      waiters.removeAll { $0.value <= value }
      return woken
    }
  }

  private let state = Mutex(State())

  init(label: String, home: DeviceThread?) {
    self.label = label
    self.home = home
  }

  deinit { state.withLock { $0.relay?.stop() } }

  var value: UInt64 { state.withLock { max($0.value, $0.relay?.counter.value ?? 0) } }

  func hasReached(_ value: UInt64) -> Bool { self.value >= value }

  /// Raises the number to `value`, or leaves a greater one; calls its waiters on this thread.
  func signal(_ value: UInt64) {
    // Under one lock: a counter made in between would never receive the value.
    let woken = state.withLock { state in
      state.relay?.counter.raise(to: value)
      return state.raise(to: value)
    }
    for body in woken { body() }
  }

  /// Calls `body` once the number is at least `value`: now, or on the thread that raises it. Returns what
  /// ``forget(_:)`` takes, or nil if it called `body`.
  func notify(atValue value: UInt64, _ body: @escaping @Sendable () -> Void) -> Int? {
    let number = state.withLock { state -> Int? in
      guard max(state.value, state.relay?.counter.value ?? 0) < value else { return nil }
      state.nextNumber += 1
      state.waiters.append((state.nextNumber, value, body))
      // Started under the lock, so that no later signal of another process is missed.
      state.relay?.start(self)
      return state.nextNumber
    }
    if number == nil { body() }
    return number
  }

  func forget(_ number: Int) { state.withLock { $0.waiters.removeAll { $0.number == number } } }

  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Returns the counter through which other processes share the number; the first call makes it.
  func sharedCounter() throws(SafelightError) -> SharedCounter {
    let made = try SharedCounter(0)
    return state.withLock { state in
      if let relay = state.relay { return relay.counter }
      made.raise(to: state.value)
      let relay = EventRelay(made)
      if !state.waiters.isEmpty { relay.start(self) }
      state.relay = relay
      return made
    }
  }

  /// Shares the number of other processes; called before any other use of the event.
  func join(_ counter: SharedCounter) { state.withLock { $0.relay = EventRelay(counter) } }
}

/// A replay's wait for an event, with a deadline.
final class EventWait {
  let event: Event
  let value: UInt64
  let seconds: Double
  let deadline: Double
  private let number: Int?
  private let timer: any DispatchSourceTimer

  /// Calls `wake` on an unspecified thread when the event has reached the value and when the time is up.
  init(_ event: Event, value: UInt64, seconds: Double, wake: @escaping @Sendable () -> Void) {
    self.event = event
    self.value = value
    self.seconds = seconds
    deadline = HostClock.now + seconds
    // A timer is canceled with the wait; a block on a queue would stay until its time.
    timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + seconds)
    timer.setEventHandler(handler: wake)
    timer.activate()
    number = event.notify(atValue: value, wake)
  }

  var isOver: Bool { event.hasReached(value) }
  /// True from a millisecond before the deadline, as a timer may fire slightly early.
  var isExpired: Bool { HostClock.now >= deadline - 0.001 }

  deinit {
    timer.cancel()
    if let number { event.forget(number) }
  }
}

/// Listens to the number that an event shares with other processes, and signals the event in this one.
final class EventRelay: Sendable {
  let counter: SharedCounter
  private let state = Mutex(State.idle)

  private enum State { case idle, listening, stopped }

  init(_ counter: SharedCounter) { self.counter = counter }

  /// Starts to listen on a thread of its own, until ``stop()``; further calls do nothing.
  func start(_ event: Event) {
    let isFirst = state.withLock { state -> Bool in
      guard state == .idle else { return false }
      state = .listening
      return true
    }
    guard isFirst else { return }
    DispatchQueue(label: "relay of \(event.label)").async { [self, weak event] in
      while true {
        let changes = counter.changes
        // Released before the wait: the thread must not keep the event alive.
        event?.signal(counter.value)
        guard state.withLock({ $0 == .listening }) else { return }
        counter.wait(after: changes)
      }
    }
  }

  func stop() {
    let wasListening = state.withLock { state -> Bool in
      defer { state = .stopped }
      return state == .listening
    }
    if wasListening { counter.wake() }
  }
}
