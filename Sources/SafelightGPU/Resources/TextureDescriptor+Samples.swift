internal import SafelightGLES
internal import SafelightImage

extension TextureDescriptor {
  /// Throws where a device of `capabilities` has no such texture of several samples a pixel; asked when it is made, and by every pass, which
  /// may be replayed elsewhere.
  func checkSamples(_ capabilities: Capabilities, _ label: String) throws(SafelightError) {
    guard textureType.isMultisample else { return }
    try pixelFormat.checkSamples(sampleCount, "texture '\(label)'", capabilities)
    if pixelFormat.sampleKind == .float, !capabilities.features.contains(.floatRenderTargets) {
      throw SafelightError(
        .unsupported, "texture '\(label)'",
        why: "\(pixelFormat.rawValue) of several samples needs GL_EXT_color_buffer_float, which this device lacks",
        remedy: "use rgba8Unorm, or one sample")
    }
    if textureType == .type2DMultisampleArray, !capabilities.features.contains(.multisampleArrays) {
      throw SafelightError(
        .unsupported, "texture '\(label)'",
        why: "multisample arrays need GL_OES_texture_storage_multisample_2d_array, which this device lacks",
        remedy: "make one texture of type2DMultisample each")
    }
  }
}

extension PixelFormat {
  /// Throws where a device of `capabilities` has not as many samples a pixel of the format.
  func checkSamples(_ count: Int, _ subject: String, _ capabilities: Capabilities) throws(SafelightError) {
    let isInteger = sampleKind == .integer
    let limits = capabilities.render
    let limit = isInteger ? limits.integerSamples : isColor ? limits.samples : limits.depthSamples
    guard count > limit else { return }
    throw SafelightError(
      .limit, subject, why: "\(count) samples a pixel of \(rawValue) exceed this device's \(limit)",
      remedy: isInteger
        ? "use one sample, or a normalised format, of which 4 work everywhere" : "use 4, which work everywhere")
  }
}
