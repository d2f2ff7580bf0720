internal import SafelightGLES
internal import SafelightImage

extension CaptureBuilder {
  func renderPipeline(_ entry: CaptureManifest.RenderPipeline) throws(SafelightError) -> RenderPipelineState {
    let fragment = try function(entry.fragmentFunction)
    guard let attachments = entry.colorAttachments else { return RenderPipelineState(fullScreen: fragment) }
    var descriptor = RenderPipelineDescriptor(vertex: try function(entry.vertexFunction), fragment: fragment)
    descriptor.label = entry.label
    descriptor.vertexDescriptor = entry.vertexDescriptor
    descriptor.colorAttachments = attachments
    descriptor.depthAttachmentPixelFormat = entry.depthAttachmentPixelFormat
    descriptor.stencilAttachmentPixelFormat = entry.stencilAttachmentPixelFormat
    descriptor.rasterSampleCount = entry.rasterSampleCount
    let isFine =
      entry.vertexDescriptor.fault(entry.name) == nil && (1...64).contains(entry.rasterSampleCount)
      && entry.vertexDescriptor.layouts.values.allSatisfy { $0.stepRate < 1 << 31 }
    try require(
      isFine, entry.name, entry.vertexDescriptor.fault(entry.name) ?? "it draws \(entry.rasterSampleCount) samples")
    return try RenderPipelineState(descriptor)
  }

  func draw(_ words: CapturedCommand.Draw) throws(SafelightError) -> Command.Draw {
    let pipeline = try renderPipeline(words.pipeline)
    let (vertices, instances) = (try vertices(words.vertices), words.instances)
    if let fault = Command.Draw.fault(vertices, instances: instances.count, from: instances.first) {
      throw capture.fault("draw", why: "it \(fault)")
    }
    let draw = Command.Draw(
      pipeline: pipeline, pass: try pass(words.pass), bindings: try bindings(words.bindings, for: pipeline.fragment),
      vertexBindings: try bindings(words.vertexBindings, for: pipeline.vertexFunction), state: words.state,
      primitives: words.primitives, vertices: vertices, instances: instances.first..<instances.first + instances.count)
    try check(draw)
    return draw
  }

  func pass(_ words: CapturedCommand.Pass) throws(SafelightError) -> RenderPassDescriptor {
    try require(
      !words.attachments.isEmpty || words.depth != nil || words.stencil != nil, "pass", "it has no attachment")
    var attachments: [RenderPassDescriptor.ColorAttachment] = []
    for attachment in words.attachments { attachments.append(try self.attachment(attachment)) }
    var pass = RenderPassDescriptor(
      colorAttachments: attachments, depthAttachment: try words.depth.map(depthAttachment),
      stencilAttachment: try words.stencil.map(stencilAttachment))
    if let name = words.visibilityResultBuffer { pass.visibilityResultBuffer = try buffer(name) }
    if let fault = pass.fault("of the capture") { throw capture.fault("pass", why: fault) }
    return pass
  }

  private func depthAttachment(
    _ words: CapturedCommand.DepthStencil
  ) throws(SafelightError) -> RenderPassDescriptor.DepthAttachment {
    var attachment = RenderPassDescriptor.DepthAttachment(
      texture: try texture(words.texture), loadAction: words.loadAction, storeAction: words.storeAction,
      clearDepth: words.clear)
    attachment.image = words.image
    return attachment
  }

  private func stencilAttachment(
    _ words: CapturedCommand.DepthStencil
  ) throws(SafelightError) -> RenderPassDescriptor.StencilAttachment {
    guard let clear = UInt32(exactly: words.clear) else {
      throw capture.fault("pass", why: "\(words.clear) is no stencil")
    }
    var attachment = RenderPassDescriptor.StencilAttachment(
      texture: try texture(words.texture), loadAction: words.loadAction, storeAction: words.storeAction,
      clearStencil: clear)
    attachment.image = words.image
    return attachment
  }

