/// Who can reach the bytes of a resource; Metal's `MTLStorageMode`.
public enum StorageMode: String, Codable, Hashable, Sendable {
  /// The device and, through ``Buffer/contents()``, this process: what it writes is there for the next commit, what the device
  /// writes is there on completion.
  case shared
  /// As `shared`, but only what ``Buffer/didModifyRange(_:)`` and ``BlitCommandEncoder/synchronize(_:)`` name is carried over.
  case managed
  /// The device alone.
  case `private`
}
