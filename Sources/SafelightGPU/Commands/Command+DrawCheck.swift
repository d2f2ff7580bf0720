internal import SafelightGLES
internal import SafelightImage

extension Command.Draw {
  /// Throws where a device of `capabilities` cannot run it.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    try pass.check(capabilities)
    try pipeline.check(capabilities)
    try checkFormats()
    try checkFetches()
    try pipeline.vertexFunction.reflection(nil).check(vertexBindings, of: pipeline.vertexFunction.name)
    try pipeline.fragment.reflection(nil).check(bindings, of: pipeline.fragment.name)
    try functions.checkViews(capabilities)
    try vertexBindings.checkFilters(of: pipeline.vertexFunction, capabilities)
    try bindings.checkFilters(of: pipeline.fragment, capabilities)
    if case .indexed(_, count: _, let baseVertex) = vertices, baseVertex != 0,
      !capabilities.features.contains(.baseVertex)
    {
      throw SafelightError(
        .unsupported, pipeline.label, why: "this device adds no base vertex (\(baseVertex)) to indices",
        remedy: "move the vertex buffer's offset instead, or write other indices")
    }
    for index in pipeline.vertexDescriptor.layouts.keys.sorted() { try checkVertices(index) }
  }

  /// Throws where an attachment has not the format that the pipeline writes.
  private func checkFormats() throws(SafelightError) {
    let attachments = pass.colorAttachments
    guard let states = pipeline.colorAttachments else {
      guard attachments.count == 1 else {
        throw SafelightError(
          .usage, pipeline.label,
          why: "a full-screen pipeline writes to one attachment; the pass has \(attachments.count)",
          remedy: "make the pipeline from a RenderPipelineDescriptor")
      }
      return
    }
    guard states.count == attachments.count else {
      throw SafelightError(
        .usage, pipeline.label, why: "it writes to \(states.count) attachments; the pass has \(attachments.count)",
        remedy: "give both the same number")
    }
    for (index, (state, attachment)) in zip(states, attachments).enumerated() {
      let texture = attachment.texture
      guard state.pixelFormat == texture.pixelFormat else {
        throw SafelightError(
          .usage, pipeline.label,
          why:
            "it writes \(state.pixelFormat.rawValue) to attachment \(index); '\(texture.label)' is of \(texture.pixelFormat.rawValue)",
          remedy: "give the pipeline's attachment the texture's format")
      }
      guard texture.descriptor.sampleCount == pipeline.rasterSampleCount else {
        throw SafelightError(
          .usage, pipeline.label,
          why:
            "it draws \(pipeline.rasterSampleCount) samples a pixel; '\(texture.label)' has \(texture.descriptor.sampleCount)",
          remedy: "set rasterSampleCount to the texture's sampleCount")
      }
    }
  }

  /// Throws where the buffer at `index` ends before the draw's last vertex; what an index buffer or arguments on the device ask for
  /// is known only there.
  private func checkVertices(_ index: Int) throws(SafelightError) {
    guard let layout = pipeline.vertexDescriptor.layouts[index], let last = lastVertex(layout),
      let given = vertexBindings.vertexLength(index)
    else { return }
    let needed = last * layout.stride + pipeline.vertexDescriptor.extent(ofBuffer: index)
    guard needed > given else { return }
    throw SafelightError(
      .usage, pipeline.label, why: "the draw needs \(needed) bytes of vertex buffer \(index); \(given) were given",
      remedy: "bind a longer buffer, or draw fewer vertices or instances")
  }

  private func lastVertex(_ layout: VertexDescriptor.Layout) -> Int? {
    switch (layout.stepFunction, vertices) {
    case (.perVertex, .consecutive(let start, let count)): start + count - 1
    case (.perInstance, .consecutive), (.perInstance, .indexed):
      instances.lowerBound + (instances.count - 1) / layout.stepRate
    default: nil
    }
  }
}

extension Bindings {
  /// Bytes that attributes can be read from at `index`: bound bytes, or a buffer from its offset on.
  func vertexLength(_ index: Int) -> Int? {
    if let bytes = bytes[index] { return bytes.count }
    return buffers[index].map { $0.length - (bufferOffsets[index] ?? 0) }
  }
}

extension RenderPipelineState {
  /// Throws where a device of `capabilities` cannot draw with it.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    try checkBuffers(vertexFunction, "vertex", capabilities.render.vertexStorageBuffers)
    try checkBuffers(fragment, "fragment", capabilities.render.fragmentStorageBuffers)
    for function in [vertexFunction, fragment] {
      try function.reflection(nil).checkExtensions(capabilities, of: function.name)
    }
    try checkFetches(ofSamples: rasterSampleCount)
    guard let states = colorAttachments else { return }
    for state in states { try state.pixelFormat.checkSamples(rasterSampleCount, label, capabilities) }
    for (index, state) in states.enumerated() where state.isBlendingEnabled {
      try checkBlending(state, index, capabilities)
    }
    let agree = states.allSatisfy { $0.withoutFormat == states[0].withoutFormat }
    guard agree || capabilities.features.contains(.independentBlending) else {
      throw SafelightError(
        .unsupported, label, why: "this device blends and masks all attachments of a pass alike",
        remedy: "give them one blend state and one write mask, or draw in several passes")
    }
  }

  private func checkBuffers(_ function: ShaderFunction, _ stage: String, _ limit: Int) throws(SafelightError) {
    let count = function.arguments.count {
      switch $0 {
      case .readBuffer, .storageBuffer: true
      default: false
      }
    }
    guard count > limit else { return }
    throw SafelightError(
      .limit, function.name, why: "this \(stage) function reads \(count) buffers by itself; this device takes \(limit)",
      remedy: "pass the data as bytes, as attributes or in a texture, which work everywhere")
  }

  private func checkBlending(
    _ state: ColorAttachmentState, _ index: Int, _ capabilities: Capabilities
  ) throws(SafelightError) {
    let format = state.pixelFormat
    guard format.sampleKind != .integer else {
      throw SafelightError(
        .unsupported, label, why: "attachment \(index) of \(format.rawValue) cannot be blended: it holds integers",
        remedy: "use a normalised format, or disable blending")
    }
    let isFloat32 = format.sampleKind == .float && format.bytesPerSample == 4
    guard !isFloat32 || capabilities.features.contains(.float32Blending) else {
      throw SafelightError(
        .unsupported, label, why: "this device cannot blend into attachment \(index) of \(format.rawValue)",
        remedy: "use the format of halves")
    }
  }
}
