internal import SafelightGLES
internal import SafelightImage

extension CaptureComposer {
  /// The command in words.
  mutating func command(_ entry: Recording.Entry) throws(SafelightError) -> CapturedCommand {
    var words = CapturedCommand(encoder: entry.label, place: entry.place.description)
    switch entry.command {
    case .pushDebugGroup(let name): words.pushDebugGroup = name
    case .popDebugGroup: words.popDebugGroup = true
    case .insertDebugSignpost(let text): words.insertDebugSignpost = text
    case .signalEvent(let event, let value):
      words.signalEvent = CapturedCommand.EventUse(event: event.label, value: value)
    case .waitForEvent(let event, let value, seconds: _):
      words.waitForEvent = CapturedCommand.EventUse(event: event.label, value: value)
    case .sampleCounters(let buffer, let index):
      words.sampleCounters = CapturedCommand.CounterSample(buffer: buffer.label, index: index)
    case .dispatch(let dispatch): words.dispatch = try self.dispatch(dispatch)
    case .draw(let draw): words.draw = try self.draw(draw)
    case .clear(let pass): words.clear = self.pass(pass)
    case .store(let pass): words.store = self.pass(pass)
    case .upload(let upload): words.upload = self.upload(upload)
    case .readTexture(let read): words.readTexture = self.read(read)
    case .copyTexture(let copy): words.copyTexture = self.copy(copy)
    case .copyBufferToTexture(let copy): words.copyBufferToTexture = self.copy(copy)
    case .copyTextureToBuffer(let copy): words.copyTextureToBuffer = self.copy(copy)
    case .generateMipmaps(let texture): words.generateMipmaps = name(texture)
    case .writeBuffer(let buffer, let offset, let bytes):
      words.writeBuffer = CapturedCommand.BufferWrite(
        buffer: name(buffer), offset: offset, bytes: keep(bytes, as: "write"))
    case .fillBuffer(let buffer, let range, let value):
      words.fillBuffer = CapturedCommand.BufferFill(
        buffer: name(buffer), offset: range.lowerBound, length: range.count, value: value)
    case .copyBuffer(let copy):
      words.copyBuffer = CapturedCommand.BufferCopy(
        source: name(copy.source), sourceOffset: copy.range.lowerBound, length: copy.range.count,
        destination: name(copy.destination), offset: copy.offset)
    case .readBuffer(let buffer, let range, let readback):
      words.readBuffer = CapturedCommand.BufferRead(
        buffer: name(buffer), offset: range.lowerBound, length: range.count, readback: name(readback))
    case .synchronize(let buffer): words.synchronize = name(buffer)
    }
    return words
  }

  mutating func bindings(_ bindings: Bindings) -> CapturedCommand.Bindings {
    var words = CapturedCommand.Bindings()
    for (index, texture) in bindings.textures.sorted(by: { $0.key < $1.key }) { words.textures[index] = name(texture) }
    for (index, buffer) in bindings.buffers.sorted(by: { $0.key < $1.key }) {
      words.buffers[index] = CapturedCommand.BoundBuffer(
        buffer: name(buffer), offset: bindings.bufferOffsets[index] ?? 0)
    }
    for (index, sampler) in bindings.samplers.sorted(by: { $0.key < $1.key }) { words.samplers[index] = name(sampler) }
    for (index, bytes) in bindings.bytes.sorted(by: { $0.key < $1.key }) {
      words.bytes[index] = keep(bytes, as: "bytes")
    }
    return words
  }

  private mutating func dispatch(_ dispatch: Command.Dispatch) throws(SafelightError) -> CapturedCommand.Dispatch {
    CapturedCommand.Dispatch(
      function: try name(dispatch.pipeline.function, .compute), bindings: bindings(dispatch.bindings),
      threads: dispatch.threads, depth: dispatch.depth == 1 ? nil : dispatch.depth,
      threadsPerThreadgroup: dispatch.threadsPerThreadgroup,
      threadgroupMemoryLengths: dispatch.variant.threadgroupMemoryLengths,
      indirect: dispatch.indirect.map { CapturedCommand.BoundBuffer(buffer: name($0.buffer), offset: $0.offset) })
  }

  private mutating func upload(_ upload: Command.Upload) -> CapturedCommand.Upload {
    let row = upload.region.size.width * upload.pixelFormat.bytesPerPixel
    let count = row * upload.region.size.height
    let isWhole = upload.offset == 0 && upload.bytesPerRow == row && upload.bytes.count == count
    let pixels =
      isWhole
      ? upload.bytes
      : (0..<upload.region.size.height).flatMap { y in
        let first = upload.offset + y * upload.bytesPerRow
        return upload.bytes[first..<first + row]
      }
    return CapturedCommand.Upload(
      texture: name(upload.texture), image: upload.image, region: upload.region, pixelFormat: upload.pixelFormat,
      pixels: keep(pixels, as: "upload", size: upload.region.size, upload.pixelFormat))
  }

