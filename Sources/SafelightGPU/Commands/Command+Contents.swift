internal import SafelightImage

/// A resource that a command names.
struct NamedResource {
  let id: ResourceID
  let label: String
  /// True for memory shared with the process, which no context takes with it: every recording brings it over anew.
  let isHostMemory: Bool

  /// A view's pixels are its parent's.
  init(_ texture: Texture) {
    id = texture.hazard
    label = texture.label
    isHostMemory = texture.sharedPlane != nil
  }

  init(_ buffer: Buffer) {
    id = buffer.lifetime.id
    label = buffer.label
    isHostMemory = buffer.storageMode == .shared && buffer.hostMemory != nil
  }
}

extension Command {
  /// The resources whose contents it needs.
  var reads: [NamedResource] {
    switch self {
    case .dispatch(let dispatch):
      dispatch.bindings.reads(of: dispatch.pipeline.function)
        + (dispatch.indirect.map { [NamedResource($0.buffer)] } ?? [])
    case .draw(let draw):
      draw.bindings.reads(of: draw.pipeline.fragment) + draw.vertexBindings.reads(of: draw.pipeline.vertexFunction)
        + draw.vertexBuffers.map { NamedResource($0) } + draw.pass.loads
    case .clear(let pass): pass.loads
    // A resolve reads the samples, an invalidation nothing.
    case .store(let pass):
      pass.colorAttachments.filter { $0.resolveTexture != nil }.map { NamedResource($0.texture) }
    case .readTexture(let read): [NamedResource(read.texture)]
    case .copyTexture(let copy): [NamedResource(copy.source)]
    case .copyBufferToTexture(let copy): [NamedResource(copy.buffer)]
    case .copyTextureToBuffer(let copy): [NamedResource(copy.texture)]
    case .generateMipmaps(let texture): [NamedResource(texture)]
    case .copyBuffer(let copy): [NamedResource(copy.source)]
    case .readBuffer(let buffer, range: _, into: _): [NamedResource(buffer)]
    case .synchronize(let buffer): [NamedResource(buffer)]
    case .upload, .writeBuffer, .fillBuffer: []
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    }
  }

  /// The resources of which it leaves no earlier byte. A compute function may write all of a texture or part: nobody knows.
  var wholeWrites: [ResourceID] {
    switch self {
    case .draw(let draw): draw.pass.wholeWrites
    case .clear(let pass): pass.wholeWrites
    case .store(let pass):
      pass.colorAttachments.filter { $0.storeAction != .store && $0.storeAction != .dontCare }
        .flatMap { $0.resolveTexture.map { $0.wholly($0.bounds) } ?? [] }
    case .upload(let upload): upload.texture.wholly(upload.region)
    case .copyTexture(let copy):
      copy.destination.wholly(Region(x: copy.x, y: copy.y, size: copy.region.size))
    case .copyBufferToTexture(let copy): copy.texture.wholly(copy.region)
    case .writeBuffer(let buffer, let offset, let bytes): buffer.wholly(offset..<offset + bytes.count)
    case .fillBuffer(let buffer, let range, value: _): buffer.wholly(range)
    case .copyBuffer(let copy): copy.destination.wholly(copy.offset..<copy.offset + copy.range.count)
    case .dispatch, .readTexture, .copyTextureToBuffer, .generateMipmaps, .readBuffer, .synchronize: []
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    }
  }

  /// The buffers it names.
  fileprivate var buffers: [Buffer] {
    switch self {
    case .dispatch(let dispatch): dispatch.bindings.buffers.values + (dispatch.indirect.map { [$0.buffer] } ?? [])
    case .draw(let draw):
      Array(draw.bindings.buffers.values) + draw.vertexBuffers
        + (draw.pass.visibilityResultBuffer.map { [$0] } ?? [])
    case .copyBufferToTexture(let copy), .copyTextureToBuffer(let copy): [copy.buffer]
    case .copyBuffer(let copy): [copy.source, copy.destination]
    case .writeBuffer(let buffer, offset: _, bytes: _), .fillBuffer(let buffer, range: _, value: _),
      .readBuffer(let buffer, range: _, into: _), .synchronize(let buffer):
      [buffer]
    default: []
    }
  }
}

extension Command.Draw {
  /// The buffers that corners come from, and those bound to the vertex function.
  fileprivate var vertexBuffers: [Buffer] {
    let order: [Buffer] =
      switch vertices {
      case .consecutive: []
      case .indexed(let indices, count: _, baseVertex: _): [indices.buffer]
      case .indirect(let buffer, offset: _): [buffer]
      case .indexedIndirect(let indices, let buffer, offset: _): [indices.buffer, buffer]
      }
    return Array(vertexBindings.buffers.values) + order
  }
}

extension RenderPassDescriptor {
  /// The targets whose contents stay.
  fileprivate var loads: [NamedResource] {
    colorAttachments.filter { $0.loadAction == .load }.map { NamedResource($0.texture) }
      + loadedDepthStencils.map { NamedResource($0) }
  }

  /// The targets of which no earlier byte stays.
  fileprivate var wholeWrites: [ResourceID] {
    colorAttachments.filter { $0.loadAction != .load }.flatMap { $0.texture.wholly($0.texture.bounds) }
      + replacedDepthStencils.flatMap { $0.wholly($0.bounds) }
  }
}

extension Texture {
  /// The texture, where `region` of its first image is all there is.
  fileprivate func wholly(_ region: Region) -> [ResourceID] {
    let isOneImage = descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1
    return parent == nil && isOneImage && region == bounds ? [lifetime.id] : []
  }
}

extension Buffer {
  /// The buffer, where `range` is all there is.
  fileprivate func wholly(_ range: Range<Int>) -> [ResourceID] { range == 0..<length ? [lifetime.id] : [] }
}

extension Bindings {
  /// What `function` reads of them.
  fileprivate func reads(of function: ShaderFunction) -> [NamedResource] {
    function.arguments.compactMap { argument in
      switch argument {
      case .sampledTexture(let index): textures[index].map { NamedResource($0) }
      case .readBuffer(let index), .storageBuffer(let index): buffers[index].map { NamedResource($0) }
      case .bytes(let index): bytes[index] == nil ? buffers[index].map { NamedResource($0) } : nil
      case .storageTexture: nil
      }
    }
  }
}

extension Recording {
  /// Those of `ids` whose earlier contents the commands need, each once: read before they are wholly written.
  func neededContents(among ids: Set<ResourceID>) -> [NamedResource] {
    var left = ids
    var needed: [NamedResource] = []
    for entry in commands {
      for resource in entry.command.reads where left.contains(resource.id) {
        needed.append(resource)
        left.remove(resource.id)
      }
      left.subtract(entry.command.wholeWrites)
    }
    return needed
  }

  /// The buffers whose memory the process shares.
  var hostBuffers: [Buffer] { commands.flatMap(\.command.buffers).filter { $0.hostMemory != nil } }
}
