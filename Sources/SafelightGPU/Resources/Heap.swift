public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Describes a heap; Metal's `MTLHeapDescriptor`.
public struct HeapDescriptor: Hashable, Sendable {
  /// The bytes of all its resources together.
  public var size: Int
  /// A name for messages and debuggers.
  public var label: String

  /// Describes a heap of `size` bytes.
  public init(size: Int, label: String = "heap") {
    self.size = size
    self.label = label
  }
}

/// The permission to discard the contents of a heap; Metal's `MTLPurgeableState`.
public enum PurgeableState: Hashable, Sendable {
  /// The state is not changed.
  case keepCurrent
  /// Contents are kept.
  case nonVolatile
  /// Contents may be discarded when memory is short.
  case volatile
  /// Contents may be discarded at once.
  case empty
}

/// A budget of bytes from which textures and buffers are made; Metal's `MTLHeap`.
///
/// OpenGL ES has no heaps: each resource has storage of its own, and a heap is a ``ResourcePool`` with Metal's names.
/// As in Metal, a resource beyond ``size`` is refused, and a released one makes room for another. Hazards are tracked
/// and contents are initially zero, as everywhere. There are no offsets.
public final class Heap: Sendable {
  private let pool: ResourcePool
  private let state = Mutex(PurgeableState.nonVolatile)

  init(device: Device, descriptor: HeapDescriptor) {
    pool = ResourcePool(device: device, budget: descriptor.size, label: descriptor.label)
  }

  /// The device of all resources.
  public var device: Device { pool.device }

  /// A name for messages and debuggers.
  public var label: String { pool.label }

  /// The bytes that its resources may take.
  public var size: Int { pool.budget }

  /// The bytes of existing resources that were not made aliasable.
  public var usedSize: Int { pool.statistics.usedBytes }

  /// The bytes that the heap has allocated on the device, including unused storage.
  public var currentAllocatedSize: Int {
    let statistics = pool.statistics
    return statistics.usedBytes + statistics.idleBytes
  }

  /// Returns the bytes of the largest resource that can be made now; alignment does not matter, as nothing is packed.
  public func maxAvailableSize(alignment: Int) -> Int {
    trap(unless: alignment > 0 && alignment & (alignment - 1) == 0, "an alignment is a power of two, not \(alignment)")
    return size - usedSize
  }

  /// Makes a texture of zeros with one level; throws an error of kind `limit` if Metal would return nil.
  public func makeTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    try pool.makeTexture(size, pixelFormat, label: label, fileID: fileID, line: line)
  }

  /// Makes a texture of zeros; throws an error of kind `limit` if Metal would return nil.
  public func makeTexture(
    _ descriptor: TextureDescriptor, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    try pool.makeTexture(descriptor, label: label, fileID: fileID, line: line)
  }

  /// Makes a buffer of zeros, by default private as in Metal; throws an error of kind `limit` if Metal would return
  /// nil.
  public func makeBuffer(
    length: Int, storageMode: StorageMode = .private, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    try pool.makeBuffer(length: length, storageMode: storageMode, label: label, fileID: fileID, line: line)
  }

  /// Gives the place of `texture` in the heap to resources made later. Its contents stay while it exists, which Metal
  /// does not promise: the bytes are counted, not shared.
  public func makeAliasable(_ texture: Texture) { alias(texture.lifetime, "texture '\(texture.label)'") }

  /// Gives the place of `buffer` in the heap to resources made later; its contents stay while it exists.
  public func makeAliasable(_ buffer: Buffer) { alias(buffer.lifetime, "buffer '\(buffer.label)'") }

  private func alias(_ lifetime: ResourceLifetime, _ subject: String) {
    trap(
      unless: pool.disown(lifetime.id),
      "\(subject) is already aliasable or was not made by '\(label)'; call makeAliasable on its own heap, once")
  }

  /// Sets whether contents may be discarded, and returns the previous state.
  ///
  /// `volatile` and `empty` free unused storage at once. Existing resources keep their contents in every state, as
  /// Metal allows.
  @discardableResult
  public func setPurgeableState(_ new: PurgeableState) -> PurgeableState {
    let before = state.withLock { state in
      defer { if new != .keepCurrent { state = new } }
      return state
    }
    if new == .volatile || new == .empty { pool.trim() }
    return before
  }
}

extension Device {
  /// Makes a heap of at most `descriptor.size` bytes.
  public func makeHeap(_ descriptor: HeapDescriptor) -> Heap { Heap(device: self, descriptor: descriptor) }

  /// Makes a pool of at most `budget` bytes.
  public func makeResourcePool(budget: Int, label: String = "pool") -> ResourcePool {
    ResourcePool(device: self, budget: budget, label: label)
  }
}
