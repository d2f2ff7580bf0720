internal import SafelightGLES
internal import SafelightImage

extension CPUBackend {
  func memory(_ texture: Texture) -> TextureMemory {
    let id = texture.lifetime.id
    if let memory = textures[id] { return memory }
    let made =
      if let parent = texture.parent {
        memory(parent).view(
          texture.descriptor, level: texture.parentLevels.lowerBound, slice: texture.parentSlices.lowerBound)
      } else {
        TextureMemory(texture.descriptor)
      }
    if let contents = texture.contents { made.bytes = contents }
    textures[id] = made
    texture.lifetime.settle(in: home)
    return made
  }

  /// The memory that the process shares, where it is this device's buffer.
  func memory(_ buffer: Buffer) -> BufferMemory {
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
    // Another device's buffer: what the process wrote is brought over, as that device would.
    if isForeign, let host = buffer.hostMemory, refreshed.insert(id).inserted {
      unsafe memory.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: host.bytes[..<buffer.length]))
    }
    return memory
  }

  func share(_ buffer: Buffer) {
    guard buffer.hostMemory == nil else { return }
    buffer.adopt(memory(buffer).host)
  }

  var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.textures = textures.count
    statistics.buffers = buffers.count
    statistics.bytes =
      textures.values.reduce(0) { $0 + $1.descriptor.byteCount }
      + buffers.values.reduce(0) { unsafe $0 + $1.host.bytes.count }
    statistics.transferAllocations = transferAllocations
    return statistics
  }
}

extension CPUBackend {
  func copyReason(of texture: Texture) -> SafelightError? {
    SafelightError(
      .unsupported, "texture '\(texture.label)'", why: "the CPU works in memory of its own",
      remedy: "open a device whose driver imports dma-bufs")
  }

  func fill(_ texture: Texture, from rows: SharedRows) {
    let target = memory(texture)
    let before = unsafe target.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    unsafe target.bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      // Somebody holds what was read back: the samples went elsewhere.
      if UInt(bitPattern: base) != before { transferAllocations += 1 }
      unsafe rows.copy(to: base)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) {
    unsafe memory(texture).bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe rows.copy(from: base)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer { throw Self.noExport }
}
