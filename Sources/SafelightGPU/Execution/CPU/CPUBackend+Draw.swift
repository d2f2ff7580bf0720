internal import SafelightGLES
internal import SafelightImage

extension CPUBackend {
  func perform(_ draw: Command.Draw) throws(SafelightError) {
    clear(draw.pass)
    switch try twin(of: draw.pipeline.fragment).body {
    case .grid: try paint(draw)
    case .fragment(let body): try rasterize(draw, body)
    case .vertex: throw Self.wrongTwin(draw.pipeline.fragment, "vertex", as: "fragment")
    }
  }

  /// Runs a twin that paints the whole target at once.
  private func paint(_ draw: Command.Draw) throws(SafelightError) {
    try ensure(
      draw.paintsAll, .unsupported, draw.pipeline.fragment.name,
      why: "its twin can only paint a whole target, and this draw paints something else",
      remedy:
        "give it a twin for single pixels (ShaderTwin(fragment:)), or draw vertices 0 to 3 of the full-screen strip")
    let target = image(draw.pass.colorAttachments[0])
    // The earlier contents are undefined then, as on a GPU.
    if case .dontCare = draw.pass.colorAttachments[0].loadAction { target.beginOverwriting() }
    try run(draw.pipeline.fragment, TwinArguments(draw.bindings, in: self, grid: target.size, target: target))
    markVisible(draw)
  }

  private func rasterize(
    _ draw: Command.Draw, _ body: @escaping @Sendable (FragmentArguments) throws -> FragmentOutput
  ) throws(SafelightError) {
    try ensure(
      draw.primitives == .triangle || draw.primitives == .triangleStrip, .unsupported, draw.pipeline.label,
      why: "the CPU draws only triangles, but the primitive type is \(draw.primitives.rawValue)",
      remedy: "draw thin triangles, which look alike on every device")
    let vertices = try VertexStage(draw, self)
    let targets = draw.pass.colorAttachments.enumerated().map { index, attachment in
      ColorTarget(
        memory: image(attachment),
        state: draw.pipeline.colorAttachments?[index]
          ?? ColorAttachmentState(pixelFormat: attachment.target.pixelFormat), blendColor: draw.state.blendColor)
    }
    let rasterizer = Rasterizer(draw)
    let depthStencil = DepthStencilTarget(
      depth: draw.pass.depth.map { memory($0.target, $0.image) },
      stencil: draw.pass.stencil.map { memory($0.target, $0.image) }, state: rasterizer.state.depthStencil)
    let fetched = draw.pipeline.fragment.fetchedAttachments
    let fragment = FragmentArguments(
      TwinArguments(draw.bindings, in: self, grid: draw.pass.size),
      fetching: Dictionary(uniqueKeysWithValues: targets.enumerated().filter { fetched.contains($0.offset) }))
    var isVisible = false
    try guarding(draw.pipeline.fragment) {
      try vertices.forEachTriangle { a, b, c in
        try rasterizer.draw(a, b, c, flat: vertices.flat, fragment: fragment) { x, y, samples, depths in
          let output = try body(fragment)
          guard !output.isDiscarded else { return }
          let passed = depthStencil.passing(x, y, samples: samples, isFrontFacing: fragment.isFrontFacing) {
            output.depth.map(rasterizer.depthRules.tested) ?? rasterizer.depth(depths, x, y, sample: $0)
          }
          guard passed != 0 else { return }
          isVisible = true
          for (index, target) in targets.enumerated() { target.write(output.words[index], x, y, samples: passed) }
        }
      }
    }
    if isVisible { markVisible(draw) }
  }

  static func wrongTwin(_ function: ShaderFunction, _ kind: String, as stage: String) -> SafelightError {
    SafelightError(
      .usage, function.name,
      why: "its Swift twin is for a \(kind) function, but the pipeline uses it as a \(stage) function",
      remedy: "give it a twin for the stage in which the pipeline uses it")
  }

  private func image(_ attachment: RenderPassDescriptor.ColorAttachment) -> TextureMemory {
    memory(attachment.target, attachment.image)
  }

  private func markVisible(_ draw: Command.Draw) {
    guard let (buffer, offset) = draw.visibilityTarget else { return }
    write(Command.Draw.visible, to: buffer, at: offset)
  }

  // MARK: Beginning and end of a pass

  func clear(_ pass: RenderPassDescriptor) {
    for attachment in pass.colorAttachments {
      let target = image(attachment)
      guard let value = attachment.loadAction.clearValue(target.pixelFormat) else { continue }
      let pixel = target.pixelFormat.bytes(of: value)
      target.bytes = (0..<target.size.area * target.descriptor.sampleCount).flatMap { _ in pixel }
    }
    if let depth = pass.depth, depth.loadAction == .clear {
      memory(depth.target, depth.image).clearDepth(to: Float(depth.clearDepth))
    }
    if let stencil = pass.stencil, stencil.loadAction == .clear {
      memory(stencil.target, stencil.image).clearStencil(to: stencil.clearStencil)
    }
  }

  /// Resolves targets; discarded ones keep their contents.
  func store(_ pass: RenderPassDescriptor) {
    for attachment in pass.colorAttachments where attachment.resolves {
      guard let texture = attachment.resolveTexture else { continue }
      image(attachment).resolve(into: memory(texture, attachment.resolveImage))
    }
  }
}

extension PixelFormat {
  fileprivate func bytes(of value: ClearValue) -> [UInt8] {
    switch value {
    case .floats(let values): values.prefix(samplesPerPixel).flatMap(bytes(ofSample:))
    case .words(let words):
      words.prefix(samplesPerPixel).flatMap { word in
        (0..<bytesPerSample).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) }
      }
    }
  }
}
