internal import Dispatch

/// Threads for decoding and encoding, apart from those of Swift's tasks, which must not be blocked by files.
final class CodecPool: Sendable {
  private let queue = DispatchQueue(label: "safelight.codec", attributes: .concurrent)
  private let places: DispatchSemaphore

  /// Allows `jobs` pieces of work at a time.
  init(jobs: Int) { places = DispatchSemaphore(value: jobs) }

  /// Runs `work` on a thread of the pool.
  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [places] in
        // Frames on the way are bounded, and with them the threads that wait here.
        places.wait()
        defer { places.signal() }
        continuation.resume(with: Result { try work() })
      }
    }
  }
}
