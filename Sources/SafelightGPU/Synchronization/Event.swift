internal import Dispatch
internal import SafelightGLES
internal import SafelightImage
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
  let home: DeviceThread?

  private struct State {
    var value: UInt64 = 0
    var nextNumber = 0
    var waiters: [(number: Int, value: UInt64, body: @Sendable () -> Void)] = []
    /// Other processes' share in it.
    var relay: EventRelay?

    /// Raises the number; returns whom to wake.
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

  /// Raises the number to `value`; a smaller one changes nothing. Wakes those who waited for it, on this thread.
  func signal(_ value: UInt64) {
    // Under one lock: a counter made in between would never hear of the value.
    let woken = state.withLock { state in
      state.relay?.counter.raise(to: value)
      return state.raise(to: value)
    }
    for body in woken { body() }
  }

  /// Calls `body` once the number is `value` or more: now, or on the thread that raises it. Returns how to ``forget(_:)`` it.
  func notify(atValue value: UInt64, _ body: @escaping @Sendable () -> Void) -> Int? {
    let number = state.withLock { state -> Int? in
      guard max(state.value, state.relay?.counter.value ?? 0) < value else { return nil }
      state.nextNumber += 1
      state.waiters.append((state.nextNumber, value, body))
      // Started under the lock: what other processes signal from now on is heard.
      state.relay?.start(self)
      return state.nextNumber
    }
    if number == nil { body() }
    return number
  }

  func forget(_ number: Int) { state.withLock { $0.waiters.removeAll { $0.number == number } } }

  /// How many wait for it.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// The number as other processes may share it; made at the first call.
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

  /// Joins the number of other processes; called before anybody uses the event.
  func join(_ counter: SharedCounter) { state.withLock { $0.relay = EventRelay(counter) } }
}

/// Listens to the number that an event shares with other processes, and tells those of this process who wait for it.
final class EventRelay: Sendable {
  let counter: SharedCounter
  private let state = Mutex(State.idle)

  private enum State {
    case idle, listening, stopped
  }

  init(_ counter: SharedCounter) { self.counter = counter }

  /// Begins to listen, on a thread that it keeps until ``stop()``; once is enough.
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
        // Gone before the wait: the thread must not keep the event alive.
        event?.signal(counter.value)
        guard state.withLock({ $0 == .listening }) else { return }
        counter.wait(after: changes)
      }
    }
  }

  /// Ends the thread.
  func stop() {
    let wasListening = state.withLock { state -> Bool in
      defer { state = .stopped }
      return state == .listening
    }
    if wasListening { counter.wake() }
  }
}

/// Says that an encoder comes after another; Metal's `MTLFence`.
///
/// Nothing is left to order: a device runs its encoders one after the other, and derives barriers from what commands read and write. What
/// Metal code says with fences is checked all the same.
public final class Fence: Sendable {
  /// A name for messages.
  public let label: String
  let home: DeviceThread

  init(label: String, home: DeviceThread) {
    self.label = label
    self.home = home
  }
}

/// Times at points between commands; Metal's `MTLCounterSampleBuffer` of the timestamp counter.
public final class CounterSampleBuffer: Sendable {
  /// The number of samples.
  public let sampleCount: Int
  /// A name for messages.
  public let label: String

  private let samples: Mutex<[Double?]>

  init(sampleCount: Int, label: String) {
    self.sampleCount = sampleCount
    self.label = label
    samples = Mutex([Double?](repeating: nil, count: sampleCount))
  }

  /// Seconds on the clock of `CommandBuffer.gpuStartTime`, one for each index of `range`.
  ///
  /// Nil where nothing was sampled yet, the command buffer has not completed, or the device's clock was disturbed.
  public func resolveCounterRange(_ range: Range<Int>) -> [Double?] {
    check(range)
    return samples.withLock { Array($0[range]) }
  }

  func fill(_ index: Int, _ seconds: Double?) { samples.withLock { $0[index] = seconds } }

  func check(_ range: Range<Int>) {
    trap(
      unless: range.lowerBound >= 0 && range.upperBound <= sampleCount,
      "samples \(range) lie outside counter sample buffer '\(label)' of \(sampleCount); make it larger")
  }
}
