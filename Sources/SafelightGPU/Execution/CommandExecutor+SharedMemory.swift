internal import SafelightGLES
internal import SafelightImage

/// Textures over shared memory that a device cannot work in: their bytes are copied in before the first command and out after the last.
extension CommandExecutor {
  /// Copies in what `recording` uses; returns the textures that ``carryOut(_:)`` copies out.
  func bringIn(_ recording: Recording) throws(SafelightError) -> [Texture] {
    var written: [Texture] = []
    for use in recording.sharedTextures {
      do throws(SafelightError) {
        guard let plane = use.texture.sharedPlane, try copyReason(of: use.texture) != nil else { continue }
        try bringIn(plane, to: use.texture)
        if use.isWritten { written.append(use.texture) }
      } catch {
        throw error.during("texture '\(use.texture.label)'")
      }
    }
    return written
  }

  private func bringIn(_ plane: SharedPlane, to texture: Texture) throws(SafelightError) {
    var bytes = try plane.buffer.contents(ofPlane: plane.index)
    if plane.buffer.format.isOpaque {
      for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 }
    }
    let upload = Command.Upload(
      bytes: bytes, pixelFormat: texture.pixelFormat, texture: texture, image: TextureImage(), region: texture.bounds)
    var result = ReplayResult()
    try perform(.upload(upload), label: "copy of shared memory", result: &result)
  }

  /// Copies `textures` out, once all commands are done.
  func carryOut(_ textures: [Texture]) throws(SafelightError) {
    for texture in textures {
      guard let plane = texture.sharedPlane else { continue }
      let readback = Readback(texture.size, texture.pixelFormat)
      let read = Command.TextureRead(
        texture: texture, image: TextureImage(), region: texture.bounds, pixelFormat: texture.pixelFormat,
        readback: readback, offset: 0, bytesPerRow: texture.size.width * texture.pixelFormat.bytesPerPixel)
      var result = ReplayResult()
      try perform(.readTexture(read), label: "copy to shared memory", result: &result)
      try plane.buffer.replace(plane: plane.index, with: result.contents(of: readback) ?? [])
    }
  }
}
