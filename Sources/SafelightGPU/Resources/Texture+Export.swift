public import SafelightGLES
public import SafelightImage

extension Texture {
  /// Exports the texture's memory to other devices, drivers and processes, without a copy; Metal's
  /// `makeSharedTextureHandle()` (`eglCreateImageKHR`, `eglExportDMABUFImageMESA`).
  ///
  /// Runs after all work committed before. Drawing of later command buffers is visible on their completion; other users
  /// must not access the memory in between. The buffer has its own descriptors, closed with its last reference. The
  /// memory outlives the texture, and no pool, heap or cache reuses it. ``DMABuffer/format`` is the driver's order of
  /// channels.
  ///
  /// Exporting a texture over shared memory works on every device.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the texture has memory of its own and the device lacks
  ///   ``DeviceFeatures/dmaBufferExport``, or the driver cannot share this texture, as a software driver cannot.
  public func exportDMABuffer() throws(SafelightError) -> DMABuffer {
    trap(
      unless: parent == nil,
      "exportDMABuffer: '\(label)' is a view; export '\(parent?.label ?? "")', whose memory it shows")
    trap(
      unless: descriptor.textureType == .type2D && descriptor.sampleCount == 1 && descriptor.mipmapLevelCount == 1,
      "exportDMABuffer: '\(label)' is not a single picture; copy an image of it to a texture of one level")
    trap(
      unless: linearSource == nil,
      "exportDMABuffer: '\(label)' shows a buffer; copy it to a texture with memory of its own")
    guard let home else { trap("exportDMABuffer: '\(label)' belongs to no device; make it with Device.makeTexture") }
    if let sharedPlane {
      let (buffer, index) = (sharedPlane.buffer, sharedPlane.index)
      return try DMABuffer(
        sharing: [buffer.planes[index]], format: buffer.format.plane(index),
        size: buffer.format.size(ofPlane: index, in: buffer.size), modifier: buffer.modifier)
    }
    let exported = try home.export(self)
    lifetime.markExported()
    return exported
  }
}

extension Device {
  /// Makes a texture of zeros over new shared memory; Metal's `makeSharedTexture(descriptor:)`, or a texture on a new
  /// `IOSurface`.
  ///
  /// The memory is that of the device's DRM node if the device can import such memory, otherwise the process's
  /// (``DMABuffer/init(hostMemoryFor:_:)``). ``Texture/isZeroCopy`` tells whether the device works in it; if it does
  /// not, ``Texture/copyReason`` tells why. ``Texture/sharedPlane`` or ``Texture/exportDMABuffer()`` passes it to
  /// others. The rules of ``makeTexture(importing:plane:label:fileID:line:)`` apply.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the texture exceeds the device's limits, `unsupported` for a
  ///   format that shared memory does not have, `environment` if the system refuses the memory.
  public func makeSharedTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try check(TextureDescriptor(size, pixelFormat), label)
    guard let format = DRMFormat(sharing: pixelFormat) else {
      let shareable = PixelFormat.allCases.filter { DRMFormat(sharing: $0) != nil }
      throw SafelightError(
        .unsupported, "texture '\(label)'", why: "shared memory has no format \(pixelFormat.rawValue)",
        remedy: "copy it into a texture of one of these formats: \(shareable.map(\.rawValue).joined(separator: ", "))")
    }
    if let buffer = nodeMemory(size, format) {
      let texture = try makeTexture(importing: buffer, label: label)
      if texture.isZeroCopy { return texture }
    }
    return try makeTexture(importing: DMABuffer(hostMemoryFor: size, format), label: label)
  }

  /// Allocates zeros on the device's node; nil if that fails.
  private func nodeMemory(_ size: Size, _ format: DRMFormat) -> DMABuffer? {
    guard capabilities.features.contains(.dmaBufferImport), let node = info.node else { return nil }
    do throws(SafelightError) {
      let buffer = try DMABuffer(allocating: size, format, onNode: node)
      let zeros = size.area * format.pixelFormat(ofPlane: 0).bytesPerPixel
      try buffer.replace(with: [UInt8](repeating: 0, count: zeros))
      return buffer
    } catch {
      // Memory of the process is used instead, and the texture's copyReason reports it.
      return nil
    }
  }
}

extension DRMFormat {
  /// The format of shared memory for a texture's format; nil if there is none.
  fileprivate init?(sharing format: PixelFormat) {
    switch format {
    case .r8Unorm: self = .r8
    case .rg8Unorm: self = .gr88
    case .rgba8Unorm: self = .abgr8888
    case .bgra8Unorm: self = .argb8888
    default: return nil
    }
  }
}

/// A plane of memory shared with other devices, drivers and processes.
public struct SharedPlane: Sendable {
  /// The memory.
  public let buffer: DMABuffer
  /// The index of the plane.
  public let index: Int
}

extension Texture {
  /// True if the device works in the shared memory itself; false if it has memory of its own, or copies because of
  /// ``copyReason``.
  public var isZeroCopy: Bool { sharedPlane != nil && copyReason == nil }
}

extension Device {
  /// Makes a texture over a plane of shared memory; Metal's `makeTexture(descriptor:iosurface:plane:)`, and
  /// `CVMetalTextureCacheCreateTextureFromImage`.
  ///
  /// A command buffer sees the bytes at its beginning and after each wait for an event. Its drawing is visible to
  /// others on completion, and before that when it signals a ``SharedEvent`` or waits. Other users must not access the
  /// memory in between.
  ///
  /// If the driver imports dma-bufs (``DeviceFeatures/dmaBufferImport``), the texture is the memory, and
  /// ``Texture/isZeroCopy`` is true. On other devices, and always on the CPU, bytes are copied in before the first
  /// command and, if a command writes the texture, out after the last; ``Texture/copyReason`` is the reason. Use only
  /// one texture of a plane in a command buffer, as two copies do not see each other.
  ///
  /// The texture has one level and no views, and is written by render passes and copies, not by `imageStore`. It keeps
  /// `buffer` and its descriptors open.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the plane exceeds the device's limits, `unsupported` for memory
  ///   that the device can neither import nor map.
  public func makeTexture(
    importing buffer: DMABuffer, plane index: Int = 0, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    trap(
      unless: (0..<buffer.format.planeCount).contains(index),
      "a buffer of \(buffer.format) has planes 0 to \(buffer.format.planeCount - 1), not \(index)")
    let descriptor = TextureDescriptor(
      buffer.format.size(ofPlane: index, in: buffer.size), buffer.format.pixelFormat(ofPlane: index))
    try check(descriptor, label)
    let texture = Texture(
      descriptor, label: label, home: thread, sharedPlane: SharedPlane(buffer: buffer, index: index))
    if let reason = try thread.adopt(texture) {
      // Checked now, not in the middle of a frame.
      do throws(SafelightError) {
        try buffer.checkMapping(ofPlane: index)
      } catch {
        throw buffer.isLinear ? error : reason.during("texture '\(label)'")
      }
    }
    return texture
  }
}
