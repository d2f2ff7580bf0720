internal import SafelightGLES
internal import SafelightImage

extension GLESBackend {
  func object(_ texture: Texture) throws(SafelightError) -> TextureObject {
    let id = texture.lifetime.id
    if let object = textures[id] { return object }
    let object =
      if let plane = texture.sharedPlane {
        try shared(texture, plane)
      } else if let parent = texture.parent {
        try TextureObject(
          viewOf: object(parent), texture.descriptor, levels: texture.parentLevels, slices: texture.parentSlices,
          label: texture.label)
      } else {
        try TextureObject(context, texture.descriptor, label: texture.label)
      }
    if let contents = texture.contents {
      unsafe try contents.withUnsafeBufferPointer { bytes throws(SafelightError) in
        unsafe try object.upload(
          TextureImage(), texture.bounds, from: bytes.baseAddress, rowLength: texture.size.width)
      }
    }
    textures[id] = object
    texture.lifetime.settle(in: home)
    return object
  }

  /// The object behind a buffer, with what the process wrote into it since the last recording.
  func object(_ buffer: Buffer) throws(SafelightError) -> BufferObject {
    let id = buffer.lifetime.id
    let object: BufferObject
    if let kept = buffers[id] {
      object = kept
    } else {
      object = try BufferObject(context, length: buffer.length, label: buffer.label)
      buffers[id] = object
      // What a lost context had mapped stays the process's memory, and is copied from now on.
      if buffer.home === home { buffer.leaveMapping() }
      buffer.lifetime.settle(in: home)
    }
    if unsafe object.mapped == nil, let memory = buffer.hostMemory, refreshed.insert(id).inserted {
      for range in buffer.takeModifiedRanges() {
        unsafe try object.write(UnsafeRawBufferPointer(rebasing: memory.bytes[range]), at: range.lowerBound)
      }
    }
    return object
  }

  func object(_ sampler: SamplerState) throws(SafelightError) -> SamplerObject {
    let id = sampler.lifetime.id
    if let object = samplers[id] { return object }
    let object = try SamplerObject(context, sampler.descriptor, label: sampler.label)
    samplers[id] = object
    sampler.lifetime.settle(in: home)
    return object
  }

  func uniform(_ bytes: [UInt8], index: Int) throws(SafelightError) -> BufferObject {
    let object = try uniform(length: bytes.count, index: index)
    try object.write(bytes, at: 0)
    return object
  }

  /// A buffer of at least `length` bytes behind the block `index`, used again for each command.
  func uniform(length: Int, index: Int) throws(SafelightError) -> BufferObject {
    if let kept = uniforms[index], kept.length >= length { return kept }
    let object = try BufferObject(context, length: max(256, length), label: "bytes \(index)")
    uniforms[index] = object
    return object
  }

  // MARK: Memory shared with the process

