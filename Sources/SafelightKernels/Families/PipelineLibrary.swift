internal import Synchronization

/// The variants of a kernel's functions, made at first use and shared by all devices: executors tell pipelines apart
/// by identity.
final class PipelineLibrary<Key: Hashable & Sendable, Pipeline: Sendable>: Sendable {
  private let variants = Mutex<[Key: Pipeline]>([:])
  private let make: @Sendable (Key) -> Pipeline

  init(_ make: @escaping @Sendable (Key) -> Pipeline) { self.make = make }

  subscript(key: Key) -> Pipeline {
    variants.withLock { variants in
      if let known = variants[key] { return known }
      let made = make(key)
      variants[key] = made
      return made
    }
  }
}
