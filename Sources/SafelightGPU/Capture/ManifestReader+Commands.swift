internal import SafelightGLES
internal import SafelightImage

extension ManifestReader {
  /// Returns the command that `captured` describes; throws if an encoder would trap, except for ``Command/fault``.
  mutating func command(_ captured: CapturedCommand) throws(SafelightError) -> Command {
    try require(
      captured.count == 1, "command", "it holds \(captured.count) commands instead of one, or is of an unknown kind")
    if let name = captured.pushDebugGroup { return .pushDebugGroup(name) }
    if captured.popDebugGroup != nil { return .popDebugGroup }
    if let text = captured.signpost { return .insertDebugSignpost(text) }
    if let dispatch = captured.dispatch { return .dispatch(try self.dispatch(dispatch, captured.origin)) }
    if let draw = captured.draw { return .draw(try self.draw(draw, captured.origin)) }
    if let pass = captured.clear { return .clear(try self.pass(pass)) }
    if let pass = captured.store { return .store(try self.pass(pass)) }
    if let upload = captured.upload { return .upload(try self.upload(upload, of: "upload")) }
    if let read = captured.readTexture { return .readTexture(try self.read(read)) }
    if let copy = captured.copyTexture { return .copyTexture(try self.copy(copy)) }
    if let copy = captured.copyBufferToTexture { return .copyBufferToTexture(try self.copy(copy)) }
    if let copy = captured.copyTextureToBuffer { return .copyTextureToBuffer(try self.copy(copy)) }
    if let name = captured.generateMipmaps { return .generateMipmaps(try texture(name)) }
    if let copy = captured.copyBuffer { return .copyBuffer(try self.copy(copy)) }
    if let write = captured.writeBuffer {
      let buffer = try buffer(write.buffer)
      let range = try range(write.offset, write.bytes.length, of: buffer)
      let bytes = try capture.bytes(write.bytes, of: "writeBuffer", count: range.count)
      return .writeBuffer(buffer, offset: range.lowerBound, bytes: bytes)
    }
    if let fill = captured.fillBuffer {
      let buffer = try buffer(fill.buffer)
      return .fillBuffer(buffer, range: try range(fill.offset, fill.length, of: buffer), value: fill.value)
    }
    if let read = captured.readBuffer {
      let (buffer, readback) = (try buffer(read.buffer), try readback(read.readback))
      return .readBuffer(buffer, range: try range(read.offset, read.length, of: buffer), into: readback)
    }
    return .synchronize(try buffer(captured.synchronize ?? ""))
  }

  // MARK: Functions

  func bindings(_ captured: CapturedCommand.Bindings, for function: ShaderFunction) throws(SafelightError) -> Bindings {
    var bindings = Bindings()
    for (index, name) in captured.textures { bindings.textures[index] = try texture(name) }
    for (index, name) in captured.samplers { bindings.samplers[index] = try sampler(name) }
    for (index, bound) in captured.buffers {
      let buffer = try buffer(bound.buffer)
      try checkOffset(bound.offset, 4, in: buffer)
      bindings.setBuffer(buffer, offset: bound.offset, index: index)
    }
    for (index, bytes) in captured.bytes {
      try require(
        (1...16384).contains(bytes.length), "bytes \(index)",
        "\(bytes.length) bytes are stated, but 1 to 16384 are allowed")
      bindings.bytes[index] = try capture.bytes(bytes, of: "bytes \(index)", count: bytes.length)
    }
    for argument in function.arguments {
      try require(bindings.binds(argument), function.name, "its argument \(argument) is not bound")
    }
    return bindings
  }

