import Dispatch
import SafelightImage

/// A thread for calls that block, which those of Swift's tasks must not; one call at a time.
struct BlockingThread: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  /// Runs `work` there.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(SafelightError) -> Value
  ) async throws(SafelightError) -> Value {
    let result: Result<Value, SafelightError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(SafelightError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
