internal import SafelightGLES
internal import SafelightImage

/// Textures over shared memory that a device cannot work in: their bytes are copied in before commands and out after them.
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
    unsafe try plane.buffer.withMapping(ofPlane: plane.index, .read) { base throws(SafelightError) in
      unsafe try fill(texture, from: SharedRows(plane, at: base))
    }
  }

  /// Copies `textures` out, once all commands so far are done.
  func carryOut(_ textures: [Texture]) throws(SafelightError) {
    for texture in textures {
      guard let plane = texture.sharedPlane else { continue }
      unsafe try plane.buffer.withMapping(ofPlane: plane.index, .write) { base throws(SafelightError) in
        unsafe try drain(texture, into: SharedRows(plane, at: base))
      }
    }
  }
}

extension CommandExecutor {
  /// Shares the memory of a texture's first image, or says why not as every executor does.
  func exportChecked(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    do throws(SafelightError) {
      guard capabilities.features.contains(.dmaBufferExport) else { throw Self.noExport }
      return try export(texture)
    } catch {
      throw error.during("texture '\(texture.label)'")
    }
  }

  static var noExport: SafelightError {
    SafelightError(
      .unsupported, "export", why: "this device cannot share memory of its own (no EGL_MESA_image_dma_buf_export)",
      remedy: "make the texture with Device.makeSharedTexture, or copy it to one")
  }
}
