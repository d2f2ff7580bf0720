internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Turns the planes of frames into textures, on storage that is used again; Core Video's `CVMetalTextureCache`.
///
/// A texture is the caller's for as long as anything refers to it, a command buffer on its way included; then a later
/// plane of the same size and format takes its storage. After the first few frames of a source nothing is allocated, as
/// ``statistics`` shows. Completed command buffers keep their commands and with them the textures: let go of them.
///
/// Pixels of the process's own memory are copied, by an upload that is a command like others (`glTexSubImage2D`). Those of a frame in
/// shared memory (``VideoFrame/memory``, a ``DMABuffer``) are not: the textures are the memory, as ``Device/makeTexture(importing:plane:label:fileID:line:)``
/// makes them, or copies at the beginning of each command buffer where ``Texture/copyReason`` says why. A buffer that comes again finds
/// its textures again; one that is new waits for the device's earlier work. They keep the frame's memory from its source's next frame for as long as anything refers to them. Safe to use
/// from any thread.
public final class TextureCache: Sendable {
  /// Textures made after which storage that nobody needed is freed: that of a size which is past.
  public static let maximumTextureAge = 64

  /// What a cache has done so far.
  public struct Statistics: Hashable, Sendable {
    /// Textures that got new storage.
    public var made: Int
    /// Textures that got storage used before.
    public var reused: Int
    /// Bytes of all storage, in use and waiting; that of textures which are shared memory is none.
    public var bytes: Int

    /// Figures to compare with.
    public init(made: Int, reused: Int, bytes: Int) {
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
  /// Why an upload without a caller's command buffer failed, until somebody is told.
  private let failure = Failure()

  private final class Failure: Sendable {
    let error = Mutex<SafelightError?>(nil)
  }

  /// Makes an empty cache whose uploads take at most `budget` bytes; frames in flight are the only limit where none is
  /// given. Of shared memory it keeps as many bytes beyond the frames in flight, to find them again.
  public init(device: Device, budget: Int = .max, label: String = "texture cache") {
    self.device = device
    self.label = label
    // Every pixel of a plane is written before it is read: nothing has to be made zeros.
    pool = ResourcePool(
      device: device, budget: budget, label: label, erases: false, maximumAge: Self.maximumTextureAge)
    imports = TextureImports(device: device, budget: budget)
    queue = device.makeCommandQueue(label: label)
  }

  /// The planes of `frame` as textures, in their order; their uploads are recorded in `buffer`.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where a plane exceeds the device's textures or the budget, and of kind `unsupported`
  /// for shared memory that the device can neither import nor map.
  public func makeTextures(from frame: VideoFrame, in buffer: CommandBuffer) throws(SafelightError) -> [Texture] {
    if let textures = try importTextures(from: frame) { return textures }
    // Memory of a kind unknown here is copied by way of the process's own.
    let frame = try frame.copied()
    var textures: [Texture] = []
    for (number, plane) in frame.planes.enumerated() {
      textures.append(try makeTexture(from: plane, in: buffer, label: "frame \(frame.index), plane \(number)"))
    }
    return textures
  }

  /// The planes of `frame` as textures, for command buffers committed from now on; the uploads are committed here.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where a plane exceeds the device's textures or the budget, of kind `unsupported` for
  /// shared memory that the device can neither import nor map, and why the upload of an earlier frame failed.
  public func makeTextures(from frame: VideoFrame) throws(SafelightError) -> [Texture] {
    if let error = failure.error.withLock({ $0.take() }) { throw error }
    if let textures = try importTextures(from: frame) { return textures }
    let buffer = queue.makeCommandBuffer(label: "\(label), frame \(frame.index)")
    let textures = try makeTextures(from: frame, in: buffer)
    buffer.addCompletedHandler { [failure] done in
      if let error = done.error { failure.error.withLock { $0 = error } }
    }
    buffer.commit()
    return textures
  }

  /// The planes of a frame in shared memory as textures over them; nil for other frames. Nothing has to be recorded: a command buffer
  /// sees what is there when it begins.
  private func importTextures(from frame: VideoFrame) throws(SafelightError) -> [Texture]? {
    guard let memory = frame.memory as? DMABuffer else { return nil }
    var textures: [Texture] = []
    for index in 0..<memory.format.planeCount {
      let label = "frame \(frame.index), plane \(index)"
      textures.append(try imports.makeTexture(memory, plane: index, lease: frame.lease, label: label))
    }
    return textures
  }

  /// `plane` as a texture; its upload is recorded in `buffer`, between encoders.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the plane exceeds the device's textures or the budget.
  public func makeTexture(
    from plane: PixelPlane, in buffer: CommandBuffer, label: String = "plane"
  ) throws(SafelightError) -> Texture {
    trap(
      unless: buffer.device === device,
      "texture cache '\(self.label)' belongs to \(device.name), command buffer '\(buffer.label)' to \(buffer.device.name); make a cache for each device"
    )
    let texture = try pool.makeTexture(plane.size, plane.pixelFormat, label: label)
    let encoder = buffer.makeBlitCommandEncoder(label: "upload of \(label)")
    encoder.write(plane.bytes, bytesPerRow: plane.bytesPerRow, to: texture)
    encoder.endEncoding()
    return texture
  }

  /// Frees the storage that nobody refers to, and lets go of shared memory.
  public func flush() {
    pool.trim()
    imports.flush()
  }

  /// What the cache has done so far.
  public var statistics: Statistics {
    let (pool, imports) = (pool.statistics, imports.statistics)
    return Statistics(
      made: pool.made + imports.made, reused: pool.reused + imports.reused,
      bytes: pool.usedBytes + pool.idleBytes + imports.bytes)
  }
}

/// The textures over shared memory that frames have had, to be found again when the same memory comes with a later frame.
final class TextureImports: Sendable {
  /// Textures handed out after which an import that nobody asked for is let go: more than a source has planes on their way.
  static let maximumAge = 128

