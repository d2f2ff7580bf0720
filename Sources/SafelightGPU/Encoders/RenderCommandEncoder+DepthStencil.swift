public import SafelightGLES
internal import SafelightImage

extension RenderCommandEncoder {
  /// Chooses the tests of depths and stencils of the draws that follow; nil for none, as at the beginning. Where the pass has no
  /// such attachment, they pass everywhere.
  public func setDepthStencilState(_ depthStencil: DepthStencilState?) { state.depthStencil = depthStencil?.descriptor }

  /// Sets what stencils of both sides are compared with, and replaced by; the lowest eight bits count. 0 at the beginning.
  public func setStencilReferenceValue(_ value: UInt32) { setStencilReferenceValues(front: value, back: value) }

  /// Sets what stencils of fronts and of backs are compared with, and replaced by.
  public func setStencilReferenceValues(front: UInt32, back: UInt32) {
    state.stencilReferences = StencilReferences(front: front, back: back)
  }

  /// Adds to the depths of triangles `depthBias` times the least difference that the format holds there, and `slopeScale` times the
  /// difference of depth from pixel to pixel (`glPolygonOffset`); at most `clamp` where that is positive, at least where negative.
  ///
  /// What the least difference is, devices decide: small biases are not exact. A `clamp` other than 0 needs
  /// ``DeviceFeatures/depthBiasClamp``.
  public func setDepthBias(_ depthBias: Float, slopeScale: Float, clamp: Float) {
    trap(
      unless: depthBias.isFinite && slopeScale.isFinite && clamp.isFinite,
      "encoder '\(recorder.label)' set a depth bias of \(depthBias), \(slopeScale), \(clamp); use finite numbers")
    state.depthBias = DepthBias(bias: depthBias, slopeScale: slopeScale, clamp: clamp)
  }

  /// Says what becomes of triangles beyond the near and far planes; `clamp` needs ``DeviceFeatures/depthClamp``.
  public func setDepthClipMode(_ mode: DepthClipMode) { state.depthClipMode = mode }
}