  private func dispatch(
    _ captured: CapturedCommand.Dispatch, _ origin: String?
  ) throws(SafelightError) -> Command.Dispatch {
    let known = try computePipeline(captured.function)
    let pipeline = try function(captured.function, recordedBy: origin).map { ComputePipelineState($0) } ?? known
    let function = pipeline.function
    let bindings = try bindings(captured.bindings, for: function)
    let group = captured.threadsPerThreadgroup
    try require(
      (1...1 << 16).contains(group.width) && (1...1 << 16).contains(group.height), function.name,
      "threadgroups of \(group) are impossible")
    try require(
      captured.threadgroupMemoryLengths.allSatisfy {
        (0..<32).contains($0.key) && (16...1 << 24).contains($0.value) && $0.value % 16 == 0
      }, function.name, "its threadgroup memory has an impossible index or length")
    let variant = ComputeVariant(
      threadsPerThreadgroup: group, threadgroupMemoryLengths: captured.threadgroupMemoryLengths)
    var (threads, depth, indirect) = (captured.threads, captured.depth ?? 1, Command.Dispatch.Indirect?.none)
    if let bound = captured.indirect {
      let buffer = try buffer(bound.buffer)
      try checkOffset(bound.offset, 12, in: buffer)
      (threads, depth, indirect) = (Size(0, 0), 1, Command.Dispatch.Indirect(buffer: buffer, offset: bound.offset))
    } else {
      try require(
        [threads.width, threads.height, depth].allSatisfy((1...1 << 32).contains), function.name,
        "a grid of \(threads) in \(depth) layers is impossible")
    }
    let dispatch = Command.Dispatch(
      pipeline: pipeline, bindings: bindings, threads: threads, depth: depth, variant: variant, indirect: indirect)
    if let fault = dispatch.aliasFault { throw capture.fault(function.name, why: "it \(fault)") }
    return dispatch
  }

  // MARK: Copies

  func upload(_ captured: CapturedCommand.Upload, of subject: String) throws(SafelightError) -> Command.Upload {
    let (texture, region) = (try texture(captured.texture), captured.region)
    try check(region, of: captured.image, in: texture, subject)
    let row = region.bytesPerRow(captured.pixelFormat)
    return Command.Upload(
      bytes: try capture.bytes(captured.pixels, of: subject, count: row * region.size.height), bytesPerRow: row,
      pixelFormat: captured.pixelFormat, texture: texture, image: captured.image, region: region)
  }

  private mutating func read(_ captured: CapturedCommand.TextureRead) throws(SafelightError) -> Command.TextureRead {
    let (texture, readback) = (try texture(captured.texture), try readback(captured.readback))
    try check(captured.region, of: captured.image, in: texture, "readTexture")
    try checkRows(captured.bytesPerRow, captured.offset)
    let read = Command.TextureRead(
      texture: texture, image: captured.image, region: captured.region, pixelFormat: captured.pixelFormat,
      readback: readback, offset: captured.offset, bytesPerRow: captured.bytesPerRow)
    if read.isWhole {
      readbacks[captured.readback]?.size = captured.region.size
      readbacks[captured.readback]?.pixelFormat = captured.pixelFormat
    }
    return read
  }

  private func copy(_ captured: CapturedCommand.TextureCopy) throws(SafelightError) -> Command.TextureCopy {
    Command.TextureCopy(
      source: try texture(captured.source), sourceImage: captured.sourceImage, region: captured.region,
      destination: try texture(captured.destination), destinationImage: captured.destinationImage, x: captured.x,
      y: captured.y)
  }

  private func copy(_ captured: CapturedCommand.BufferTextureCopy) throws(SafelightError) -> Command.BufferTextureCopy {
    try checkRows(captured.bytesPerRow, captured.offset)
    return Command.BufferTextureCopy(
      buffer: try buffer(captured.buffer), offset: captured.offset, bytesPerRow: captured.bytesPerRow,
      texture: try texture(captured.texture), image: captured.image, region: captured.region)
  }

  private func copy(_ captured: CapturedCommand.BufferCopy) throws(SafelightError) -> Command.BufferCopy {
    let (source, destination) = (try buffer(captured.source), try buffer(captured.destination))
    let range = try range(captured.sourceOffset, captured.length, of: source)
    _ = try self.range(captured.offset, captured.length, of: destination)
    return Command.BufferCopy(source: source, range: range, destination: destination, offset: captured.offset)
  }

  // MARK: Checks

  private func range(_ offset: Int, _ length: Int, of buffer: Buffer) throws(SafelightError) -> Range<Int> {
    try require(
      (0...buffer.length).contains(offset) && (0...buffer.length - offset).contains(length),
      "\(length) bytes from \(offset) on", "they lie outside '\(buffer.label)' of \(buffer.length)")
    return offset..<offset + length
  }

