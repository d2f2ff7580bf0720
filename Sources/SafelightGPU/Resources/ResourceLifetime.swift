internal import Synchronization

/// The identity of a texture or buffer, the same on every executor that replays it.
package struct ResourceID: Hashable, Sendable {
  private let number: UInt64

  private static let next = Atomic<UInt64>(1)

  init() { number = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// Knows in which executors a resource has storage, and has it released there when the last reference goes.
///
/// Resources themselves are plain handles; storage is made by an executor when a replay first needs it.
package final class ResourceLifetime: Sendable {
  package let id = ResourceID()
  private let homes = Mutex<[Executor]>([])

  /// Called by an executor when it made storage.
  func settle(in executor: Executor) {
    homes.withLock { $0.append(executor) }
  }

  deinit {
    let id = id
    for executor in homes.withLock({ $0 }) { executor.release(id) }
  }
}
