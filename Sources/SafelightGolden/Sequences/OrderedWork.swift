import Dispatch
internal import SafelightImage
import Synchronization

/// Numbered work on several threads, with results in order.
package enum OrderedWork {
  private struct State<Value> {
    var next = 0
    var isStopped = false
    var results: [Int: Value] = [:]
  }

  /// A state that several threads share.
  private final class Shared<Value: Sendable>: Sendable { let value = Mutex(State<Value>()) }

  /// Runs `work` for 0 to `count` − 1 on `jobs` threads, and `deliver` for each result on the calling thread, in
  /// ascending order.
  ///
  /// At most `jobs` + 1 results are in flight. An error thrown by `deliver` stops the rest and is rethrown.
  package static func run<Value: Sendable, Failure: Error>(
    _ count: Int, jobs: Int, _ work: @escaping @Sendable (Int) -> Value,
    deliver: (Int, Value) throws(Failure) -> Void
  ) throws(Failure) {
    trap(unless: jobs > 0, "work needs a thread; pass at least one job")
    let state = Shared<Value>()
    let (permits, arrivals, threads) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    let queue = DispatchQueue(label: "safelight.comparison", attributes: .concurrent)
    for _ in 0..<min(jobs, count) {
      queue.async(group: threads) {
        while true {
          permits.wait()
          let index = state.value.withLock { state -> Int? in
            guard !state.isStopped, state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
          }
          guard let index else { return }
          let result = work(index)
          state.value.withLock { $0.results[index] = result }
          arrivals.signal()
        }
      }
    }
    defer {
      state.value.withLock { $0.isStopped = true }
      for _ in 0..<jobs { permits.signal() }
      threads.wait()
    }
    for _ in 0...jobs { permits.signal() }
    for index in 0..<count {
      var result = state.value.withLock { $0.results.removeValue(forKey: index) }
      while result == nil {
        arrivals.wait()
        result = state.value.withLock { $0.results.removeValue(forKey: index) }
      }
      if let result { try deliver(index, result) }
      permits.signal()
    }
  }
}
