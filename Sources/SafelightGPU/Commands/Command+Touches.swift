internal import SafelightImage

extension Command {
  /// What it does with textures and buffers, in this order: the only place that says so. Barriers, captures, and what a lost context
  /// costs are derived from it.
  var touches: [ResourceTouch] {
    switch self {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    case .dispatch(let dispatch): dispatch.touches
    case .draw(let draw): draw.touches
    case .clear(let pass): pass.colorAttachments.flatMap(\.touchesAtBegin)
    case .store(let pass): pass.colorAttachments.flatMap(\.touchesAtEnd)
    case .upload(let upload): [ResourceTouch(upload.texture, writing: upload.region, .textureUpdate)]
    case .readTexture(let read): [ResourceTouch(read.texture, .read, .textureRead)]
    case .copyTexture(let copy):
      [
        ResourceTouch(copy.source, .read, .textureCopy),
        ResourceTouch(copy.destination, writing: Region(x: copy.x, y: copy.y, size: copy.region.size), .textureCopy),
      ]
    case .copyBufferToTexture(let copy):
      [
        ResourceTouch(copy.buffer, .read, .pixelTransfer),
        ResourceTouch(copy.texture, writing: copy.region, .textureUpdate),
      ]
    case .copyTextureToBuffer(let copy):
      [ResourceTouch(copy.texture, .read, .textureRead), ResourceTouch(copy.buffer, .write, .pixelTransfer)]
    case .generateMipmaps(let texture):
      [ResourceTouch(texture, .read, .sampledTexture), ResourceTouch(texture, .write, .renderTarget)]
    case .writeBuffer(let buffer, let offset, let bytes):
      [ResourceTouch(buffer, writing: offset..<offset + bytes.count, .bufferUpdate)]
    case .fillBuffer(let buffer, let range, value: _): [ResourceTouch(buffer, writing: range, .bufferUpdate)]
    case .copyBuffer(let copy):
      [
        ResourceTouch(copy.source, .read, .bufferRead),
        ResourceTouch(copy.destination, writing: copy.offset..<copy.offset + copy.range.count, .bufferUpdate),
      ]
    case .readBuffer(let buffer, range: _, into: _): [ResourceTouch(buffer, .read, .bufferRead)]
    case .synchronize(let buffer): [ResourceTouch(buffer, .read, .sharedMemoryRead)]
    }
  }
}

extension Bindings {
  /// What `function` does with them. A store to a texture may reach every pixel or a few, one to a buffer may read it too.
  func touches(of function: ShaderFunction) -> [ResourceTouch] {
    function.arguments.compactMap { argument in
      switch argument {
      case .sampledTexture(let index): textures[index].map { ResourceTouch($0, .read, .sampledTexture) }
      case .storageTexture(let index): textures[index].map { ResourceTouch($0, .write, .storageTextureWrite) }
      case .readWriteTexture(let index): textures[index].map { ResourceTouch($0, .change, .storageTextureWrite) }
      case .readBuffer(let index): buffers[index].map { ResourceTouch($0, .read, .storageBufferRead) }
      case .storageBuffer(let index): buffers[index].map { ResourceTouch($0, .change, .storageBufferWrite) }
      case .bytes(let index):
        bytes[index] == nil ? buffers[index].map { ResourceTouch($0, .read, .uniformRead) } : nil
      }
    }
  }

  /// The buffers that attributes come from.
  fileprivate func touches(of descriptor: VertexDescriptor) -> [ResourceTouch] {
    descriptor.layouts.keys.sorted().compactMap { index in
      bytes[index] == nil ? buffers[index].map { ResourceTouch($0, .read, .vertexBufferRead) } : nil
    }
  }
}

extension Command.Dispatch {
  fileprivate var touches: [ResourceTouch] {
    let touches = bindings.touches(of: pipeline.function)
    guard let indirect else { return touches }
    return [ResourceTouch(indirect.buffer, .read, .indirectRead)] + touches
  }
}

extension Command.Draw {
  fileprivate var touches: [ResourceTouch] {
    var touches = bindings.touches(of: pipeline.fragment) + vertexBindings.touches(of: pipeline.vertexFunction)
    touches += vertexBindings.touches(of: pipeline.vertexDescriptor)
    touches += vertices.touches
    if let (buffer, _) = visibilityTarget { touches.append(ResourceTouch(buffer, .write, .bufferUpdate)) }
    let targets = pass.colorAttachments
    let fetched = fetchedAttachments
    for (index, target) in targets.enumerated() {
      touches +=
        paintsAll ? [target.touchOfAll] : fetched.contains(index) ? [target.touchOfFetch] : target.touchesAtBegin
    }
    return touches
  }

  /// Whether the full-screen strip leaves nothing of what was there.
  private var paintsAll: Bool {
    guard fetchedAttachments.isEmpty, pipeline.colorAttachments == nil, primitives == .triangleStrip,
      state.viewport == nil, state.scissor == nil,
      case .consecutive(start: 0, count: 4) = vertices
    else { return false }
    return pass.colorAttachments.allSatisfy { $0.loadAction == .dontCare }
  }
}

extension Command.Draw.Vertices {
  fileprivate var touches: [ResourceTouch] {
    switch self {
    case .consecutive: []
    case .indexed(let indices, count: _, baseVertex: _): [ResourceTouch(indices.buffer, .read, .indexBufferRead)]
    case .indirect(let buffer, offset: _): [ResourceTouch(buffer, .read, .indirectRead)]
    case .indexedIndirect(let indices, let buffer, offset: _):
      [ResourceTouch(indices.buffer, .read, .indexBufferRead), ResourceTouch(buffer, .read, .indirectRead)]
    }
  }
}

extension RenderPassDescriptor.ColorAttachment {
  /// What a load action, and what is drawn after it, do to the texture.
  fileprivate var touchesAtBegin: [ResourceTouch] {
    switch loadAction {
    case .load: [ResourceTouch(texture, .change, .renderTarget)]
    case .clear, .clearColor: [touchOfAll]
    // Painted it will be, but nobody can see that in the commands.
    case .dontCare: [discard, ResourceTouch(texture, .write, .renderTarget)]
    }
  }

  /// The same where the function reads what is there, be it after a clear.
  fileprivate var touchOfFetch: ResourceTouch {
    loadAction.isClear ? touchOfAll : ResourceTouch(texture, .change, .renderTarget)
  }

  /// What the end of the pass does to it and to the texture that it is resolved to.
  fileprivate var touchesAtEnd: [ResourceTouch] {
    var touches: [ResourceTouch] = []
    if resolves, let resolveTexture {
      let region = Region(size: resolveTexture.descriptor.size(atLevel: resolveImage.level))
      touches.append(ResourceTouch(texture, .read, .renderTarget))
      touches.append(ResourceTouch(resolveTexture, writing: region, .renderTarget))
    }
    if discards { touches.append(discard) }
    return touches
  }

  /// A write of all pixels.
  fileprivate var touchOfAll: ResourceTouch { ResourceTouch(texture, writing: texture.bounds, .renderTarget) }

  /// Of a texture with other images only a part becomes anything.
  private var discard: ResourceTouch {
    ResourceTouch(texture, texture.isAll(texture.bounds) ? .discard : .write, .renderTarget)
  }
}
