internal import SafelightImage

extension Command {
  /// What it does with textures and buffers, in this order: the only place that says so. Barriers, captures, and what a lost context
  /// costs are derived from it.
  package var touches: [ResourceTouch] {
    switch self {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    case .dispatch(let dispatch): dispatch.touches
    case .draw(let draw): draw.touches
    case .clear(let pass): pass.touchesAtBegin()
    case .store(let pass): pass.touchesAtEnd
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
  package func touches(of function: ShaderFunction) -> [ResourceTouch] {
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
    touches +=
      paintsAll ? pass.colorAttachments.map(\.touchOfAll) : pass.touchesAtBegin(fetching: fetchedAttachments)
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

extension RenderPassDescriptor {
  /// What its beginning, and what is drawn after it by a function that reads the attachments at `fetched`, do to its textures.
  fileprivate func touchesAtBegin(fetching fetched: Set<Int> = []) -> [ResourceTouch] {
    colorAttachments.enumerated().flatMap { index, target in
      fetched.contains(index) ? [target.touchOfFetch] : target.touchesAtBegin
    } + depthStencilTextures.flatMap { depthStencilTouches($0) }
  }

  fileprivate var touchesAtEnd: [ResourceTouch] {
    colorAttachments.flatMap(\.touchesAtEnd)
      + depthStencilTextures.compactMap { texture in
        let isOver = halves(of: texture).allSatisfy { $0?.storeAction == .dontCare }
        return isOver ? ResourceTouch(discarding: texture) : nil
      }
  }

  /// Depth and stencil may be the halves of one texture: what is not attached, or loaded, stays.
  private func depthStencilTouches(_ texture: Texture) -> [ResourceTouch] {
    let actions = halves(of: texture).map { $0?.loadAction }
    if actions.contains(.load) { return [ResourceTouch(texture, .change, .renderTarget)] }
    if actions.contains(nil) { return [ResourceTouch(texture, .write, .renderTarget)] }
    if actions.contains(.dontCare) {
      return [ResourceTouch(discarding: texture), ResourceTouch(texture, .write, .renderTarget)]
    }
    return [ResourceTouch(texture, writing: texture.bounds, .renderTarget)]
  }

  /// The textures of depth and stencil, each once.
  private var depthStencilTextures: [Texture] {
    depthStencilTargets.map(\.texture).reduce(into: []) { found, texture in
      if !found.contains(where: { $0 === texture }) { found.append(texture) }
    }
  }

  /// The attachments of all that a texture holds; nil where one is not attached.
  private func halves(of texture: Texture) -> [DepthStencilTarget?] {
    let attached = depthStencilTargets.filter { $0.texture === texture }
    return texture.pixelFormat == .depth32Float_stencil8 && attached.count == 1 ? attached + [nil] : attached
  }
}

extension RenderPassDescriptor.ColorAttachment {
  /// What a load action, and what is drawn after it, do to the texture.
  fileprivate var touchesAtBegin: [ResourceTouch] {
    switch loadAction {
    case .load: [ResourceTouch(texture, .change, .renderTarget)]
    case .clear, .clearColor: [touchOfAll]
    // Painted it will be, but nobody can see that in the commands.
    case .dontCare: [ResourceTouch(discarding: texture), ResourceTouch(texture, .write, .renderTarget)]
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
    if discards { touches.append(ResourceTouch(discarding: texture)) }
    return touches
  }

  /// A write of all pixels.
  fileprivate var touchOfAll: ResourceTouch { ResourceTouch(texture, writing: texture.bounds, .renderTarget) }
}

extension ResourceTouch {
  /// Of a texture with other images only a part becomes anything.
  fileprivate init(discarding texture: Texture) {
    self.init(texture, texture.isAll(texture.bounds) ? .discard : .write, .renderTarget)
  }
}
