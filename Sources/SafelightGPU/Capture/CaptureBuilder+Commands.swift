internal import SafelightGLES
internal import SafelightImage

extension CapturedCommand {
  /// What stays of commands that need others to meet: a text for debuggers.
  fileprivate var signpost: String? {
    insertDebugSignpost ?? signalEvent.map { "signals '\($0.event)' \($0.value)" }
      ?? waitForEvent.map { "waits for '\($0.event)' \($0.value)" }
      ?? sampleCounters.map { "samples '\($0.buffer)' \($0.index)" }
  }
}

extension CaptureBuilder {
  /// The command that `words` describe; throws where an encoder would trap.
  mutating func command(_ words: CapturedCommand) throws(SafelightError) -> Command {
    try require(words.count == 1, "command", "it is \(words.count) commands at once, or of a kind that is not known")
    if let name = words.pushDebugGroup { return .pushDebugGroup(name) }
    if words.popDebugGroup != nil { return .popDebugGroup }
    if let text = words.signpost { return .insertDebugSignpost(text) }
    if let dispatch = words.dispatch { return .dispatch(try self.dispatch(dispatch)) }
    if let draw = words.draw { return .draw(try self.draw(draw)) }
    if let pass = words.clear { return .clear(try self.pass(pass)) }
    if let pass = words.store { return .store(try self.pass(pass)) }
    if let upload = words.upload { return .upload(try self.upload(upload)) }
    if let read = words.readTexture { return .readTexture(try self.read(read)) }
    if let copy = words.copyTexture { return .copyTexture(try self.copy(copy)) }
    if let copy = words.copyBufferToTexture { return .copyBufferToTexture(try self.copy(copy)) }
    if let copy = words.copyTextureToBuffer { return .copyTextureToBuffer(try self.copy(copy)) }
    if let name = words.generateMipmaps { return .generateMipmaps(try mipmapped(name)) }
    return try bufferCommand(words)
  }

  private func bufferCommand(_ words: CapturedCommand) throws(SafelightError) -> Command {
    if let write = words.writeBuffer {
      let buffer = try buffer(write.buffer)
      let range = try range(write.offset, write.bytes.length, of: buffer)
      let bytes = try capture.bytes(write.bytes, of: "writeBuffer", count: range.count)
      return .writeBuffer(buffer, offset: range.lowerBound, bytes: bytes)
    }
    if let fill = words.fillBuffer {
      let buffer = try buffer(fill.buffer)
      return .fillBuffer(buffer, range: try range(fill.offset, fill.length, of: buffer), value: fill.value)
    }
    if let copy = words.copyBuffer { return .copyBuffer(try self.copy(copy)) }
    if let read = words.readBuffer {
      let (buffer, readback) = (try buffer(read.buffer), try readback(read.readback))
      let range = try range(read.offset, read.length, of: buffer)
      try require(readback.length == range.count, read.readback, "it is not as long as what is read into it")
      return .readBuffer(buffer, range: range, into: readback)
    }
    let buffer = try buffer(words.synchronize ?? "")
    try require(buffer.storageMode != .private, "synchronize", "'\(buffer.label)' is private")
    return .synchronize(buffer)
  }

  // MARK: Functions

  func bindings(
    _ words: CapturedCommand.Bindings, for function: ShaderFunction
  ) throws(SafelightError) -> Bindings {
    var bindings = Bindings()
    for (index, name) in words.textures { bindings.textures[index] = try texture(name) }
    for (index, name) in words.samplers { bindings.samplers[index] = try sampler(name) }
    for (index, bound) in words.buffers {
      let buffer = try buffer(bound.buffer)
      try checkOffset(bound.offset, 4, in: buffer)
      bindings.setBuffer(buffer, offset: bound.offset, index: index)
    }
    for (index, bytes) in words.bytes {
      try require((1...16384).contains(bytes.length), "bytes \(index)", "\(bytes.length) bytes are not 1 to 16384")
      bindings.bytes[index] = try capture.bytes(bytes, of: "bytes \(index)", count: bytes.length)
    }
    for argument in function.arguments {
      let isBound =
        switch argument {
        case .sampledTexture(let index), .storageTexture(let index), .readWriteTexture(let index):
          bindings.textures[index] != nil
        case .readBuffer(let index), .storageBuffer(let index): bindings.buffers[index] != nil
        case .bytes(let index): bindings.bytes[index] != nil || bindings.buffers[index] != nil
        }
      try require(isBound, function.name, "its argument \(argument) is not bound")
    }
    return bindings
  }

  private mutating func dispatch(_ words: CapturedCommand.Dispatch) throws(SafelightError) -> Command.Dispatch {
    let pipeline = try computePipeline(words.function)
    let function = pipeline.function
    let bindings = try bindings(words.bindings, for: function)
    for stored in function.arguments.compactMap(\.storedTexture) {
      for case .sampledTexture(let sampled) in function.arguments {
        let isOne = bindings.textures[stored]?.hazard == bindings.textures[sampled]?.hazard
        try require(!isOne, function.name, "it reads and stores one texture")
      }
    }
    let group = words.threadsPerThreadgroup
    try require(
      (1...1 << 16).contains(group.width) && (1...1 << 16).contains(group.height), function.name,
      "threadgroups of \(group) are none")
    try require(
      words.threadgroupMemoryLengths.allSatisfy { (0..<32).contains($0.key) && (1...1 << 24).contains($0.value) },
      function.name, "its threadgroup memory is none")
    let variant = ComputeVariant(
      threadsPerThreadgroup: group, threadgroupMemoryLengths: words.threadgroupMemoryLengths)
    guard let indirect = words.indirect else {
      try require(
        (1...1 << 32).contains(words.threads.width) && (1...1 << 32).contains(words.threads.height)
          && (1...1 << 32).contains(words.depth ?? 1), function.name,
        "a grid of \(words.threads) in \(words.depth ?? 1) layers is none")
      return Command.Dispatch(
        pipeline: pipeline, bindings: bindings, threads: words.threads, depth: words.depth ?? 1,
        variant: variant, indirect: nil)
    }
    let buffer = try buffer(indirect.buffer)
    try checkOffset(indirect.offset, 12, in: buffer)
    return Command.Dispatch(
      pipeline: pipeline, bindings: bindings, threads: Size(0, 0), variant: variant,
      indirect: Command.Dispatch.Indirect(buffer: buffer, offset: indirect.offset))
  }

