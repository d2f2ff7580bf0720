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

  /// Runs a twin that makes the whole target at once.
  private func paint(_ draw: Command.Draw) throws(SafelightError) {
    guard draw.isWholeTarget else {
      throw SafelightError(
        .unsupported, draw.pipeline.fragment.name,
        why: "its twin paints the whole target, which this draw does not",
        remedy:
          "give it a twin for single pixels (ShaderTwin(fragment:)), or draw vertices 0 to 3 of the full-screen strip")
    }
    let target = memory(draw.pass.colorAttachments[0])
    // What was there before is undefined then, as it is on a GPU.
    if case .dontCare = draw.pass.colorAttachments[0].loadAction { target.beginOverwriting() }
    try run(draw.pipeline.fragment, draw.bindings, grid: target.size, target: target)
    markVisible(draw)
  }

  private func rasterize(
    _ draw: Command.Draw, _ body: @escaping @Sendable (FragmentArguments) throws -> FragmentOutput
  ) throws(SafelightError) {
    guard draw.primitives == .triangle || draw.primitives == .triangleStrip else {
      throw SafelightError(
        .unsupported, draw.pipeline.label, why: "the CPU draws triangles, not a \(draw.primitives.rawValue)",
        remedy: "draw thin triangles, which look alike on every device")
    }
    let vertices = try VertexStage(draw, self)
    let targets = draw.pass.colorAttachments.enumerated().map { index, attachment in
      ColorTarget(
        memory: memory(attachment),
        state: draw.pipeline.colorAttachments?[index]
          ?? ColorAttachmentState(pixelFormat: attachment.texture.pixelFormat),
        blendColor: draw.state.blendColor)
    }
    let depthStencil = depthStencil(draw)
    let rasterizer = Rasterizer(
      draw.rasterState, target: draw.pass.size, sampleCount: draw.pipeline.rasterSampleCount,
      depthFormat: draw.pipeline.depthAttachmentPixelFormat)
    let fetched = draw.fetchedAttachments
    let fragment = FragmentArguments(
      arguments(draw.bindings, grid: draw.pass.size),
      fetching: Dictionary(uniqueKeysWithValues: targets.enumerated().filter { fetched.contains($0.offset) }))
    var isVisible = false
    try guarding(draw.pipeline.fragment) {
      try vertices.forEachTriangle { a, b, c in
        try rasterizer.draw(a, b, c, flat: vertices.flat, fragment: fragment) { x, y, samples, depths in
          let output = try body(fragment)
          guard !output.isDiscarded else { return }
          let covering = DepthStencilTarget.Fragment(
            x: x, y: y, samples: samples, isFrontFacing: fragment.isFrontFacing)
          let passed = depthStencil.passing(covering) {
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

  /// Runs a twin's code; what it throws becomes an error that names the function.
  func guarding(_ function: ShaderFunction, _ body: () throws -> Void) throws(SafelightError) {
    do {
      try body()
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.driver, function.name, why: "its Swift twin failed: \(error)", remedy: "correct the twin")
    }
  }

  static func wrongTwin(_ function: ShaderFunction, _ kind: String, as stage: String) -> SafelightError {
    SafelightError(
      .usage, function.name,
      why: "its Swift twin is one of a \(kind) function; it is drawn with as a \(stage) function",
      remedy: "give it a twin of its own kind")
  }

  private func memory(_ attachment: RenderPassDescriptor.ColorAttachment) -> TextureMemory {
    memory(attachment.texture).image(level: attachment.image.level, slice: attachment.image.slice)
  }

  private func memory(_ target: RenderPassDescriptor.DepthStencilTarget) -> TextureMemory {
    memory(target.texture).image(level: target.image.level, slice: target.image.slice)
  }

  private func depthStencil(_ draw: Command.Draw) -> DepthStencilTarget {
    let targets = draw.pass.depthStencilTargets
    return DepthStencilTarget(
      depth: targets.first { $0.point == .depth }.map(memory),
      stencil: targets.first { $0.point == .stencil }.map(memory),
      state: draw.rasterState.depthStencil)
  }

  // MARK: Beginning and end of a pass

  /// Fills the targets that begin with a colour, a depth or a stencil.
  func clear(_ pass: RenderPassDescriptor) {
    for attachment in pass.colorAttachments {
      let target = memory(attachment)
      guard let value = attachment.loadAction.clearValue(target.pixelFormat) else { continue }
      let pixel = target.pixelFormat.bytes(of: value)
      target.bytes = (0..<target.size.area * target.descriptor.sampleCount).flatMap { _ in pixel }
    }
    for target in pass.depthStencilTargets {
      switch target.point {
      case .depth: if let depth = pass.depthAttachment?.clearValue { memory(target).clearDepth(to: depth) }
      case .stencil: if let stencil = pass.stencilAttachment?.clearValue { memory(target).clearStencil(to: stencil) }
      case .color: break
      }
    }
  }

  /// Joins samples; what nobody will read stays.
  func store(_ pass: RenderPassDescriptor) {
    for attachment in pass.colorAttachments where attachment.resolves {
      guard let texture = attachment.resolveTexture else { continue }
      let image = attachment.resolveImage
      memory(attachment).resolve(into: memory(texture).image(level: image.level, slice: image.slice))
    }
  }
}

extension Command.Draw {
  /// Whether every pixel of the one target is painted, so that a twin may make them all at once.
  fileprivate var isWholeTarget: Bool {
    guard pipeline.colorAttachments == nil, primitives == .triangleStrip, instances.count == 1 else { return false }
    guard case .consecutive(start: 0, count: 4) = vertices else { return false }
    let whole = Region(size: pass.size)
    return (state.viewport?.region ?? whole) == whole && (state.scissor ?? whole) == whole && state.cullMode == .none
  }
}

extension PixelFormat {
  /// A pixel of a clear colour.
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

extension CPUBackend {
  /// Answers for a draw of which a pixel passed.
  private func markVisible(_ draw: Command.Draw) {
    guard let (buffer, offset) = draw.visibilityTarget else { return }
    write(Command.Draw.visible, to: buffer, at: offset)
  }
}
