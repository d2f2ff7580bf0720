internal import Synchronization

/// A point that an object passes once: first its handlers are called, in order, then the waiting threads resume.
final class Milestone<Owner>: Sendable {
  typealias Handler = @Sendable (Owner) -> Void

  private struct State {
    var handlers: [Handler] = []
    /// Called once every handler returned.
    var waiters: [@Sendable () -> Void] = []
    /// True once every handler returned.
    var isPassed = false
  }

  private let state = Mutex(State())

  var isPassed: Bool { state.withLock { $0.isPassed } }

  /// Calls `handler` when the point is passed; immediately if it was.
  func add(_ handler: @escaping Handler, of owner: Owner) {
    if isPassed(else: { $0.handlers.append(handler) }) { handler(owner) }
  }

  /// Calls `body` once every handler returned; immediately if they did.
  func wait(_ body: @escaping @Sendable () -> Void) {
    if isPassed(else: { $0.waiters.append(body) }) { body() }
  }

  private func isPassed(else change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      if !state.isPassed { change(&state) }
      return state.isPassed
    }
  }

  /// Calls every handler once, including those added meanwhile, then resumes the waiting threads.
  func pass(_ owner: Owner) {
    while let handler = next() { handler(owner) }
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// Removes and returns the next handler; nil if all were called.
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

/// A number of places, taken in the order of requests.
final class Turnstile: Sendable {
  private struct State {
    var free: Int
    var waiting: [@Sendable () -> Void] = []

    mutating func takePlace() -> Bool {
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(free: places)) }

  /// Takes a place if one is free; returns false otherwise.
  func tryToEnter() -> Bool { state.withLock { $0.takePlace() } }

  /// Takes a place and then calls `entered`: immediately, or later on the thread that returns a place.
  func enter(_ entered: @escaping @Sendable () -> Void) {
    let isIn = state.withLock { state -> Bool in
      let isIn = state.takePlace()
      if !isIn { state.waiting.append(entered) }
      return isIn
    }
    if isIn { entered() }
  }

  /// Returns a place, to the longest-waiting request if any.
  func leave() {
    let next = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?()
  }
}
