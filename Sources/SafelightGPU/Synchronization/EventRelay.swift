internal import Dispatch
internal import SafelightGLES
internal import Synchronization

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
