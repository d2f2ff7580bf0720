import Synchronization

/// Counts up, and lets tasks wait until it has got so far.
final class Counter: Sendable {
  private struct State {
    var value = 0
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var value: Int { state.withLock(\.value) }

  func increment() {
    let woken = state.withLock { state in
      state.value += 1
      let woken = state.waiting.filter { $0.count <= state.value }
      state.waiting.removeAll { $0.count <= state.value }
      return woken
    }
    for waiting in woken { waiting.continuation.resume() }
  }

  func wait(until count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.value < count { state.waiting.append((count, continuation)) }
        return state.value >= count
      }
      if isThere { continuation.resume() }
    }
  }
}
