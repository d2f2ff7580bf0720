internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Turns the planes of frames into textures, and reuses their storage; Core Video's `CVMetalTextureCache`.
///
/// A texture belongs to the caller while anything refers to it, such as a command buffer in flight. Afterwards a later
/// plane of the same size and format takes its storage, so that nothing is allocated after the first few frames of a
/// source, as ``statistics`` shows. Completed command buffers refer to their commands' textures: release them.
///
/// Pixels in the process's own memory are copied by an upload, a command like others (`glTexSubImage2D`). Pixels in
/// shared memory (``VideoFrame/memory``, a ``DMABuffer``) are not: the textures are that memory, as
/// ``Device/makeTexture(importing:plane:label:fileID:line:)`` makes them, or copies of it at the beginning of each
/// command buffer if ``Texture/copyReason`` is not nil. A buffer that comes again gets the same storage; a new one
/// waits for the device's earlier work. While anything refers to such a texture, the source does not reuse the frame's
/// memory. Safe to use from any thread.
public final class TextureCache: Sendable {
  /// The number of requests after which unused storage is freed, such as that of an earlier size.
  public static let maximumTextureAge = 64

  /// Counts of a cache's textures.
  public struct Statistics: Hashable, Sendable {
    /// The number of textures with new storage.
    public var made: Int
    /// The number of textures with reused storage.
    public var reused: Int
    /// The bytes of all storage, used or not; shared memory does not count.
    public var bytes: Int

    package init(made: Int, reused: Int, bytes: Int) {
      self.made = made
      self.reused = reused
      self.bytes = bytes
    }
  }

  /// The device of all textures.
  public let device: Device
  /// A name for messages and debuggers.
  public let label: String

  private let pool: ResourcePool
  private let imports: TextureImports
  private let queue: CommandQueue
  /// The error of an upload without a caller's command buffer, which the next call throws.
  private let failure = Mutex<SafelightError?>(nil)

  /// Makes an empty cache whose uploads take at most `budget` bytes; by default only the number of frames in flight
  /// limits them. It also keeps up to `budget` bytes of shared memory beyond the frames in flight, for reuse.
  public init(device: Device, budget: Int = .max, label: String = "texture cache") {
    self.device = device
    self.label = label
    // Every pixel of a plane is written before it is read, so nothing needs to be erased.
    pool = ResourcePool(device: device, budget: budget, label: label, erases: false, maximumAge: Self.maximumTextureAge)
    imports = TextureImports(device: device, budget: budget)
    queue = device.makeCommandQueue(label: label)
  }

  /// Makes textures of the planes of `frame`, in their order; records their uploads in `buffer`.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if a plane exceeds the device's limits or the budget, `unsupported`
  ///   for shared memory that the device can neither import nor map.
  public func makeTextures(from frame: VideoFrame, in buffer: CommandBuffer) throws(SafelightError) -> [Texture] {
    if let textures = try importTextures(from: frame) { return textures }
    // Other shared memory is copied to the process's own first.
    let frame = try frame.copied()
    return try frame.planes.enumerated().map { (number, plane) throws(SafelightError) in
      try makeTexture(from: plane, in: buffer, label: "frame \(frame.index), plane \(number)")
    }
  }

  /// Makes textures of the planes of `frame`, for command buffers committed from now on; commits the uploads.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if a plane exceeds the device's limits or the budget, `unsupported`
  ///   for shared memory that the device can neither import nor map, and the error of an earlier frame's upload.
  public func makeTextures(from frame: VideoFrame) throws(SafelightError) -> [Texture] {
    if let error = failure.withLock({ $0.take() }) { throw error }
    if let textures = try importTextures(from: frame) { return textures }
    let buffer = queue.makeCommandBuffer(label: "\(label), frame \(frame.index)")
    let textures = try makeTextures(from: frame, in: buffer)
    buffer.addCompletedHandler { [weak self] done in
      if let error = done.error { self?.failure.withLock { $0 = error } }
    }
    buffer.commit()
    return textures
  }

  /// Makes textures over shared memory, without a command; nil for other frames.
  private func importTextures(from frame: VideoFrame) throws(SafelightError) -> [Texture]? {
    guard let memory = frame.memory as? DMABuffer else { return nil }
    return try (0..<memory.format.planeCount).map { (index) throws(SafelightError) in
      try imports.makeTexture(memory, plane: index, lease: frame.lease, label: "frame \(frame.index), plane \(index)")
    }
  }

