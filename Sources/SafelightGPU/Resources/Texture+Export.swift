public import SafelightGLES
public import SafelightImage

extension Texture {
  /// The texture's memory for other devices, drivers and processes, without a copy; Metal's `makeSharedTextureHandle()`
  /// (`eglCreateImageKHR`, `eglExportDMABUFImageMESA`).
  ///
  /// Comes after all work committed before, and what later command buffers draw is there on their completion; whoever else uses the
  /// memory keeps away in between. The buffer has descriptors of its own, closed with its last reference; the memory outlives the
  /// texture, and no pool, heap or cache uses it again. Its ``DMABuffer/format`` says in which order the driver stores channels.
  ///
  /// A texture over shared memory gives a buffer of that memory on every device. One with memory of its own needs
  /// ``DeviceFeatures/dmaBufferExport``; throws ``SafelightError/Kind/unsupported`` elsewhere, and where the driver keeps this texture
  /// in a way that it cannot share: a software driver does.
  public func exportDMABuffer() throws(SafelightError) -> DMABuffer {
    trap(
      unless: parent == nil,
      "exportDMABuffer: '\(label)' is a view; export '\(parent?.label ?? "")', whose memory it shows")
    trap(
      unless: descriptor.textureType == .type2D && descriptor.sampleCount == 1 && descriptor.mipmapLevelCount == 1,
      "exportDMABuffer: '\(label)' is no single picture; copy an image of it to a texture of one level")
    trap(
      unless: linearSource == nil,
      "exportDMABuffer: '\(label)' shows a buffer; copy it to a texture with memory of its own")
    guard let home else {
      trap("exportDMABuffer: '\(label)' belongs to no device; make it with Device.makeTexture")
    }
    if let sharedPlane { return try sharedPlane.share() }
    let exported = try home.export(self)
    lifetime.markExported()
    return exported
  }
}

extension SharedPlane {
  /// The plane by itself, by descriptors of its own.
  fileprivate func share() throws(SafelightError) -> DMABuffer {
    try DMABuffer(
      sharing: [buffer.planes[index]], format: buffer.format.plane(index),
      size: buffer.format.size(ofPlane: index, in: buffer.size), modifier: buffer.modifier)
  }
}

extension Device {
  /// Makes a texture of zeros over new shared memory, as this device likes best; Metal's `makeSharedTexture(descriptor:)`, and a texture on
  /// a new `IOSurface`.
  ///
  /// The memory is that of the device's DRM node where it makes any that the device imports, else the process's
  /// (``DMABuffer/init(hostMemoryFor:_:)``), in which the device works where its driver can: ``Texture/isZeroCopy`` says so,
  /// ``Texture/copyReason`` why not. ``Texture/sharedPlane`` or ``Texture/exportDMABuffer()`` hands it to others. What is said of
  /// ``makeTexture(importing:plane:label:fileID:line:)`` holds.
  ///
  /// Throws ``SafelightError/Kind/limit`` for a texture larger than the device's, ``SafelightError/Kind/unsupported`` for a format that
  /// shared memory does not have, ``SafelightError/Kind/environment`` where the system refuses the memory.
  public func makeSharedTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try check(TextureDescriptor(size, pixelFormat), label)
    guard let format = DRMFormat(sharing: pixelFormat) else {
      throw SafelightError(
        .unsupported, "texture '\(label)'", why: "\(pixelFormat.rawValue) is no format of shared memory",
        remedy: "share \(DRMFormat.shareable.map(\.rawValue).joined(separator: ", ")), and copy")
    }
    if let buffer = nodeMemory(size, format) {
      let texture = try makeTexture(importing: buffer, label: label)
      if texture.isZeroCopy { return texture }
    }
    return try makeTexture(importing: DMABuffer(hostMemoryFor: size, format), label: label)
  }

  /// Zeros on the device's node; nil where it makes none for this device.
  private func nodeMemory(_ size: Size, _ format: DRMFormat) -> DMABuffer? {
    guard capabilities.features.contains(.dmaBufferImport), let node = info.node else { return nil }
    do throws(SafelightError) {
      let buffer = try DMABuffer(allocating: size, format, onNode: node)
      let zeros = size.area * format.pixelFormat(ofPlane: 0).bytesPerPixel
      try buffer.replace(with: [UInt8](repeating: 0, count: zeros))
      return buffer
    } catch {
      // Memory of the process serves; the texture says what became of it.
      return nil
    }
  }
}

extension DRMFormat {
  /// The formats of textures that shared memory has.
  fileprivate static var shareable: [PixelFormat] { PixelFormat.allCases.filter { DRMFormat(sharing: $0) != nil } }

  /// How shared memory holds pixels of a texture; nil where it does not.
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

/// A plane of memory that a texture shares with other devices, drivers and processes.
public struct SharedPlane: Sendable {
  /// The memory.
  public let buffer: DMABuffer
  /// Which of its planes.
  public let index: Int
}

extension Texture {
  /// True where the device works in the shared memory itself; false for a texture with memory of its own, and where ``copyReason`` says
  /// why bytes are copied.
  public var isZeroCopy: Bool { sharedPlane != nil && copyReason == nil }
}

extension Device {
  /// Makes a texture over a plane of shared memory; Metal's `makeTexture(descriptor:iosurface:plane:)`, and what
  /// `CVMetalTextureCacheCreateTextureFromImage` is for.
  ///
  /// A command buffer sees the bytes that are there when it begins and behind each wait for an event; what it draws into the texture is
  /// there on completion, and before that when it signals a ``SharedEvent`` or waits. Whoever else uses the memory keeps away in between. Where the driver imports dma-bufs (``DeviceFeatures/dmaBufferImport``) the texture is the
  /// memory, and ``Texture/isZeroCopy`` is true. Elsewhere, and always on the CPU, bytes are copied in before the first command
  /// and, where a command writes the texture, out after the last; ``Texture/copyReason`` says why. Within one command buffer use one
  /// texture of a plane, as copies do not see each other.
  ///
  /// The texture has one level, no views, and is written in render passes and copies, not by `imageStore`. It keeps `buffer`, and with it
  /// the descriptors, alive. Throws ``SafelightError/Kind/limit`` for a plane larger than the device's textures, and
  /// ``SafelightError/Kind/unsupported`` for memory that the device can neither import nor map.
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
      // Whether copies are possible shows now, not in the middle of a frame.
      do throws(SafelightError) {
        try buffer.checkMapping(ofPlane: index)
      } catch {
        throw buffer.isLinear ? error : reason.during("texture '\(label)'")
      }
    }
    return texture
  }
}
