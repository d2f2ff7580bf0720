internal import SafelightGLES
internal import SafelightImage

extension Command {
  /// Throws where a device of `capabilities` cannot carry it out; asked before either executor is, so that both refuse alike.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    switch self {
    case .dispatch(let dispatch): try dispatch.check(capabilities)
    case .draw(let draw): try draw.check(capabilities)
    case .clear(let pass), .store(let pass): try pass.check(capabilities)
    case .upload(let upload): try upload.texture.checkView(capabilities)
    case .copyBufferToTexture(let copy): try copy.texture.checkView(capabilities)
    case .readTexture(let read): try read.texture.checkReadback(capabilities)
    case .copyTextureToBuffer(let copy): try copy.texture.checkReadback(capabilities)
    case .copyTexture(let copy):
      for texture in [copy.source, copy.destination] {
        try texture.checkView(capabilities)
        // Else the copy goes by way of framebuffers.
        if !capabilities.features.contains(.copyImage) { try texture.checkTarget(capabilities, "be copied") }
      }
    case .generateMipmaps(let texture): try texture.checkMipmaps(capabilities)
    case .writeBuffer, .fillBuffer, .copyBuffer, .readBuffer, .synchronize: break
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: break
    }
  }
}

extension Texture {
  /// Throws where it is a view that a device of `capabilities` does not have: one of some slices, or in another format or shape.
  func checkView(_ capabilities: Capabilities) throws(SafelightError) {
    guard let parent, !capabilities.features.contains(.textureViews) else { return }
    try parent.checkView(capabilities)
    guard
      pixelFormat == parent.pixelFormat, descriptor.textureType == parent.descriptor.textureType,
      parentSlices == 0..<parent.descriptor.sliceCount()
    else {
      throw SafelightError(
        .unsupported, "texture view '\(label)'", why: "this device has no GL_EXT_texture_view",
        remedy: "view whole levels in the texture's own format, or copy")
    }
  }

  /// Throws where a device of `capabilities` cannot read it back.
  fileprivate func checkReadback(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be read back")
  }

  /// Throws where a device of `capabilities` cannot attach it to a framebuffer, without which it cannot do `what`.
  func checkTarget(_ capabilities: Capabilities, _ what: String) throws(SafelightError) {
    guard pixelFormat.sampleKind == .float, !capabilities.features.contains(.floatRenderTargets) else { return }
    throw SafelightError(
      .unsupported, "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "halves and floats cannot \(what) on this device (no GL_EXT_color_buffer_float)",
      remedy: "store into an integer format, or use the device cpu")
  }

  /// Throws where a device of `capabilities` cannot make its levels: the format must be one that it draws into and filters (ES 3.2 §8.14.4).
  fileprivate func checkMipmaps(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be made into levels")
    let isFloat32 = pixelFormat.sampleKind == .float && pixelFormat.bytesPerSample == 4
    guard isFloat32, !capabilities.features.contains(.linearFloat32) else { return }
    throw SafelightError(
      .unsupported, "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "this device cannot filter 32-bit floats, of which levels are made", remedy: "use the format of halves")
  }
}
