package import SafelightImage
import Synchronization

/// A short queue between one task that makes things and one that takes them; whoever is ahead waits.
///
/// Bounded, so that a fast maker holds `capacity` things and no more. When the taker is cancelled or leaves, the
/// queue closes and the maker is told at its next ``send(_:)``.
package final class Handover<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var taker: CheckedContinuation<Void, Never>?
    var maker: CheckedContinuation<Void, Never>?
    var isFinished = false
    var failure: SafelightError?

    mutating func wakeBoth() -> [CheckedContinuation<Void, Never>] {
      defer { (taker, maker) = (nil, nil) }
      return [taker, maker].compactMap(\.self)
    }
  }

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Waits for room and leaves `element` there; false where nobody takes it any more.
  package func send(_ element: Element) async -> Bool {
    while true {
      let (isOpen, taker) = state.withLock { state -> (Bool?, CheckedContinuation<Void, Never>?) in
        guard !state.isFinished else { return (false, nil) }
        guard state.waiting.count < capacity else { return (nil, nil) }
        state.waiting.append(element)
        defer { state.taker = nil }
        return (true, state.taker)
      }
      taker?.resume()
      if let isOpen { return isOpen }
      await wait(for: \.maker) { !$0.isFinished && $0.waiting.count >= self.capacity }
    }
  }

  /// The next thing; nil at the end, and once the task that asks is cancelled.
  package func next() async throws(SafelightError) -> Element? {
    while true {
      if Task.isCancelled { close() }
      let (element, isOver, failure, maker) = state.withLock { state in
        guard !state.waiting.isEmpty else {
          defer { state.failure = nil }
          return (Element?.none, state.isFinished, state.failure, CheckedContinuation<Void, Never>?.none)
        }
        defer { state.maker = nil }
        return (state.waiting.removeFirst(), false, nil, state.maker)
      }
      maker?.resume()
      if let element { return element }
      if let failure { throw failure }
      if isOver { return nil }
      await withTaskCancellationHandler {
        await wait(for: \.taker) { !$0.isFinished && $0.waiting.isEmpty }
      } onCancel: {
        close()
      }
    }
  }

  /// No more will come; what is there can still be taken, and then `failure` is thrown.
  package func finish(_ failure: SafelightError? = nil) {
    let woken = state.withLock { state in
      guard !state.isFinished else { return [CheckedContinuation<Void, Never>]() }
      state.isFinished = true
      state.failure = failure
      return state.wakeBoth()
    }
    woken.forEach { $0.resume() }
  }

  /// Nobody takes any more: what waits is given up. Returns it.
  @discardableResult
  package func close() -> [Element] {
    let (left, woken) = state.withLock { state in
      defer { state.waiting = [] }
      state.isFinished = true
      state.failure = nil
      return (state.waiting, state.wakeBoth())
    }
    woken.forEach { $0.resume() }
    return left
  }

  /// Sleeps until woken, unless `mustWait` is no longer true.
  private func wait(
    for place: WritableKeyPath<State, CheckedContinuation<Void, Never>?>, while mustWait: (State) -> Bool
  ) async {
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        guard mustWait(state) else { return false }
        trap(unless: state[keyPath: place] == nil, "a handover has one task at each end; give each its own")
        state[keyPath: place] = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }
}
