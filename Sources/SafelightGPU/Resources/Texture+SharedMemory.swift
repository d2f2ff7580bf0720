public import SafelightGLES
public import SafelightImage

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
  /// memory, and ``Texture/isZeroCopy`` is true. Elsewhere, and always on the CPU executor, bytes are copied in before the first command
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
      descriptor, label: label, home: executor, sharedPlane: SharedPlane(buffer: buffer, index: index))
    if let reason = try executor.adopt(texture) {
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