  private mutating func read(_ read: Command.TextureRead) -> CapturedCommand.TextureRead {
    CapturedCommand.TextureRead(
      texture: name(read.texture), image: read.image, region: read.region, pixelFormat: read.pixelFormat,
      readback: read.isWhole
        ? name(read.readback, filledBy: read.region.size, read.pixelFormat) : name(read.readback),
      offset: read.offset, bytesPerRow: read.bytesPerRow)
  }

  private mutating func copy(_ copy: Command.TextureCopy) -> CapturedCommand.TextureCopy {
    CapturedCommand.TextureCopy(
      source: name(copy.source), sourceImage: copy.sourceImage, region: copy.region,
      destination: name(copy.destination), destinationImage: copy.destinationImage, x: copy.x, y: copy.y)
  }

  private mutating func copy(_ copy: Command.BufferTextureCopy) -> CapturedCommand.BufferTextureCopy {
    CapturedCommand.BufferTextureCopy(
      buffer: name(copy.buffer), offset: copy.offset, bytesPerRow: copy.bytesPerRow, texture: name(copy.texture),
      image: copy.image, region: copy.region)
  }
}

extension CaptureComposer {
  mutating func draw(_ draw: Command.Draw) throws(SafelightError) -> CapturedCommand.Draw {
    CapturedCommand.Draw(
      pipeline: try name(draw.pipeline), pass: pass(draw.pass), bindings: bindings(draw.bindings),
      vertexBindings: bindings(draw.vertexBindings), state: draw.state, primitives: draw.primitives,
      vertices: vertices(draw.vertices),
      instances: CaptureManifest.Span(first: draw.instances.lowerBound, count: draw.instances.count))
  }

  mutating func pass(_ pass: RenderPassDescriptor) -> CapturedCommand.Pass {
    CapturedCommand.Pass(
      attachments: pass.colorAttachments.map { attachment($0) },
      depth: pass.depthAttachment.map {
        CapturedCommand.DepthStencil(
          texture: name($0.texture), image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction,
          clear: $0.clearDepth)
      },
      stencil: pass.stencilAttachment.map {
        CapturedCommand.DepthStencil(
          texture: name($0.texture), image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction,
          clear: Double($0.clearStencil))
      },
      visibilityResultBuffer: pass.visibilityResultBuffer.map { name($0) })
  }

  private mutating func attachment(
    _ attachment: RenderPassDescriptor.ColorAttachment
  ) -> CapturedCommand.Attachment {
    let (action, color): (String, [Double]?) =
      switch attachment.loadAction {
      case .dontCare: ("dontCare", nil)
      case .load: ("load", nil)
      case .clear(let red, let green, let blue, let alpha): ("clear", [red, green, blue, alpha].map(Double.init))
      case .clearColor(let color): ("clearColor", [color.red, color.green, color.blue, color.alpha])
      }
    return CapturedCommand.Attachment(
      texture: name(attachment.texture), image: attachment.image, loadAction: action, color: color,
      storeAction: attachment.storeAction, resolveTexture: attachment.resolveTexture.map { name($0) },
      resolveImage: attachment.resolveImage)
  }

  private mutating func vertices(_ vertices: Command.Draw.Vertices) -> CapturedCommand.Vertices {
    var words = CapturedCommand.Vertices()
    switch vertices {
    case .consecutive(let start, let count): (words.start, words.count) = (start, count)
    case .indexed(let indices, let count, let baseVertex):
      (words.count, words.baseVertex) = (count, baseVertex)
      (words.indices, words.indexType) = bound(indices)
    case .indirect(let buffer, let offset):
      words.indirect = CapturedCommand.BoundBuffer(buffer: name(buffer), offset: offset)
    case .indexedIndirect(let indices, let buffer, let offset):
      (words.indices, words.indexType) = bound(indices)
      words.indirect = CapturedCommand.BoundBuffer(buffer: name(buffer), offset: offset)
    }
    return words
  }

  private mutating func bound(_ indices: Command.Draw.Indices) -> (CapturedCommand.BoundBuffer, IndexType) {
    (CapturedCommand.BoundBuffer(buffer: name(indices.buffer), offset: indices.offset), indices.type)
  }
}
