internal import SafelightImage

final class ResourceMemory {
  private unowned let home: DeviceThread
  private var textures: [ResourceID: TextureMemory] = [:]
  private var buffers: [ResourceID: BufferMemory] = [:]
  /// Buffers of other devices that have received what the process wrote, in the current recording.
  private var refreshed: Set<ResourceID> = []

  init(home: DeviceThread) { self.home = home }

  /// The memory of a texture, or of the texture behind a view; made at the first use.
  func callAsFunction(_ texture: Texture) -> TextureMemory {
    let id = texture.lifetime.id
    if let memory = textures[id] { return memory }
    let made =
      if let parent = texture.parent {
        self(parent).view(
          texture.descriptor, level: texture.parentLevels.lowerBound, slice: texture.parentSlices.lowerBound)
      } else {
        TextureMemory(texture.descriptor)
      }
    if let contents = texture.contents { made.bytes = contents }
    textures[id] = made
    texture.lifetime.settle(in: home)
    return made
  }

  func callAsFunction(_ texture: Texture, _ image: TextureImage) -> TextureMemory {
    self(texture).image(level: image.level, slice: image.slice)
  }

  /// The memory of a buffer: that which the process shares, if this device made the buffer.
  func callAsFunction(_ buffer: Buffer) -> BufferMemory {
    let id = buffer.lifetime.id
    let isForeign = buffer.home !== home
    let memory: BufferMemory
    if let kept = buffers[id] {
      memory = kept
    } else {
      let host = isForeign ? nil : buffer.hostMemory
      memory = BufferMemory(host ?? HostMemory(length: buffer.length), range: 0..<buffer.length)
      buffers[id] = memory
      buffer.lifetime.settle(in: home)
    }
    // Copies what the process wrote into another device's buffer, as that device would.
    if isForeign, let host = buffer.hostMemory, refreshed.insert(id).inserted {
      unsafe memory.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: host.bytes[..<buffer.length]))
    }
    return memory
  }

  func begin() { refreshed = [] }

  func refresh(except newer: [Buffer]) { refreshed = Set(newer.map(\.lifetime.id)) }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
  }

  func erase(_ id: ResourceID) {
    textures[id]?.erase()
    if let buffer = buffers[id] { unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  func removeAll() {
    textures = [:]
    buffers = [:]
  }

  var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.textures = textures.count
    statistics.buffers = buffers.count
    statistics.bytes =
      textures.values.reduce(0) { $0 + $1.descriptor.byteCount }
      + buffers.values.reduce(0) { unsafe $0 + $1.host.bytes.count }
    return statistics
  }
}
