internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

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
      kept.descriptor, label: label, home: device.executor, sharedPlane: kept.sharedPlane, lifetime: kept.lifetime,
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
