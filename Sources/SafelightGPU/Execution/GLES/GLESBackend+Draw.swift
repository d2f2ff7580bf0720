internal import SafelightGLES
internal import SafelightImage

/// What all draws of a context share.
struct DrawingObjects {
  let target: RenderTarget
  let input: VertexInput
  let visibility: VisibilityQuery

  init(_ context: Context) {
    target = RenderTarget(context)
    input = VertexInput(context)
    visibility = VisibilityQuery(context)
  }
}

extension GLESBackend {
  func perform(_ draw: Command.Draw) throws(SafelightError) {
    let drawing = try drawingObjects()
    let pipeline = draw.pipeline
    let program = try program(pipeline)
    // Making a texture binds it to the unit in use: the targets are there before the arguments are bound.
    let attachments = try attachments(draw.pass)
    try program.use()
    try program.setBaseInstance(draw.instances.lowerBound)
    try bind(draw.functions, to: program)
    let buffers = try vertexBuffers(draw)
    let (range, indices, arguments) = try range(draw.vertices)
    try begin(draw.pass, attachments)
    try context.with(draw.rasterState) { () throws(SafelightError) in
      try drawing.input.with(pipeline.vertexDescriptor.inputs, buffers, indices: indices, arguments: arguments) {
        () throws(SafelightError) in
        if draw.visibilityTarget != nil { drawing.visibility.begin() }
        defer { if draw.visibilityTarget != nil { drawing.visibility.end() } }
        try context.draw(draw.primitives, range, instances: draw.instances.count)
      }
    }
    if let (buffer, offset) = draw.visibilityTarget, drawing.visibility.waitForResult() {
      try write(Command.Draw.visible, to: buffer, at: offset)
    }
  }

  private func attachments(_ pass: RenderPassDescriptor) throws(SafelightError) -> [RenderTargetAttachment] {
    var attachments: [RenderTargetAttachment] = []
    for (index, attachment) in pass.colorAttachments.enumerated() {
      attachments.append(RenderTargetAttachment(try object(attachment.texture), attachment.image, at: .color(index)))
    }
    for target in pass.depthStencilTargets {
      attachments.append(RenderTargetAttachment(try object(target.texture), target.image, at: target.point))
    }
    return attachments
  }

  /// Binds the targets and fills those that begin with a colour, a depth or a stencil.
  private func begin(
    _ pass: RenderPassDescriptor, _ attachments: [RenderTargetAttachment]
  ) throws(SafelightError) {
    let target = try drawingObjects().target
    try target.bind(attachments)
    for (index, attachment) in pass.colorAttachments.enumerated() {
      let format = attachment.texture.pixelFormat
      guard let value = attachment.loadAction.clearValue(format) else { continue }
      try target.clear(index, to: value.exact(in: format))
    }
    if let attachment = pass.depthAttachment, let depth = attachment.clearValue {
      try target.clearDepth(to: attachment.texture.pixelFormat.exact(depth: depth))
    }
    if let stencil = pass.stencilAttachment?.clearValue { try target.clearStencil(to: stencil) }
  }

  /// Fills the targets of a pass that draws nothing.
  func clear(_ pass: RenderPassDescriptor) throws(SafelightError) {
    try begin(pass, attachments(pass))
  }

  /// Resolves and lets go of targets at the end of their pass.
  func store(_ pass: RenderPassDescriptor) throws(SafelightError) {
    let target = try drawingObjects().target
    for attachment in pass.colorAttachments {
      if let resolved = attachment.resolveTexture { _ = try object(resolved) }
    }
    try begin(pass.loaded, attachments(pass))
    var discarded: [AttachmentPoint] = []
    for (index, attachment) in pass.colorAttachments.enumerated() {
      if attachment.resolves, let resolved = attachment.resolveTexture {
        try target.resolve(index, into: RenderTargetAttachment(try object(resolved), attachment.resolveImage))
      }
      if attachment.discards { discarded.append(.color(index)) }
    }
    discarded += pass.depthStencilTargets.filter { $0.storeAction == .dontCare }.map(\.point)
    if !discarded.isEmpty { try target.discard(discarded) }
  }

  private func drawingObjects() throws(SafelightError) -> DrawingObjects {
    if let drawing { return drawing }
    let made = DrawingObjects(context)
    drawing = made
    return made
  }

  /// The buffers of attributes. Instances are counted from the first by moving the start of their buffers, which OpenGL ES 3.1 can,
  /// and not by `GL_EXT_base_instance`.
  private func vertexBuffers(_ draw: Command.Draw) throws(SafelightError) -> [VertexInputBuffer] {
    var buffers: [VertexInputBuffer] = []
    for (index, layout) in draw.pipeline.vertexDescriptor.layouts {
      let isPerInstance = layout.stepFunction == .perInstance
      let object: BufferObject
      var offset = isPerInstance ? draw.instances.lowerBound * layout.stride : 0
      if let bytes = draw.vertexBindings.bytes[index] {
        object = try uniform(bytes, index: Self.vertexBytes + index)
      } else if let buffer = draw.vertexBindings.buffers[index] {
        object = try self.object(buffer)
        offset += draw.vertexBindings.bufferOffsets[index] ?? 0
      } else {
        continue
      }
      buffers.append(
        VertexInputBuffer(
          index: index, buffer: object, offset: offset, stride: layout.stride,
          divisor: isPerInstance ? layout.stepRate : 0))
    }
    return buffers
  }

  /// Bytes that attributes are read from stay apart from those of uniform blocks.
  private static var vertexBytes: Int { 1000 }

  private func range(
    _ vertices: Command.Draw.Vertices
  ) throws(SafelightError) -> (DrawRange, indices: BufferObject?, arguments: BufferObject?) {
    switch vertices {
    case .consecutive(let start, let count): (.vertices(start: start, count: count), nil, nil)
    case .indexed(let indices, let count, let baseVertex):
      (
        .indices(indices.type, offset: indices.offset, count: count, baseVertex: baseVertex),
        try object(indices.buffer), nil
      )
    case .indirect(let buffer, let offset): (.indirect(offset: offset), nil, try object(buffer))
    case .indexedIndirect(let indices, let buffer, let offset):
      (.indirectIndices(indices.type, offset: offset), try object(indices.buffer), try object(buffer))
    }
  }
}

extension RenderPassDescriptor.ColorAttachment {
  /// Whether samples are joined at the end of the pass.
  var resolves: Bool { storeAction == .multisampleResolve || storeAction == .storeAndMultisampleResolve }

  /// Whether nobody reads the texture afterwards.
  var discards: Bool { storeAction == .dontCare || storeAction == .multisampleResolve }
}

extension VertexDescriptor {
  /// The attributes as GL has them.
  var inputs: [VertexInputAttribute] {
    attributes.map { index, attribute in
      VertexInputAttribute(
        index: index, format: attribute.format, offset: attribute.offset, bufferIndex: attribute.bufferIndex)
    }
  }
}

extension PixelFormat {
  /// The same for a depth.
  fileprivate func exact(depth: Float) -> Float {
    self == .depth16Unorm ? (Float(sample(normalized: depth)) + 0.25) / Float(maximum) : depth
  }
}

extension ClearValue {
  /// The value with which every driver leaves the sample nearest to this one, whether it rounds or truncates (ES 3.1
  /// §2.3.4.2).
  func exact(in format: PixelFormat) -> ClearValue {
    guard case .floats(let values) = self, format.sampleKind == .normalized else { return self }
    return .floats(values.map { (Float(format.sample(normalized: $0)) + 0.25) / Float(format.maximum) })
  }
}
