package import SafelightImage
import Synchronization

/// A bounded queue between one producer task and one consumer task; whoever is ahead waits.
///
/// It holds at most `capacity` elements, and the one whose producer waits. When the consumer is cancelled or leaves,
/// the queue closes, and the producer learns of it at its next ``send(_:)``.
package final class Handover<Element: Sendable>: Sendable {
  private typealias Producer = CheckedContinuation<Bool, Never>
  private typealias Consumer = CheckedContinuation<Result<Element?, SafelightError>, Never>

  private struct State {
    var waiting: [Element] = []
    /// The element for which there is no space yet, and its producer.
    var blocked: (element: Element, producer: Producer)?
    var consumer: Consumer?
    var isFinished = false
    var failure: SafelightError?
  }

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) { self.capacity = capacity }

  /// Waits for space and appends `element`; returns false if the queue is closed.
  package func send(_ element: Element) async -> Bool {
    await withCheckedContinuation { producer in
      let (isSent, consumer) = state.withLock { state -> (Bool?, Consumer?) in
        guard !state.isFinished else { return (false, nil) }
        if let consumer = state.consumer.take() { return (true, consumer) }
        guard state.waiting.count >= capacity else {
          state.waiting.append(element)
          return (true, nil)
        }
        trap(unless: state.blocked == nil, "a handover has one producer; give each pair its own")
        state.blocked = (element, producer)
        return (nil, nil)
      }
      consumer?.resume(returning: .success(element))
      if let isSent { producer.resume(returning: isSent) }
    }
  }

  /// Returns the next element; nil at the end, and once the calling task is cancelled.
  package func next() async throws(SafelightError) -> Element? {
    if Task.isCancelled { close() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { consumer in
        let (result, producer) = state.withLock { state -> (Result<Element?, SafelightError>?, Producer?) in
          if !state.waiting.isEmpty {
            let blocked = state.blocked.take()
            if let blocked { state.waiting.append(blocked.element) }
            return (.success(state.waiting.removeFirst()), blocked?.producer)
          }
          if state.isFinished { return (state.failure.take().map { .failure($0) } ?? .success(nil), nil) }
          trap(unless: state.consumer == nil, "a handover has one consumer; give each pair its own")
          state.consumer = consumer
          return (nil, nil)
        }
        producer?.resume(returning: true)
        if let result { consumer.resume(returning: result) }
      }
    } onCancel: {
      close()
    }
    return try result.get()
  }

  /// Ends the queue: the remaining elements can still be taken, and then `failure` is thrown.
  package func finish(_ failure: SafelightError? = nil) {
    let (producer, consumer) = state.withLock { state -> (Producer?, Consumer?) in
      guard !state.isFinished else { return (nil, nil) }
      state.isFinished = true
      // A consumer that waits gets it at once.
      state.failure = state.consumer == nil ? failure : nil
      return (state.blocked.take()?.producer, state.consumer.take())
    }
    producer?.resume(returning: false)
    consumer?.resume(returning: failure.map { .failure($0) } ?? .success(nil))
  }

  /// Closes the queue and returns the remaining elements.
  @discardableResult
  package func close() -> [Element] {
    let (left, producer, consumer) = state.withLock { state in
      defer { (state.waiting, state.isFinished, state.failure) = ([], true, nil) }
      return (state.waiting, state.blocked.take()?.producer, state.consumer.take())
    }
    producer?.resume(returning: false)
    consumer?.resume(returning: .success(nil))
    return left
  }
}
