internal import Synchronization

/// The identity of a texture or buffer, the same on every backend that replays it.
package struct ResourceID: Hashable, Sendable {
  private let number: UInt64

  private static let next = Atomic<UInt64>(1)

  package init() { number = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The storage of a resource, wherever backends made it: what a pool keeps when the resource itself is gone.
struct ResourceStorage: Sendable {
  let id: ResourceID
  var homes: [DeviceThread] = []
  /// Whether its memory was handed to others, who may work in it for ever.
  var isExported = false

  /// Frees it everywhere.
  func release() {
    for thread in homes { thread.release(id) }
  }

  /// Makes it zeros everywhere, after all earlier work.
  func erase() {
    for thread in homes { thread.erase(id) }
  }
}

/// Knows in which backends a resource has storage, and has it released there when the last reference goes.
///
/// Resources themselves are plain handles; storage is made by a backend when a replay first needs it. A recorded
/// command refers to its resources, and a command buffer on its way to its commands: when the last reference goes, no
/// work on the storage is left.
package final class ResourceLifetime: Sendable {
  package let id: ResourceID
  private let storage: Mutex<ResourceStorage>
  /// Takes the storage over in the place of its release.
  private let heir: (@Sendable (ResourceStorage) -> Void)?

  /// Makes a resource without storage.
  init() {
    id = ResourceID()
    storage = Mutex(ResourceStorage(id: id))
    heir = nil
  }

  /// Makes a resource on `storage`, new or used, and leaves it to `heir` in the end.
  init(_ storage: ResourceStorage, leavingTo heir: @escaping @Sendable (ResourceStorage) -> Void) {
    id = storage.id
    self.storage = Mutex(storage)
    self.heir = heir
  }

  /// Called by a backend, on its thread, when it made storage.
  func settle(in thread: DeviceThread) {
    storage.withLock { storage in
      // Storage is made anew after a lost context.
      if !storage.homes.contains(where: { $0 === thread }) { storage.homes.append(thread) }
    }
    thread.settle(id)
  }

  /// Called once the memory was handed to others: no other resource gets it.
  package func markExported() { storage.withLock { $0.isExported = true } }

  deinit {
    let storage = storage.withLock { $0 }
    if let heir { heir(storage) } else { storage.release() }
  }
}
