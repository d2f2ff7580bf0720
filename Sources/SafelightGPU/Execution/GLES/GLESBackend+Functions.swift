internal import SafelightGLES
internal import SafelightImage

extension GLESBackend {
  func perform(_ dispatch: Command.Dispatch) throws(SafelightError) {
    let size = dispatch.threadsPerThreadgroup
    let program = try programs.program(.compute(dispatch.pipeline, dispatch.variant))
    let function = dispatch.pipeline.function
    if let indirect = dispatch.indirect { _ = try buffers.object(indirect.buffer) }
    try program.use()
    try bind([BoundFunction(function: function, bindings: dispatch.bindings)], to: program)
    if let indirect = dispatch.indirect {
      // Whole threadgroups: no thread lies outside the grid.
      try program.setThreadsPerGrid(Size(Int(UInt32.max), Int(UInt32.max)))
      try buffers.object(indirect.buffer).bindIndirect()
      try context.dispatchIndirect(offset: indirect.offset)
    } else {
      try program.setThreadsPerGrid(dispatch.threads)
      try context.dispatch(threadgroups: dispatch.threads.dividedCovering(size), depth: dispatch.depth)
    }
  }

  private func bind(_ functions: [BoundFunction], to program: ProgramObject) throws(SafelightError) {
    // Making a texture and binding a level as an image bind the texture to the active unit: both come before the first
    // is bound for sampling.
    for texture in functions.flatMap({ $0.sampled + $0.images }) { _ = try textures.object(texture) }
    for bound in functions {
      for argument in bound.function.arguments {
        guard let index = argument.imageTexture, let texture = bound.bindings.textures[index] else { continue }
        try textures.object(texture).bindImage(unit: index, isLoaded: argument.storedTexture == nil)
      }
    }
    for bound in functions { try bind(bound, program) }
  }

  private func bind(_ bound: BoundFunction, _ program: ProgramObject) throws(SafelightError) {
    let (function, bindings) = (bound.function, bound.bindings)
    for argument in function.arguments {
      switch argument {
      case .sampledTexture(let index):
        guard let texture = bindings.textures[index] else { continue }
        try textures.object(texture).bindSampled(unit: index)
        if let sampler = bindings.samplers[index] {
          try textures.object(sampler).bind(unit: index)
        } else {
          try SamplerObject.unbind(context, unit: index)
        }
      case .loadedTexture, .storageTexture, .readWriteTexture: break
      case .readBuffer(let index), .storageBuffer(let index):
        guard let buffer = bindings.buffers[index] else { continue }
        if case .storageBuffer = argument { buffers.willWrite(buffer) }
        try bindStorage(buffer, offset: bindings.bufferOffsets[index] ?? 0, index: index, function, program)
      case .bytes(let index): try bindUniform(bindings, index: index)
      }
    }
  }

  /// Binds as much of the offset as the driver accepts, and passes the rest to the function.
  private func bindStorage(
    _ buffer: Buffer, offset: Int, index: Int, _ function: ShaderFunction, _ program: ProgramObject
  ) throws(SafelightError) {
    let alignment = capabilities.bufferOffsetAlignment
    let rest = offset % alignment
    try buffers.object(buffer).bindStorage(index: index, offset: offset - rest)
    guard try program.setBufferOffset(words: rest / 4, index: index) || rest == 0 else {
      throw SafelightError(
        .unsupported, function.name,
        why:
          "it does not read safelight_bufferOffsets[\(index)], and offset \(offset) of buffer '\(buffer.label)' is "
          + "not a multiple of \(alignment), as this device requires",
        remedy:
          "add safelight_bufferOffsets[\(index)] to the indices in the function, or use an offset that is a multiple "
          + "of 256")
    }
  }

  /// Binds bytes, or a buffer in their place: directly, or copied if the driver does not accept its offset.
  private func bindUniform(_ bindings: Bindings, index: Int) throws(SafelightError) {
    if let bytes = bindings.bytes[index] { return try buffers.uniform(bytes, index: index).bindUniform(index: index) }
    guard let buffer = bindings.buffers[index] else { return }
    let offset = bindings.bufferOffsets[index] ?? 0
    let range = offset..<min(buffer.length, offset + capabilities.maximumUniformLength)
    let source = try buffers.object(buffer)
    // Blocks are counted in 16 bytes: a range that ends within them may be too short for the driver; the copy is not.
    if offset % context.uniformBufferAlignment == 0 && range.count % 16 == 0 {
      return try source.bindUniform(index: index, range: range)
    }
    let copy = try buffers.uniform(length: range.count, index: index)
    try source.copy(range, to: copy, at: 0)
    try copy.bindUniform(index: index)
  }
}

extension GLESBackend {
  func perform(_ draw: Command.Draw) throws(SafelightError) {
    let pipeline = draw.pipeline
    let program = try programs.program(.render(pipeline))
    // Making a texture binds it to the active unit: the targets are made before the arguments are bound.
    let attachments = try attachments(draw.pass)
    try program.use()
    try program.setBaseInstance(draw.instances.lowerBound)
    try bind(draw.functions, to: program)
    let range = try range(draw.vertices)
    // Made before the targets are cleared, which stay as they were if there is no memory.
    for index in pipeline.vertexDescriptor.buffers.keys {
      if let buffer = draw.vertexBindings.buffers[index] { _ = try buffers.object(buffer) }
    }
    try begin(draw.pass, attachments)
    try context.with(draw.rasterState) { () throws(SafelightError) in
      try objects.input.with { () throws(SafelightError) in
        try bindVertices(of: draw)
        if draw.visibilityTarget != nil { objects.visibility.begin() }
        defer { if draw.visibilityTarget != nil { objects.visibility.end() } }
        try context.draw(draw.primitives, range, instances: draw.instances.count)
      }
    }
    if let (buffer, offset) = draw.visibilityTarget, objects.visibility.waitForResult() {
      try buffers.write(Command.Draw.visible, to: buffer, at: offset)
    }
  }

