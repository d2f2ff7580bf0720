internal import SafelightImage
internal import Synchronization

/// The variants of a kernel's functions, made at first use and shared by all devices: backends tell pipelines apart
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

/// Which function of a family's kernel is meant: `Kind` is the existential of the family's types.
struct FunctionKey<Kind: Sendable>: Hashable, Sendable {
  let kernel: Kind
  let format: PixelFormat
  let variant: Int
  private let type: ObjectIdentifier

  init(_ kernel: Kind, _ type: Any.Type, _ format: PixelFormat, _ variant: Int) {
    self.kernel = kernel
    self.format = format
    self.variant = variant
    self.type = ObjectIdentifier(type)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.type == right.type && left.format == right.format && left.variant == right.variant
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(format)
    hasher.combine(variant)
  }
}
