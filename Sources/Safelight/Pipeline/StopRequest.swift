internal import Synchronization

/// Asks a run to take no new frames and finish those on the way.
public final class StopRequest: Sendable {
  private let state = Mutex<(isMade: Bool, listeners: [@Sendable () -> Void])>((false, []))

  /// Makes a request that nobody has made yet.
  public init() {}

  /// True once ``make()`` was called.
  public var isMade: Bool { state.withLock { $0.isMade } }

  /// Asks; may be called from any thread, and again.
  public func make() {
    let listeners = state.withLock { state in
      defer { state = (true, []) }
      return state.listeners
    }
    listeners.forEach { $0() }
  }

  /// Runs `listener` when the request is made, on the thread that makes it; at once where it was.
  public func whenMade(_ listener: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      if !state.isMade { state.listeners.append(listener) }
      return state.isMade
    }
    if isMade { listener() }
  }
}
