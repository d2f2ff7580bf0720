internal import Synchronization

/// The identity of a texture or buffer, the same on every backend.
package struct ResourceID: Hashable, Sendable {
  private let number: UInt64

  private static let next = Atomic<UInt64>(1)

  package init() { number = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The storage of a resource on all backends, which a pool keeps when the resource itself is released.
struct ResourceStorage: Sendable {
  let id = ResourceID()
  var homes: [DeviceThread] = []
  /// True if its memory was exported to others, who may use it at any time.
  var isExported = false

  func release() { for thread in homes { thread.release(id) } }

  /// Sets it to zeros on all backends, after all earlier work.
  func erase() { for thread in homes { thread.erase(id) } }
}

/// Tracks the backends on which a resource has storage, and releases it there with the last reference.
///
/// Resources themselves are plain handles; a backend makes storage when a replay first needs it. A recorded command
/// refers to its resources, and a command buffer in flight to its commands, so no work on the storage is left when it
/// is released.
package final class ResourceLifetime: Sendable {
  package let id: ResourceID
  private let storage: Mutex<ResourceStorage>
  /// Takes over the storage.
  private let heir: @Sendable (ResourceStorage) -> Void

  /// Makes a resource on `storage`, new or reused, which `heir` takes over in the end, by default to release it.
  init(
    _ storage: ResourceStorage = ResourceStorage(),
    leavingTo heir: @escaping @Sendable (ResourceStorage) -> Void = { $0.release() }
  ) {
    id = storage.id
    self.storage = Mutex(storage)
    self.heir = heir
  }

  /// Records that a backend made storage; called on its thread.
  func settle(in thread: DeviceThread) {
    storage.withLock { storage in
      // Storage is made again after a lost context.
      if !storage.homes.contains(where: { $0 === thread }) { storage.homes.append(thread) }
    }
    thread.settle(id)
  }

  /// Notes that the memory was exported, so that no other resource gets it.
  package func markExported() { storage.withLock { $0.isExported = true } }

  deinit { heir(storage.withLock { $0 }) }
}
