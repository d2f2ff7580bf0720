public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Textures and buffers within a budget of bytes, whose storage is used again.
///
/// What the pool hands out is like any other resource. When the last reference goes, that of a command buffer on its
/// way included, its storage waits in the pool for a request of the same kind, so that a program which makes the same
/// textures for each frame allocates nothing after the first few. Completed command buffers keep their commands and
/// with them the resources: let go of them.
///
/// Contents are zeros, of used storage as of new: the same recording gives the same bytes, whoever had the storage
/// before. Safe to use from any thread.
public final class ResourcePool: Sendable {
  /// What storage can serve in another's place.
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
    var usedBytes = 0
    var idleBytes = 0
    var highWaterMark = 0
    var made = 0
    var reused = 0
    /// Resources that are referred to and count.
    var living: [ResourceID: Kind] = [:]
    /// Those that have waited longest first.
    var idle: [Idle] = []

    var requests: Int { made + reused }
  }

  private struct Idle {
    let kind: Kind
    let storage: ResourceStorage
    /// The number of requests when it was left.
    let since: Int
  }

  /// What a pool has done so far.
  public struct Statistics: Hashable, Sendable {
    /// Resources that got new storage.
    public var made: Int
    /// Resources that got storage used before.
    public var reused: Int
    /// Bytes of resources that are referred to.
    public var usedBytes: Int
    /// Bytes that wait to be used again.
    public var idleBytes: Int
    /// The most bytes that were in use at a time.
    public var highWaterMark: Int

    /// Figures to compare with.
    public init(made: Int, reused: Int, usedBytes: Int, idleBytes: Int, highWaterMark: Int) {
      self.made = made
      self.reused = reused
      self.usedBytes = usedBytes
      self.idleBytes = idleBytes
      self.highWaterMark = highWaterMark
    }
  }

  /// The device of all resources.
  public let device: Device
  /// Bytes that resources may take, those that wait included.
  public let budget: Int
  /// A name for messages and debuggers.
  public let label: String
  /// Whether used storage is made zeros; not where every byte is written before it is read.
  private let erases: Bool
  /// Requests after which storage that waits is freed; never where nil.
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

  /// Makes a texture of zeros with one level, on storage used before where some fits.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the device has no such texture or the budget is exceeded.
  public func makeTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    try makeTexture(TextureDescriptor(size, pixelFormat), label: label, fileID: fileID, line: line)
  }

  /// Makes a texture of zeros, on storage used before where some fits.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the device has no such texture or the budget is exceeded,
  /// `unsupported` where the device lacks a feature.
  public func makeTexture(
    _ descriptor: TextureDescriptor, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try device.check(descriptor, label)
    let lifetime = try lifetime(.texture(descriptor), for: "texture '\(label)'")
    return Texture(descriptor, label: label, home: device.thread, lifetime: lifetime)
  }

  /// Makes a buffer of zeros, on storage used before where some fits.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the device has no such buffer or the budget is exceeded.
  public func makeBuffer(
    length: Int, storageMode: StorageMode = .shared, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try device.checkLength(length, label)
    let lifetime = try lifetime(.buffer(length: length), for: "buffer '\(label)'")
    return Buffer(length: length, label: label, storageMode: storageMode, home: device.thread, lifetime: lifetime)
  }

  /// What the pool has done so far.
  public var statistics: Statistics {
    state.withLock { state in
      Statistics(
        made: state.made, reused: state.reused, usedBytes: state.usedBytes, idleBytes: state.idleBytes,
        highWaterMark: state.highWaterMark)
    }
  }

  /// Bytes of resources that are referred to.
  public var usedBytes: Int { state.withLock { $0.usedBytes } }

  /// The most bytes that were in use at a time.
  public var highWaterMark: Int { state.withLock { $0.highWaterMark } }

  /// Frees all storage that waits to be used again.
  public func trim() {
    let idle = state.withLock { state in
      defer {
        state.idle = []
        state.idleBytes = 0
      }
      return state.idle
    }
    for entry in idle { entry.storage.release() }
  }

  // MARK: Storage

  /// Counts a resource of this pool as gone although it is referred to; false where it was so already. Its storage is
  /// not used again: its place in the budget is given away.
  func disown(_ id: ResourceID) -> Bool {
    state.withLock { state in
      guard let kind = state.living.removeValue(forKey: id) else { return false }
      state.usedBytes -= kind.bytes
      return true
    }
  }

  /// The lifetime of a resource within the budget; `subject` names it in errors.
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

  /// Storage for a resource, and what has to go so that the budget holds.
  private func take(
    _ kind: Kind, from state: inout State, for subject: String
  ) throws(SafelightError) -> (storage: ResourceStorage, evicted: [ResourceStorage]) {
    let needed = kind.bytes
    guard needed <= budget - state.usedBytes else { throw exceeded(needed, used: state.usedBytes, for: subject) }
    state.usedBytes += needed
    state.highWaterMark = max(state.highWaterMark, state.usedBytes)
    var storage = ResourceStorage(id: ResourceID())
    // In turn, so that none of a kind in use grows old.
    if let index = state.idle.firstIndex(where: { $0.kind == kind }) {
      state.reused += 1
      state.idleBytes -= needed
      storage = state.idle.remove(at: index).storage
    } else {
      state.made += 1
    }
    var evicted: [ResourceStorage] = []
    while let oldest = state.idle.first, isSurplus(oldest, in: state) {
      state.idleBytes -= oldest.kind.bytes
      evicted.append(state.idle.removeFirst().storage)
    }
    return (storage, evicted)
  }

  private func isSurplus(_ idle: Idle, in state: State) -> Bool {
    if state.usedBytes + state.idleBytes > budget { return true }
    return maximumAge.map { state.requests - idle.since > $0 } ?? false
  }

  /// Takes the storage of a resource that is gone; false where its place was given away, or others work in it.
  private func keep(_ storage: ResourceStorage) -> Bool {
    if storage.isExported {
      _ = disown(storage.id)
      return false
    }
    return state.withLock { state in
      guard let kind = state.living.removeValue(forKey: storage.id) else { return false }
      state.usedBytes -= kind.bytes
      state.idleBytes += kind.bytes
      state.idle.append(Idle(kind: kind, storage: storage, since: state.requests))
      return true
    }
  }

  private func exceeded(_ needed: Int, used: Int, for subject: String) -> SafelightError {
    SafelightError(
      .limit, subject,
      why: "it needs \(needed) bytes; '\(label)' has \(used) of \(budget) in use, so that \(budget - used) are left",
      remedy: "let go of resources and of completed command buffers that hold them, or give it a larger budget")
  }
}
