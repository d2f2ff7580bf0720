public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Makes textures and buffers within a budget of bytes, and reuses their storage.
///
/// Its resources are like any others. When the last reference is released, including that of a command buffer in
/// flight, the storage waits in the pool for a request of the same kind, so that a program which makes the same
/// textures for each frame allocates nothing after the first few. Completed command buffers refer to their commands'
/// resources: release them.
///
/// Contents are initially zero, in new and reused storage, so that a recording always gives the same bytes. Safe to use
/// from any thread.
public final class ResourcePool: TextureMaker, Sendable {
  /// The kind of storage; storage of the same kind is interchangeable.
  enum Kind: Hashable, Sendable {
    case texture(TextureDescriptor)
    case buffer(length: Int)

    var bytes: Int {
      switch self {
      case .texture(let descriptor): descriptor.byteCount
      case .buffer(let length): length
      }
    }
  }

  private struct State {
    var counts = Statistics()
    var living: [ResourceID: Kind] = [:]
    /// Unused storage, the oldest first.
    var idle: [Idle] = []

    var requests: Int { counts.made + counts.reused }

    mutating func disown(_ id: ResourceID) -> Kind? {
      let kind = living.removeValue(forKey: id)
      counts.usedBytes -= kind?.bytes ?? 0
      return kind
    }
  }

  private struct Idle {
    let kind: Kind
    let storage: ResourceStorage
    /// The number of requests when its resource was released.
    let since: Int
  }

  /// Counts of a pool's resources and their bytes.
  public struct Statistics: Hashable, Sendable {
    /// The number of resources with new storage.
    public var made: Int
    /// The number of resources with reused storage.
    public var reused: Int
    /// The bytes of existing resources.
    public var usedBytes: Int
    /// The bytes of unused storage.
    public var idleBytes: Int
    /// The maximum of ``usedBytes`` so far.
    public var highWaterMark: Int

    package init(made: Int = 0, reused: Int = 0, usedBytes: Int = 0, idleBytes: Int = 0, highWaterMark: Int = 0) {
      self.made = made
      self.reused = reused
      self.usedBytes = usedBytes
      self.idleBytes = idleBytes
      self.highWaterMark = highWaterMark
    }
  }

  /// The device of all resources.
  public let device: Device
  /// The bytes that existing resources and unused storage may take.
  public let budget: Int
  /// A name for messages and debuggers.
  public let label: String
  /// True if reused storage is erased; not needed if every byte is written before it is read.
  private let erases: Bool
  /// The number of requests after which unused storage is freed; nil for never.
  private let maximumAge: Int?
  private let state = Mutex(State())

  /// Makes an empty pool of at most `budget` bytes.
  public convenience init(device: Device, budget: Int, label: String = "pool") {
    trap(unless: budget > 0, "a pool of \(budget) bytes holds nothing; give it a budget above 0")
    self.init(device: device, budget: budget, label: label, erases: true, maximumAge: nil)
  }

  init(device: Device, budget: Int, label: String, erases: Bool, maximumAge: Int?) {
    self.device = device
    self.budget = budget
    self.label = label
    self.erases = erases
    self.maximumAge = maximumAge
  }

  deinit { trim() }

  /// Makes a texture of zeros, on reused storage if possible.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if it exceeds the device's limits or the budget, `unsupported` if the
  ///   device lacks a feature.
  public func makeTexture(
    _ descriptor: TextureDescriptor, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try device.check(descriptor, label)
    let lifetime = try lifetime(.texture(descriptor), for: "texture '\(label)'")
    return Texture(descriptor, label: label, home: device.thread, lifetime: lifetime)
  }

  /// Makes a buffer of zeros, on reused storage if possible.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if it exceeds the device's limits or the budget.
  public func makeBuffer(
    length: Int, storageMode: StorageMode = .shared, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try device.checkLength(length, label)
    let lifetime = try lifetime(.buffer(length: length), for: "buffer '\(label)'")
    return Buffer(length: length, label: label, storageMode: storageMode, home: device.thread, lifetime: lifetime)
  }

  /// The counts so far.
  public var statistics: Statistics { state.withLock { $0.counts } }

  /// Frees all unused storage.
  public func trim() {
    let idle = state.withLock { state in
      state.counts.idleBytes = 0
      return exchange(&state.idle, with: [])
    }
    for entry in idle { entry.storage.release() }
  }

  // MARK: Storage

  /// Stops counting a resource, whose storage is then not reused; returns false if it was not counted.
  func disown(_ id: ResourceID) -> Bool { state.withLock { $0.disown(id) != nil } }

  /// Returns the lifetime of a new resource within the budget; `subject` names it in errors.
  private func lifetime(_ kind: Kind, for subject: String) throws(SafelightError) -> ResourceLifetime {
    let (storage, evicted) = try state.withLock { (state) throws(SafelightError) in
      let taken = try take(kind, from: &state, for: subject)
      state.living[taken.storage.id] = kind
      return taken
    }
    for other in evicted { other.release() }
    if erases { storage.erase() }
    return ResourceLifetime(storage) { [weak self] storage in
      if self?.keep(storage) != true { storage.release() }
    }
  }

  /// Takes storage for a resource, and removes unused storage so that the budget holds.
  private func take(
    _ kind: Kind, from state: inout State, for subject: String
  ) throws(SafelightError) -> (storage: ResourceStorage, evicted: [ResourceStorage]) {
    let needed = kind.bytes
    let used = state.counts.usedBytes
    try ensure(
      needed <= budget - used, .limit, subject,
      why: "it needs \(needed) bytes; '\(label)' has \(used) of \(budget) in use, so that \(budget - used) are left",
      remedy: "release resources and completed command buffers that hold them, or give it a larger budget")
    state.counts.usedBytes += needed
    state.counts.highWaterMark = max(state.counts.highWaterMark, state.counts.usedBytes)
    var storage = ResourceStorage()
    // The oldest first, so that no storage of a kind in use exceeds the age limit.
    if let index = state.idle.firstIndex(where: { $0.kind == kind }) {
      state.counts.reused += 1
      state.counts.idleBytes -= needed
      storage = state.idle.remove(at: index).storage
    } else {
      state.counts.made += 1
    }
    var evicted: [ResourceStorage] = []
    while let oldest = state.idle.first, isSurplus(oldest, in: state) {
      state.counts.idleBytes -= oldest.kind.bytes
      evicted.append(state.idle.removeFirst().storage)
    }
    return (storage, evicted)
  }

  private func isSurplus(_ idle: Idle, in state: State) -> Bool {
    if state.counts.usedBytes + state.counts.idleBytes > budget { return true }
    return maximumAge.map { state.requests - idle.since > $0 } ?? false
  }

  /// Takes the storage of a released resource; returns false if it is no longer counted, or its memory was exported.
  private func keep(_ storage: ResourceStorage) -> Bool {
    state.withLock { state in
      guard let kind = state.disown(storage.id), !storage.isExported else { return false }
      state.counts.idleBytes += kind.bytes
      state.idle.append(Idle(kind: kind, storage: storage, since: state.requests))
      return true
    }
  }
}

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
public final class Heap: TextureMaker, Sendable {
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
