internal import Synchronization

/// A number of places, handed out in the order of asking.
final class Turnstile: Sendable {
  private struct State {
    var free: Int
    var waiting: [@Sendable () -> Void] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(free: places)) }

  /// Takes a place if one is free and nobody waits for it.
  func tryToEnter() -> Bool {
    state.withLock { state in
      guard state.free > 0 else { return false }
      state.free -= 1
      return true
    }
  }

  /// Takes a place now or later, and calls `entered` then: at once or on the thread that gives one back.
  func enter(_ entered: @escaping @Sendable () -> Void) {
    let isIn = state.withLock { state -> Bool in
      guard state.free > 0 else {
        state.waiting.append(entered)
        return false
      }
      state.free -= 1
      return true
    }
    if isIn { entered() }
  }

  /// Gives a place back, to whoever waits longest.
  func leave() {
    let next = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?()
  }
}