  private func attachment(
    _ words: CapturedCommand.Attachment
  ) throws(SafelightError) -> RenderPassDescriptor.ColorAttachment {
    var attachment = RenderPassDescriptor.ColorAttachment(
      texture: try texture(words.texture), loadAction: try loadAction(words), storeAction: words.storeAction,
      resolveTexture: nil)
    if let name = words.resolveTexture { attachment.resolveTexture = try texture(name) }
    attachment.image = words.image
    attachment.resolveImage = words.resolveImage
    return attachment
  }

  private func loadAction(
    _ words: CapturedCommand.Attachment
  ) throws(SafelightError) -> RenderPassDescriptor.LoadAction {
    switch (words.loadAction, words.color) {
    case ("dontCare", nil): return .dontCare
    case ("load", nil): return .load
    case ("clear", let color?) where color.count == 4:
      return .clear(Float(color[0]), Float(color[1]), Float(color[2]), Float(color[3]))
    case ("clearColor", let color?) where color.count == 4:
      return .clearColor(
        RenderPassDescriptor.ClearColor(red: color[0], green: color[1], blue: color[2], alpha: color[3]))
    default: throw capture.fault("pass", why: "load action '\(words.loadAction)' with such a colour is none")
    }
  }

  // MARK: Corners

  private func vertices(_ words: CapturedCommand.Vertices) throws(SafelightError) -> Command.Draw.Vertices {
    switch (words.indices, words.indexType, words.indirect) {
    case (nil, nil, nil):
      try require(words.baseVertex == 0, "draw", "a base vertex without indices is none")
      return .consecutive(start: words.start, count: words.count)
    case (let bound?, let type?, nil):
      return .indexed(try indices(bound, type), count: words.count, baseVertex: words.baseVertex)
    case (nil, nil, let indirect?):
      return .indirect(try arguments(indirect, words: 4), offset: indirect.offset)
    case (let bound?, let type?, let indirect?):
      return .indexedIndirect(try indices(bound, type), try arguments(indirect, words: 5), offset: indirect.offset)
    default: throw capture.fault("draw", why: "indices without a type, or a type without indices")
    }
  }

  private func indices(
    _ bound: CapturedCommand.BoundBuffer, _ type: IndexType
  ) throws(SafelightError) -> Command.Draw.Indices {
    let buffer = try buffer(bound.buffer)
    try require(
      (0..<buffer.length).contains(bound.offset) && bound.offset % type.length == 0, "indices",
      "offset \(bound.offset) is none of '\(buffer.label)'")
    return Command.Draw.Indices(buffer: buffer, type: type, offset: bound.offset)
  }

  private func arguments(_ bound: CapturedCommand.BoundBuffer, words: Int) throws(SafelightError) -> Buffer {
    let buffer = try buffer(bound.buffer)
    try checkOffset(bound.offset, 4 * words, in: buffer)
    return buffer
  }

  // MARK: Checks

  /// What the encoder would trap on.
  private func check(_ draw: Command.Draw) throws(SafelightError) {
    let (pipeline, pass) = (draw.pipeline, draw.pass)
    let isBound = pipeline.vertexDescriptor.layouts.keys.allSatisfy { draw.vertexBindings.vertexLength($0) != nil }
    try require(isBound, pipeline.label, "a vertex buffer is not bound")
    if let fault = draw.tableFault { throw capture.fault(pipeline.label, why: fault) }
    let read = Set((Array(draw.bindings.textures.values) + Array(draw.vertexBindings.textures.values)).map(\.hazard))
    let isRead = pass.targets.contains { read.contains($0.hazard) }
    try require(!isRead, pipeline.label, "it reads a texture that it draws into")
    try check(draw.state, in: pass)
  }

  private func check(_ state: RenderState, in pass: RenderPassDescriptor) throws(SafelightError) {
    if let viewport = state.viewport {
      try require(viewport.region != nil, "viewport", "it is no rectangle of whole pixels")
      try require(viewport.hasDepths, "viewport", "its depths are not from 0 to 1")
    }
    if let scissor = state.scissor {
      try require(scissor.isInside(pass.size), "scissor", "it lies outside its target")
    }
    if let offset = state.visibilityOffset {
      let length = pass.visibilityResultBuffer?.length ?? 0
      try require(
        (0...max(0, length - 8)).contains(offset) && offset % 8 == 0 && length >= 8, "visibility",
        "byte \(offset) is none of its buffer")
    }
  }
}