  /// Makes a texture of `plane`; records its upload in `buffer`, between encoders.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the plane exceeds the device's limits or the budget.
  public func makeTexture(
    from plane: PixelPlane, in buffer: CommandBuffer, label: String = "plane"
  ) throws(SafelightError) -> Texture {
    trap(
      unless: buffer.device === device,
      "texture cache '\(self.label)' belongs to \(device.name), command buffer '\(buffer.label)' to "
        + "\(buffer.device.name); make a cache for each device")
    let texture = try pool.makeTexture(plane.size, plane.pixelFormat, label: label)
    let encoder = buffer.makeBlitCommandEncoder(label: "upload of \(label)")
    encoder.write(plane.bytes, bytesPerRow: plane.bytesPerRow, to: texture)
    encoder.endEncoding()
    return texture
  }

  /// Frees unused storage, and releases shared memory.
  public func flush() {
    pool.trim()
    imports.flush()
  }

  /// The counts so far.
  public var statistics: Statistics {
    let (pool, imports) = (pool.statistics, imports.statistics)
    return Statistics(
      made: pool.made + imports.made, reused: pool.reused + imports.reused,
      bytes: pool.usedBytes + pool.idleBytes + imports.bytes)
  }
}

/// Textures over the shared memory of frames, kept for later frames in the same memory.
final class TextureImports: Sendable {
  /// The number of requests after which an unused import is released: more than a source has planes in flight.
  static let maximumAge = 128

  private struct Key: Hashable {
    let memory: DMABuffer.Identity
    let plane: Int
  }

  private struct Import {
    let texture: Texture
    var since: Int
  }

  private struct State {
    var imports: [Key: Import] = [:]
    var made = 0
    var reused = 0
  }

  private let device: Device
  /// The bytes of memory that unused imports may keep.
  private let budget: Int
  private let state = Mutex(State())

  init(device: Device, budget: Int) {
    self.device = device
    self.budget = budget
  }

  /// Returns a new texture over a plane, which holds `lease` while anything refers to it.
  func makeTexture(
    _ buffer: DMABuffer, plane index: Int, lease: FrameLease?, label: String
  ) throws(SafelightError) -> Texture {
    let key = Key(memory: buffer.identity, plane: index)
    let kept: Texture
    if let found = use(key) {
      kept = found
    } else {
      // Not under the lock: the device first finishes earlier work, whose handlers may request textures.
      kept = try device.makeTexture(importing: buffer, plane: index, label: label)
      _ = use(key, new: kept)
    }
    let texture = Texture(
      kept.descriptor, label: label, home: device.thread, sharedPlane: kept.sharedPlane, lifetime: kept.lifetime,
      lease: lease)
    texture.copyReason = kept.copyReason
    return texture
  }

  /// Keeps `new`, or finds what is kept, and returns it; nil if there is neither.
  private func use(_ key: Key, new: Texture? = nil) -> Texture? {
    // The old textures are released after the lock.
    let (used, _) = state.withLock { state -> (Texture?, [Texture]) in
      guard let texture = new ?? state.imports[key]?.texture else { return (nil, []) }
      if new == nil { state.reused += 1 } else { state.made += 1 }
      let requests = state.made + state.reused
      state.imports[key] = Import(texture: texture, since: requests)
      return (texture, takeOld(&state, requests))
    }
    return used
  }

  /// Removes and returns imports unused for a long time, and the oldest beyond the budget, but never the newest.
  private func takeOld(_ state: inout State, _ requests: Int) -> [Texture] {
    var bytes = 0
    let newestFirst = state.imports.sorted { $0.value.since > $1.value.since }
    let old = newestFirst.filter { _, kept in
      bytes += kept.texture.descriptor.byteCount
      return requests - kept.since > Self.maximumAge || (bytes > budget && kept.since != requests)
    }
    for (key, _) in old { state.imports[key] = nil }
    return old.map(\.value.texture)
  }

  /// Releases all imports, and with them memory that has no other user.
  func flush() {
    _ = state.withLock { state in
      defer { state.imports = [:] }
      return state.imports
    }
  }

  /// The numbers of imports made and reused, and the bytes of those that are copies.
  var statistics: (made: Int, reused: Int, bytes: Int) {
    state.withLock { state in
      let copies = state.imports.values.filter { $0.texture.copyReason != nil }
      return (state.made, state.reused, copies.reduce(0) { $0 + $1.texture.descriptor.byteCount })
    }
  }
}
