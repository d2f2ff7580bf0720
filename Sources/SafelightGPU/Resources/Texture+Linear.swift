public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// The bytes of a buffer that a texture shows.
public struct LinearTextureSource: Sendable {
  /// The buffer.
  public let buffer: Buffer
  /// The place of the first pixel in it.
  public let offset: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
}

extension Device {
  /// Makes a texture over the bytes of a buffer; Metal's `MTLBuffer.makeTexture(descriptor:offset:bytesPerRow:)`.
  ///
  /// Each shows what is written to the other, in the order of the commands. Where Metal has one memory, OpenGL ES has two, as its
  /// `GL_TEXTURE_BUFFER` has one dimension: a recording brings the pixels over before a command that needs them
  /// (`glTexSubImage2D` from `GL_PIXEL_UNPACK_BUFFER`) and back after one that writes them (`glReadPixels` to `GL_PIXEL_PACK_BUFFER`),
  /// as copies of its own that captures show. `offset` and `bytesPerRow` are multiples of
  /// ``minimumLinearTextureAlignment(for:)``; bytes between rows stay as they are. The texture has one level and no samples.
  ///
  /// Throws where it exceeds the device's limits or needs a feature that the device lacks.
  public func makeTexture(
    _ descriptor: TextureDescriptor, over buffer: Buffer, offset: Int = 0, bytesPerRow: Int, label: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    trap(
      unless: buffer.home === executor,
      "texture '\(label)' was to show buffer '\(buffer.label)' of another device; make both with one")
    trap(
      unless: descriptor.textureType == .type2D && descriptor.mipmapLevelCount == 1 && descriptor.pixelFormat.isColor,
      "texture '\(label)' over buffer '\(buffer.label)' can only be of type2D with one level and a format of colours")
    try check(descriptor, label)
    let texture = Texture(
      descriptor, label: label, home: executor,
      source: LinearTextureSource(buffer: buffer, offset: offset, bytesPerRow: bytesPerRow))
    // The copies check the layout: now, where the mistake is, and not at the first use.
    _ = texture.linearCopy
    hasLinearTextures.store(true, ordering: .relaxed)
    return texture
  }

  /// What offset and row length of a texture over a buffer are multiples of: the bytes of a pixel.
  public func minimumLinearTextureAlignment(for pixelFormat: PixelFormat) -> Int { pixelFormat.bytesPerPixel }
}

extension Texture {
  /// The copy of all its pixels from or to the buffer that it shows; nil where it shows none.
  var linearCopy: Command.BufferTextureCopy? {
    linearSource.map {
      Command.BufferTextureCopy(
        buffer: $0.buffer, offset: $0.offset, bytesPerRow: $0.bytesPerRow, texture: self, image: TextureImage(),
        region: bounds)
    }
  }
}