  private struct Key: Hashable {
    let memory: DMABuffer.Identity
    let plane: Int
  }

  private struct Import {
    let texture: Texture
    /// The number of requests when it was last asked for.
    var since: Int
  }

  private struct State {
    var imports: [Key: Import] = [:]
    var made = 0
    var reused = 0
  }

  private let device: Device
  /// Bytes of memory that imports may keep from going.
  private let budget: Int
  private let state = Mutex(State())

  init(device: Device, budget: Int) {
    self.device = device
    self.budget = budget
  }

  /// A plane as a texture of its own identity, which keeps `lease` until nobody refers to it: a command buffer on its way does.
  func makeTexture(
    _ buffer: DMABuffer, plane index: Int, lease: FrameLease?, label: String
  ) throws(SafelightError) -> Texture {
    let key = Key(memory: buffer.identity, plane: index)
    let kept: Texture
    if let found = find(key) {
      kept = found
    } else {
      // Not under the lock: the device finishes earlier work first, whose handlers may ask for textures.
      kept = try device.makeTexture(importing: buffer, plane: index, label: label)
      keep(kept, key)
    }
    let texture = Texture(
      kept.descriptor, label: label, home: device.thread, sharedPlane: kept.sharedPlane, lifetime: kept.lifetime,
      lease: lease)
    texture.copyReason = kept.copyReason
    return texture
  }

  private func find(_ key: Key) -> Texture? {
    let (found, _) = state.withLock { state in
      guard let found = state.imports[key] else { return (Texture?.none, [Texture]()) }
      state.reused += 1
      let requests = state.made + state.reused
      state.imports[key]?.since = requests
      return (found.texture, takeOld(&state, requests))
    }
    return found
  }

  private func keep(_ texture: Texture, _ key: Key) {
    // What is let go is so after the lock.
    _ = state.withLock { state in
      state.made += 1
      let requests = state.made + state.reused
      state.imports[key] = Import(texture: texture, since: requests)
      return takeOld(&state, requests)
    }
  }

  /// Takes out what nobody asked for in a long time, and the oldest that are beyond the budget; but never what was asked for last.
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

  /// Lets go of all imports, and with them of the memory that nobody else uses.
  func flush() {
    _ = state.withLock { state in
      defer { state.imports = [:] }
      return state.imports
    }
  }

  /// Imports made, found again, and the bytes of those that are copies.
  var statistics: (made: Int, reused: Int, bytes: Int) {
    state.withLock { state in
      let copies = state.imports.values.filter { $0.texture.copyReason != nil }
      return (state.made, state.reused, copies.reduce(0) { $0 + $1.texture.descriptor.byteCount })
    }
  }
}
