internal import SafelightGLES
internal import SafelightImage

extension Command.Draw {
  /// Throws where the depths and stencils of the pass are not those that the pipeline draws with, or where a device of `capabilities`
  /// lacks what they need; asked by both executors.
  func checkDepthStencil(_ capabilities: Capabilities) throws(SafelightError) {
    try checkFormat(pipeline.depthAttachmentPixelFormat, .depth, "depthAttachmentPixelFormat")
    try checkFormat(pipeline.stencilAttachmentPixelFormat, .stencil, "stencilAttachmentPixelFormat")
    if let clamp = state.depthBias?.clamp, clamp != 0, !capabilities.features.contains(.depthBiasClamp) {
      throw SafelightError(
        .unsupported, pipeline.label, why: "this device has no bound (\(clamp)) for a depth bias",
        remedy: "set the depth bias with a clamp of 0")
    }
    if state.depthClipMode == .clamp, !capabilities.features.contains(.depthClamp) {
      throw SafelightError(
        .unsupported, pipeline.label, why: "this device cannot clamp depths beyond the near and far planes",
        remedy: "move the planes apart, or clamp z in the vertex function")
    }
  }

  private func checkFormat(
    _ format: PixelFormat?, _ point: AttachmentPoint, _ property: String
  ) throws(SafelightError) {
    let target = pass.depthStencilTargets.first { $0.point == point }
    let noun = point == .depth ? "depth" : "stencil"
    guard target?.texture.pixelFormat == format else {
      let drawn = format.map { "\(noun) of \($0.rawValue)" } ?? "no \(noun)"
      let given = target.map { "'\($0.texture.label)' of \($0.texture.pixelFormat.rawValue)" } ?? "none"
      throw SafelightError(
        .usage, pipeline.label, why: "it draws \(drawn); the pass has \(given)",
        remedy: "make it from a RenderPipelineDescriptor whose \(property) is the texture's")
    }
    guard let target, target.texture.descriptor.sampleCount != pipeline.rasterSampleCount else { return }
    throw SafelightError(
      .usage, pipeline.label,
      why:
        "it draws \(pipeline.rasterSampleCount) samples a pixel; '\(target.texture.label)' has \(target.texture.descriptor.sampleCount)",
      remedy: "set rasterSampleCount to the texture's sampleCount")
  }
}