  func share(_ buffer: Buffer) throws(SafelightError) {
    guard buffer.hostMemory == nil else { return }
    let id = buffer.lifetime.id
    let old = buffers[id]
    guard context.features.contains(.sharedMemory) else {
      let memory = HostMemory(length: buffer.length)
      if let old {
        try order([BarrierPlan.Use(resource: id, access: .bufferRead)])
        try wait("contents of '\(buffer.label)'")
        unsafe try old.read(
          0..<buffer.length, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<buffer.length]))
      }
      return buffer.adopt(memory)
    }
    // Storage that a pool hands on may be mapped already.
    if let mapped = unsafe old?.mapped {
      try order([BarrierPlan.Use(resource: id, access: .sharedMemoryRead)])
      try wait("contents of '\(buffer.label)'")
      return unsafe buffer.adopt(HostMemory(adopting: mapped, deallocator: nil), isZeroCopy: true)
    }
    let object = try BufferObject(mapping: context, length: buffer.length, label: buffer.label)
    if let old {
      try order([BarrierPlan.Use(resource: id, access: .bufferRead)])
      try old.copy(0..<buffer.length, to: object, at: 0)
      try wait("contents of '\(buffer.label)'")
    } else {
      buffer.lifetime.settle(in: home)
    }
    buffers[id] = object
    if let mapped = unsafe object.mapped {
      unsafe buffer.adopt(HostMemory(adopting: mapped, deallocator: nil), isZeroCopy: true)
    }
  }

  /// Remembers that the device writes a buffer whose contents the process sees on completion.
  func willWrite(_ buffer: Buffer, synchronizes: Bool = false) {
    guard buffer.home === home, buffer.storageMode == .shared || synchronizes else { return }
    written[buffer.lifetime.id] = buffer
  }

  /// Copies what was written into the memory of the process; the fence has passed.
  func copyBack() throws(SafelightError) {
    for (id, buffer) in written {
      guard let memory = buffer.hostMemory, let object = buffers[id], unsafe object.mapped == nil else { continue }
      unsafe try object.read(
        0..<buffer.length, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<buffer.length]))
    }
    written = [:]
  }

  /// Puts a barrier before the reads of ``copyBack()``; called before the fence.
  func orderCopyBack() throws(SafelightError) {
    let uses = written.compactMap { id, buffer in
      buffer.hostMemory == nil ? nil : BarrierPlan.Use(resource: id, access: .sharedMemoryRead)
    }
    if !uses.isEmpty { try order(uses) }
  }

  var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.textures = textures.count
    statistics.buffers = buffers.count + uniforms.count
    statistics.bytes =
      textures.values.reduce(0) { $0 + $1.descriptor.byteCount } + buffers.values.reduce(0) { $0 + $1.length }
      + uniforms.values.reduce(0) { $0 + $1.length }
    statistics.programs = programsByText.count
    statistics.samplers = samplers.count
    statistics.queries = clock?.queryCount ?? 0
    statistics.transferAllocations = transferAllocations
    return statistics
  }
}

extension GLESBackend {
  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    _ = try object(texture)
    return copied[texture.lifetime.id]
  }

  /// An object over shared memory where the driver takes it, else one of its own and the reason.
  func shared(_ texture: Texture, _ plane: SharedPlane) throws(SafelightError) -> TextureObject {
    do throws(SafelightError) {
      return try TextureObject(context, importing: plane.buffer, plane: plane.index, label: texture.label)
    } catch {
      guard error.kind == .unsupported else { throw error }
      copied[texture.lifetime.id] = error
      return try TextureObject(context, texture.descriptor, label: texture.label)
    }
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureUpdate)])
    let object = try object(texture)
    if rows.isReadAsStored, let rowLength = rows.rowLength {
      return unsafe try object.upload(TextureImage(), texture.bounds, from: rows.base, rowLength: rowLength)
    }
    unsafe try withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe rows.copy(to: bytes)
      unsafe try object.upload(TextureImage(), texture.bounds, from: bytes, rowLength: texture.size.width)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureRead)])
    let object = try object(texture)
    try wait("copy to shared memory")
    if rows.isWrittenAsStored, let rowLength = rows.rowLength {
      return unsafe try object.read(TextureImage(), texture.bounds, into: rows.base, rowLength: rowLength)
    }
    unsafe try withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe try object.read(TextureImage(), texture.bounds, into: bytes, rowLength: texture.size.width)
      unsafe rows.copy(from: bytes)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureRead)])
    let object = try object(texture)
    try wait("export")
    return try object.export()
  }

  /// Calls `body` with ``staging`` of at least `count` bytes, taken out meanwhile so that it is not copied.
  private func withStaging(
    _ count: Int, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Void
  ) throws(SafelightError) {
    var staged = staging
    staging = []
    defer { staging = staged }
    if staged.count < count {
      staged = [UInt8](repeating: 0, count: count)
      transferAllocations += 1
    }
    unsafe try staged.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try body(UnsafeMutableRawPointer(base))
    }
  }
}