  private func attachments(_ pass: RenderPassDescriptor) throws(SafelightError) -> [RenderTargetAttachment] {
    let colors = try pass.colorAttachments.enumerated().map { (index, attachment) throws(SafelightError) in
      RenderTargetAttachment(try textures.object(attachment.target), attachment.image, at: .color(index))
    }
    let others = try pass.depthStencils.map { (target) throws(SafelightError) in
      RenderTargetAttachment(try textures.object(target.target), target.image, at: target.point)
    }
    return colors + others
  }

  /// Binds the targets and fills those that a pass clears.
  private func begin(_ pass: RenderPassDescriptor, _ attachments: [RenderTargetAttachment]) throws(SafelightError) {
    try objects.target.bind(attachments)
    for (index, attachment) in pass.colorAttachments.enumerated() {
      let format = attachment.target.pixelFormat
      guard let value = attachment.loadAction.clearValue(format) else { continue }
      try context.clearColor(index, to: value.exact(in: format))
    }
    if let depth = pass.depth, depth.loadAction == .clear {
      try context.clearDepth(to: depth.target.pixelFormat.exact(depth: Float(depth.clearDepth)))
    }
    if let stencil = pass.stencil, stencil.loadAction == .clear {
      try context.clearStencil(to: stencil.clearStencil & 0xff)
    }
  }

  func clear(_ pass: RenderPassDescriptor) throws(SafelightError) { try begin(pass, attachments(pass)) }

  func store(_ pass: RenderPassDescriptor) throws(SafelightError) {
    let target = objects.target
    for attachment in pass.colorAttachments {
      if let resolved = attachment.resolveTexture { _ = try textures.object(resolved) }
    }
    try begin(pass.loaded, attachments(pass))
    var discarded: [AttachmentPoint] = []
    for (index, attachment) in pass.colorAttachments.enumerated() {
      if attachment.resolves, let resolved = attachment.resolveTexture {
        try target.resolve(index, into: RenderTargetAttachment(try textures.object(resolved), attachment.resolveImage))
      }
      if attachment.discards { discarded.append(.color(index)) }
    }
    discarded += pass.depthStencils.filter { $0.storeAction == .dontCare }.map(\.point)
    if !discarded.isEmpty { try target.discard(discarded) }
  }

  /// Binds attributes and their buffers; the first instance moves their start, so that no `GL_EXT_base_instance` is
  /// needed.
  private func bindVertices(of draw: Command.Draw) throws(SafelightError) {
    let descriptor = draw.pipeline.vertexDescriptor
    for (index, format) in descriptor.formats {
      let attribute = descriptor.attributes[index]
      try objects.input.bind(
        attribute: index, format, offset: attribute.offset, bufferIndex: attribute.bufferIndex)
    }
    for (index, layout) in descriptor.buffers {
      let isPerInstance = layout.stepFunction == .perInstance
      let object: BufferObject
      var offset = isPerInstance ? draw.instances.lowerBound * layout.stride : 0
      if let bytes = draw.vertexBindings.bytes[index] {
        object = try buffers.uniform(bytes, index: Self.vertexBytes + index)
      } else if let buffer = draw.vertexBindings.buffers[index] {
        object = try buffers.object(buffer)
        offset += draw.vertexBindings.bufferOffsets[index] ?? 0
      } else {
        continue
      }
      try objects.input.bind(
        object, index: index, offset: offset, stride: layout.stride, divisor: isPerInstance ? layout.stepRate : 0)
    }
  }

  /// The first index of attributes' bytes, apart from those of uniform blocks.
  private static var vertexBytes: Int { 1000 }

  private func range(_ vertices: Command.Draw.Vertices) throws(SafelightError) -> DrawRange {
    switch vertices {
    case .consecutive(let start, let count): .vertices(start: start, count: count)
    case .indexed(let indices, let count, let baseVertex):
      .indices(
        try buffers.object(indices.buffer), indices.type, offset: indices.offset, count: count, baseVertex: baseVertex)
    case .indirect(let buffer, let offset): .indirect(try buffers.object(buffer), offset: offset)
    case .indexedIndirect(let indices, let buffer, let offset):
      .indirectIndices(
        try buffers.object(indices.buffer), indices.type, arguments: try buffers.object(buffer), offset: offset)
    }
  }
}

extension RenderPassDescriptor.ColorAttachment {
  var resolves: Bool { storeAction == .multisampleResolve || storeAction == .storeAndMultisampleResolve }
  var discards: Bool { storeAction == .dontCare || storeAction == .multisampleResolve }
}

extension PixelFormat {
  /// A depth that every driver stores as the same sample; see ``ClearValue/exact(in:)``.
  fileprivate func exact(depth: Float) -> Float {
    self == .depth16Unorm ? (Float(sample(normalized: depth)) + 0.25) / Float(maximum) : depth
  }
}
