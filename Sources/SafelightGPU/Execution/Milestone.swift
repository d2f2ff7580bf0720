internal import Synchronization

/// A point that a command buffer passes once: its handlers are called first, in order, then whoever waits for it goes on.
final class Milestone: Sendable {
  typealias Handler = @Sendable (CommandBuffer) -> Void

  private struct State {
    var handlers: [Handler] = []
    /// Those who wait until every handler was called.
    var waiters: [@Sendable () -> Void] = []
    /// True once every handler was called.
    var isPassed = false
  }

  private let state = Mutex(State())

  var isPassed: Bool { state.withLock { $0.isPassed } }

  /// Calls `handler` when the point is passed; at once if it has been.
  func add(_ handler: @escaping Handler, of buffer: CommandBuffer) {
    let isPassed = state.withLock { state -> Bool in
      if !state.isPassed { state.handlers.append(handler) }
      return state.isPassed
    }
    if isPassed { handler(buffer) }
  }

  /// Calls `body` once every handler was called; at once if they have been.
  func wait(_ body: @escaping @Sendable () -> Void) {
    let isPassed = state.withLock { state -> Bool in
      if !state.isPassed { state.waiters.append(body) }
      return state.isPassed
    }
    if isPassed { body() }
  }

  /// Calls everybody; those who are added meanwhile too, nobody twice.
  func pass(_ buffer: CommandBuffer) {
    while let handler = next() { handler(buffer) }
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// The handler whose turn it is; nil when all were called.
  private func next() -> Handler? {
    state.withLock { state in
      guard !state.handlers.isEmpty else {
        state.isPassed = true
        return nil
      }
      return state.handlers.removeFirst()
    }
  }
}
