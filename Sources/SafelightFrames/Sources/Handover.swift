package import SafelightImage
import Synchronization

/// A bounded queue between one producer task and one consumer task; whoever is ahead waits.
///
/// It holds at most `capacity` elements. When the consumer is cancelled or leaves, the queue closes, and the producer
/// learns of it at its next ``send(_:)``.
package final class Handover<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var consumer: CheckedContinuation<Void, Never>?
    var producer: CheckedContinuation<Void, Never>?
    var isFinished = false
    var failure: SafelightError?

    mutating func wakeBoth() -> [CheckedContinuation<Void, Never>] {
      defer { (consumer, producer) = (nil, nil) }
      return [consumer, producer].compactMap(\.self)
    }
  }

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Waits for space and appends `element`; returns false if the queue is closed.
  package func send(_ element: Element) async -> Bool {
    while true {
      let (isOpen, consumer) = state.withLock { state -> (Bool?, CheckedContinuation<Void, Never>?) in
        guard !state.isFinished else { return (false, nil) }
        guard state.waiting.count < capacity else { return (nil, nil) }
        state.waiting.append(element)
        defer { state.consumer = nil }
        return (true, state.consumer)
      }
      consumer?.resume()
      if let isOpen { return isOpen }
      await wait(for: \.producer) { !$0.isFinished && $0.waiting.count >= self.capacity }
    }
  }

  /// Returns the next element; nil at the end, and once the calling task is cancelled.
  package func next() async throws(SafelightError) -> Element? {
    while true {
      if Task.isCancelled { close() }
      let (element, isOver, failure, producer) = state.withLock { state in
        guard !state.waiting.isEmpty else {
          defer { state.failure = nil }
          return (Element?.none, state.isFinished, state.failure, CheckedContinuation<Void, Never>?.none)
        }
        defer { state.producer = nil }
        return (state.waiting.removeFirst(), false, nil, state.producer)
      }
      producer?.resume()
      if let element { return element }
      if let failure { throw failure }
      if isOver { return nil }
      await withTaskCancellationHandler {
        await wait(for: \.consumer) { !$0.isFinished && $0.waiting.isEmpty }
      } onCancel: {
        close()
      }
    }
  }

  /// Ends the queue: the remaining elements can still be taken, and then `failure` is thrown.
  package func finish(_ failure: SafelightError? = nil) {
    let woken = state.withLock { state in
      guard !state.isFinished else { return [CheckedContinuation<Void, Never>]() }
      state.isFinished = true
      state.failure = failure
      return state.wakeBoth()
    }
    woken.forEach { $0.resume() }
  }

  /// Closes the queue and returns the remaining elements.
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

  /// Sleeps until woken, unless `mustWait` is false by now.
  private func wait(
    for place: WritableKeyPath<State, CheckedContinuation<Void, Never>?>, while mustWait: (State) -> Bool
  ) async {
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        guard mustWait(state) else { return false }
        trap(
          unless: state[keyPath: place] == nil, "a handover has one producer and one consumer; give each pair its own")
        state[keyPath: place] = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }
}