  func checkOffset(_ offset: Int, _ length: Int, in buffer: Buffer) throws(SafelightError) {
    try require(
      offset >= 0 && offset % 4 == 0 && offset <= buffer.length - min(length, buffer.length) && offset < buffer.length
        && (length <= 4 || buffer.length >= length), "offset \(offset)",
      "it is not a multiple of 4 inside '\(buffer.label)' of \(buffer.length) bytes")
  }

  /// Throws unless the check of the command can multiply and add the numbers.
  private func checkRows(_ bytesPerRow: Int, _ offset: Int) throws(SafelightError) {
    try require(
      [bytesPerRow, offset].allSatisfy((0...1 << 32).contains), "rows of \(bytesPerRow) bytes from \(offset) on",
      "they are not between 0 and \(1 << 32)")
  }
}

extension ManifestReader {
  /// Returns the pipeline `name`, whose fragment function has the twin of the kernel's pass `origin`.
  private func renderPipeline(
    _ name: String, recordedBy origin: String?
  ) throws(SafelightError) -> RenderPipelineState {
    let pipeline = try renderPipeline(name)
    guard let entry = manifest.renderPipelines.first(where: { $0.name == name }) else { return pipeline }
    // Throws if the CPU lacks the twin of the vertex function.
    _ = try function(entry.vertexFunction, recordedBy: nil)
    guard let fragment = try function(entry.fragmentFunction, recordedBy: origin) else { return pipeline }
    guard entry.colorAttachments == nil else {
      throw capture.fault(entry.name, why: "a kernel's pass is drawn on the full-screen strip only")
    }
    return RenderPipelineState(fullScreen: fragment)
  }

  func renderPipeline(_ entry: CaptureManifest.RenderPipeline) throws(SafelightError) -> RenderPipelineState {
    let fragment = try function(entry.fragmentFunction)
    guard let attachments = entry.colorAttachments else { return RenderPipelineState(fullScreen: fragment) }
    var descriptor = RenderPipelineDescriptor(vertex: try function(entry.vertexFunction), fragment: fragment)
    descriptor.label = entry.label
    descriptor.vertexDescriptor = entry.vertexDescriptor
    descriptor.colorAttachments = DescriptorArray(attachments)
    descriptor.depthAttachmentPixelFormat = entry.depthAttachmentPixelFormat
    descriptor.stencilAttachmentPixelFormat = entry.stencilAttachmentPixelFormat
    descriptor.rasterSampleCount = entry.rasterSampleCount
    let isFine =
      entry.vertexDescriptor.fault(entry.name) == nil && (1...64).contains(entry.rasterSampleCount)
      && entry.vertexDescriptor.layouts.elements.values.allSatisfy { $0.stepRate < 1 << 31 }
    try require(
      isFine, entry.name,
      entry.vertexDescriptor.fault(entry.name) ?? "it cannot draw \(entry.rasterSampleCount) samples a pixel")
    return try RenderPipelineState(descriptor)
  }

  func draw(_ captured: CapturedCommand.Draw, _ origin: String?) throws(SafelightError) -> Command.Draw {
    let pipeline = try renderPipeline(captured.pipeline, recordedBy: origin)
    let (vertices, instances) = (try vertices(captured.vertices), captured.instances)
    if let fault = Command.Draw.fault(vertices, instances: instances.count, from: instances.first) {
      throw capture.fault("draw", why: "it \(fault)")
    }
    let draw = Command.Draw(
      pipeline: pipeline, pass: try pass(captured.pass),
      bindings: try bindings(captured.bindings, for: pipeline.fragment),
      vertexBindings: try bindings(captured.vertexBindings, for: pipeline.vertexFunction), state: captured.state,
      primitives: captured.primitives, vertices: vertices,
      instances: instances.first..<instances.first + instances.count)
    if let fault = draw.bindingFault { throw capture.fault(pipeline.label, why: fault) }
    if let fault = draw.state.fault(in: draw.pass) { throw capture.fault("draw", why: "it \(fault)") }
    return draw
  }