  // MARK: Copies

  private func upload(_ words: CapturedCommand.Upload) throws(SafelightError) -> Command.Upload {
    let texture = try texture(words.texture)
    try check(words.region, words.image, texture)
    try require(texture.pixelFormat.accepts(words.pixelFormat), "upload", "'\(texture.label)' has another format")
    let count = words.region.size.area * words.pixelFormat.bytesPerPixel
    return Command.Upload(
      bytes: try capture.bytes(words.pixels, of: "upload", count: count), pixelFormat: words.pixelFormat,
      texture: texture, image: words.image, region: words.region)
  }

  private mutating func read(_ words: CapturedCommand.TextureRead) throws(SafelightError) -> Command.TextureRead {
    let (texture, readback) = (try texture(words.texture), try readback(words.readback))
    try check(words.region, words.image, texture)
    try require(texture.pixelFormat.accepts(words.pixelFormat), "readTexture", "'\(texture.label)' has another format")
    try checkRows(words.bytesPerRow, words.offset, words.region.size, words.pixelFormat, in: readback.length)
    let read = Command.TextureRead(
      texture: texture, image: words.image, region: words.region, pixelFormat: words.pixelFormat, readback: readback,
      offset: words.offset, bytesPerRow: words.bytesPerRow)
    if read.isWhole { pictures[words.readback] = (words.region.size, words.pixelFormat) }
    return read
  }

  private func copy(_ words: CapturedCommand.TextureCopy) throws(SafelightError) -> Command.TextureCopy {
    let (source, destination) = (try texture(words.source), try texture(words.destination))
    let target = Region(x: words.x, y: words.y, size: words.region.size)
    try check(words.region, words.sourceImage, source)
    try check(target, words.destinationImage, destination)
    let isSameImage = source.hazard == destination.hazard && words.sourceImage == words.destinationImage
    try require(
      source.pixelFormat == destination.pixelFormat
        && (!isSameImage || words.region.intersection(target).size.isEmpty), "copyTexture",
      "formats differ, or the copy overlaps itself")
    return Command.TextureCopy(
      source: source, sourceImage: words.sourceImage, region: words.region, destination: destination,
      destinationImage: words.destinationImage, x: words.x, y: words.y)
  }

  private func copy(_ words: CapturedCommand.BufferTextureCopy) throws(SafelightError) -> Command.BufferTextureCopy {
    let (buffer, texture) = (try buffer(words.buffer), try texture(words.texture))
    try check(words.region, words.image, texture)
    try checkRows(words.bytesPerRow, words.offset, words.region.size, texture.pixelFormat, in: buffer.length)
    try require(words.offset % texture.pixelFormat.bytesPerPixel == 0, "copy", "its offset is within a pixel")
    return Command.BufferTextureCopy(
      buffer: buffer, offset: words.offset, bytesPerRow: words.bytesPerRow, texture: texture, image: words.image,
      region: words.region)
  }

  private func copy(_ words: CapturedCommand.BufferCopy) throws(SafelightError) -> Command.BufferCopy {
    let (source, destination) = (try buffer(words.source), try buffer(words.destination))
    let range = try range(words.sourceOffset, words.length, of: source)
    let target = try self.range(words.offset, words.length, of: destination)
    try require(
      source !== destination || range.clamped(to: target).isEmpty, "copyBuffer", "the copy overlaps itself")
    return Command.BufferCopy(source: source, range: range, destination: destination, offset: words.offset)
  }

  private func mipmapped(_ name: String) throws(SafelightError) -> Texture {
    let texture = try texture(name)
    try require(
      texture.pixelFormat.sampleKind != .integer && texture.pixelFormat.isColor && texture.descriptor.sampleCount == 1,
      "generateMipmaps",
      "'\(texture.label)' has none")
    return texture
  }

  // MARK: Checks

  private func check(_ region: Region, _ image: TextureImage, _ texture: Texture) throws(SafelightError) {
    let size = try size(of: texture, image, "region")
    let numbers = [region.x, region.y, region.size.width, region.size.height]
    try require(
      numbers.allSatisfy((0...1 << 20).contains) && !region.size.isEmpty && region.isInside(size), "region \(region)",
      "it is not a part of '\(texture.label)' of \(size)")
  }

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
      "it is no multiple of 4 inside '\(buffer.label)' of \(buffer.length) bytes")
  }

  private func checkRows(
    _ bytesPerRow: Int, _ offset: Int, _ size: Size, _ format: PixelFormat, in length: Int
  ) throws(SafelightError) {
    let row = size.width * format.bytesPerPixel
    try require(
      (row...1 << 32).contains(bytesPerRow) && bytesPerRow % format.bytesPerPixel == 0 && (0...1 << 32).contains(offset)
        && offset + (size.height - 1) * bytesPerRow + row <= length, "rows of \(bytesPerRow) bytes",
      "they do not hold \(size) of \(format.rawValue) in \(length) bytes")
  }
}

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