  func pass(_ captured: CapturedCommand.Pass) throws(SafelightError) -> RenderPassDescriptor {
    try require(
      !captured.attachments.isEmpty || captured.depth != nil || captured.stencil != nil, "pass", "it has no attachment")
    var pass = RenderPassDescriptor(
      colorAttachments: try captured.attachments.map(attachment),
      depthAttachment: try captured.depth.map { (depth) throws(SafelightError) in
        .init(
          texture: try texture(depth.texture), loadAction: depth.loadAction, storeAction: depth.storeAction,
          clearDepth: depth.clear)
      },
      stencilAttachment: try captured.stencil.map { (stencil) throws(SafelightError) in
        guard let clear = UInt32(exactly: stencil.clear) else {
          throw capture.fault("pass", why: "\(stencil.clear) is not a stencil value")
        }
        return .init(
          texture: try texture(stencil.texture), loadAction: stencil.loadAction, storeAction: stencil.storeAction,
          clearStencil: clear)
      })
    if let depth = captured.depth { pass.depthAttachment.image = depth.image }
    if let stencil = captured.stencil { pass.stencilAttachment.image = stencil.image }
    if let name = captured.visibilityResultBuffer { pass.visibilityResultBuffer = try buffer(name) }
    if let fault = pass.fault("of the capture") { throw capture.fault("pass", why: fault) }
    return pass
  }

  private func attachment(
    _ captured: CapturedCommand.Attachment
  ) throws(SafelightError) -> RenderPassDescriptor.ColorAttachment {
    var attachment = RenderPassDescriptor.ColorAttachment(
      texture: try texture(captured.texture), loadAction: try loadAction(captured), storeAction: captured.storeAction,
      resolveTexture: nil)
    if let name = captured.resolveTexture { attachment.resolveTexture = try texture(name) }
    attachment.image = captured.image
    attachment.resolveImage = captured.resolveImage
    return attachment
  }

  private func loadAction(
    _ captured: CapturedCommand.Attachment
  ) throws(SafelightError) -> RenderPassDescriptor.LoadAction {
    switch (captured.loadAction, captured.color) {
    case ("dontCare", nil): return .dontCare
    case ("load", nil): return .load
    case ("clear", let color?) where color.count == 4:
      return .clear(Float(color[0]), Float(color[1]), Float(color[2]), Float(color[3]))
    case ("clearColor", let color?) where color.count == 4:
      return .clearColor(
        RenderPassDescriptor.ClearColor(red: color[0], green: color[1], blue: color[2], alpha: color[3]))
    default: throw capture.fault("pass", why: "load action '\(captured.loadAction)' is unknown, or has a wrong color")
    }
  }

  // MARK: Corners

  private func vertices(_ captured: CapturedCommand.Vertices) throws(SafelightError) -> Command.Draw.Vertices {
    switch (captured.indices, captured.indexType, captured.indirect) {
    case (nil, nil, nil):
      try require(captured.baseVertex == 0, "draw", "a base vertex needs indices")
      return .consecutive(start: captured.start, count: captured.count)
    case (let bound?, let type?, nil):
      return .indexed(try indices(bound, type), count: captured.count, baseVertex: captured.baseVertex)
    case (nil, nil, let indirect?):
      return .indirect(try arguments(indirect, words: 4), offset: indirect.offset)
    case (let bound?, let type?, let indirect?):
      return .indexedIndirect(try indices(bound, type), try arguments(indirect, words: 5), offset: indirect.offset)
    default: throw capture.fault("draw", why: "it has indices without a type, or a type without indices")
    }
  }

  private func indices(
    _ bound: CapturedCommand.BoundBuffer, _ type: IndexType
  ) throws(SafelightError) -> Command.Draw.Indices {
    let buffer = try buffer(bound.buffer)
    try require(
      (0..<buffer.length).contains(bound.offset) && bound.offset % type.length == 0, "indices",
      "offset \(bound.offset) is not inside '\(buffer.label)', or not at the beginning of an index")
    return Command.Draw.Indices(buffer: buffer, type: type, offset: bound.offset)
  }

  private func arguments(_ bound: CapturedCommand.BoundBuffer, words: Int) throws(SafelightError) -> Buffer {
    let buffer = try buffer(bound.buffer)
    try checkOffset(bound.offset, 4 * words, in: buffer)
    return buffer
  }
}

extension CapturedCommand {
  /// A text for debuggers, which also replaces commands that need a partner: a replay runs alone.
  fileprivate var signpost: String? {
    insertDebugSignpost ?? signalEvent.map { "signals '\($0.event)' \($0.value)" }
      ?? waitForEvent.map { "waits for '\($0.event)' \($0.value)" }
      ?? sampleCounters.map { "samples '\($0.buffer)' \($0.index)" }
  }
}
