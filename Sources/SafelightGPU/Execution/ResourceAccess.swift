internal import SafelightImage

/// A command's effect on a texture or buffer; for a view, on the texture behind it.
package struct ResourceAccess {
  package enum Resource {
    case texture(Texture)
    case buffer(Buffer)
  }

  package enum Kind {
    /// It needs the contents, and keeps them.
    case read
    /// It needs the contents, and changes them.
    case change
    /// It writes a part or possibly all, without needing the contents.
    case write
    /// It overwrites everything.
    case replacement
    /// It leaves the contents undefined.
    case discard
  }

  package let resource: Resource
  package let kind: Kind
  package let access: BarrierPlan.Access

  init(_ texture: Texture, _ kind: Kind, _ access: BarrierPlan.Access) {
    resource = .texture(texture.root)
    self.kind = kind
    self.access = access
  }

  init(_ buffer: Buffer, _ kind: Kind, _ access: BarrierPlan.Access) {
    resource = .buffer(buffer)
    self.kind = kind
    self.access = access
  }

  /// A write of `region` of an image.
  init(_ texture: Texture, writing region: Region, _ access: BarrierPlan.Access) {
    self.init(texture, texture.isAll(region) ? .replacement : .write, access)
  }

  init(_ buffer: Buffer, writing range: Range<Int>, _ access: BarrierPlan.Access) {
    self.init(buffer, range == 0..<buffer.length ? .replacement : .write, access)
  }

  /// The end of a texture's contents, or of a part of them if it has other images.
  fileprivate init(discarding texture: Texture) {
    self.init(texture, texture.isAll(texture.bounds) ? .discard : .write, .renderTarget)
  }

  package var use: BarrierPlan.Use { BarrierPlan.Use(resource: resource.id, access: access) }
}

extension ResourceAccess.Kind {
  /// True if the command needs the earlier contents.
  var needsContents: Bool { self == .read || self == .change }

  /// True if no later command can need the earlier contents.
  var endsContents: Bool { self == .replacement || self == .discard }

  /// True if the command makes contents that a later one may read.
  var makesContents: Bool { self == .change || self == .write || self == .replacement }
}

extension ResourceAccess.Resource {
  var id: ResourceID {
    switch self {
    case .texture(let texture): texture.lifetime.id
    case .buffer(let buffer): buffer.lifetime.id
    }
  }

  package var label: String {
    switch self {
    case .texture(let texture): texture.label
    case .buffer(let buffer): buffer.label
    }
  }

  var name: String {
    switch self {
    case .texture: "texture '\(label)'"
    case .buffer: "buffer '\(label)'"
    }
  }

  /// The device that made it; nil if any device may use it.
  var home: DeviceThread? {
    switch self {
    case .texture(let texture): texture.home
    case .buffer(let buffer): buffer.home
    }
  }

  /// True if the process holds the contents (shared memory, initial contents), so that no lost context loses them.
  var isHostMemory: Bool {
    switch self {
    case .texture(let texture): texture.sharedPlane != nil || texture.contents != nil
    case .buffer(let buffer): buffer.storageMode == .shared && buffer.hostMemory != nil
    }
  }
}

extension Texture {
  /// The texture that owns the pixels of this one.
  var root: Texture { parent?.root ?? self }

  /// True if `region` is the whole texture: it has one image and no parent.
  func isAll(_ region: Region) -> Bool {
    parent == nil && descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1 && region == bounds
  }
}

extension Command {
  /// Its effects in order, from which barriers, captures and recovery from a lost context are derived. Entries of a
  /// recording keep them.
  package var accesses: [ResourceAccess] {
    switch self {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    case .dispatch(let dispatch): dispatch.accesses
    case .draw(let draw): draw.accesses
    case .clear(let pass): pass.accessesAtBegin()
    case .store(let pass): pass.touchesAtEnd
    case .upload(let upload): [ResourceAccess(upload.texture, writing: upload.region, .textureUpdate)]
    case .readTexture(let read): [ResourceAccess(read.texture, .read, .textureRead)]
    case .copyTexture(let copy):
      [
        ResourceAccess(copy.source, .read, .textureCopy),
        ResourceAccess(copy.destination, writing: Region(x: copy.x, y: copy.y, size: copy.region.size), .textureCopy),
      ]
    case .copyBufferToTexture(let copy):
      [
        ResourceAccess(copy.buffer, .read, .pixelTransfer),
        ResourceAccess(copy.texture, writing: copy.region, .textureUpdate),
      ]
    case .copyTextureToBuffer(let copy):
      [ResourceAccess(copy.texture, .read, .textureRead), ResourceAccess(copy.buffer, .write, .pixelTransfer)]
    case .generateMipmaps(let texture):
      [ResourceAccess(texture, .read, .sampledTexture), ResourceAccess(texture, .write, .renderTarget)]
    case .writeBuffer(let buffer, let offset, let bytes):
      [ResourceAccess(buffer, writing: offset..<offset + bytes.count, .bufferUpdate)]
    case .fillBuffer(let buffer, let range, value: _): [ResourceAccess(buffer, writing: range, .bufferUpdate)]
    case .copyBuffer(let copy):
      [
        ResourceAccess(copy.source, .read, .bufferRead),
        ResourceAccess(copy.destination, writing: copy.offset..<copy.offset + copy.range.count, .bufferUpdate),
      ]
    case .readBuffer(let buffer, range: _, into: _): [ResourceAccess(buffer, .read, .bufferRead)]
    case .synchronize(let buffer): [ResourceAccess(buffer, .read, .sharedMemoryRead)]
    }
  }
}

extension Bindings {
  /// The effects of `function`; a store to a texture may reach a few pixels unless the dispatch replaces its
  /// textures; one to a buffer may also read it.
  package func accesses(of function: ShaderFunction, replacesTextures: Bool = false) -> [ResourceAccess] {
    function.arguments.compactMap { argument in
      switch argument {
      case .sampledTexture(let index): textures[index].map { ResourceAccess($0, .read, .sampledTexture) }
      case .loadedTexture(let index): textures[index].map { ResourceAccess($0, .read, .loadedTexture) }
      case .storageTexture(let index):
        textures[index].map { texture in
          replacesTextures
            ? ResourceAccess(texture, writing: texture.bounds, .storageTextureWrite)
            : ResourceAccess(texture, .write, .storageTextureWrite)
        }
      case .readWriteTexture(let index): textures[index].map { ResourceAccess($0, .change, .storageTextureWrite) }
      case .readBuffer(let index): buffers[index].map { ResourceAccess($0, .read, .storageBufferRead) }
      case .storageBuffer(let index): buffers[index].map { ResourceAccess($0, .change, .storageBufferWrite) }
      case .bytes(let index): bytes[index] == nil ? buffers[index].map { ResourceAccess($0, .read, .uniformRead) } : nil
      }
    }
  }

  fileprivate func accesses(of descriptor: VertexDescriptor) -> [ResourceAccess] {
    descriptor.buffers.keys.sorted().compactMap { index in
      bytes[index] == nil ? buffers[index].map { ResourceAccess($0, .read, .vertexBufferRead) } : nil
    }
  }
}

extension Command.Dispatch {
  fileprivate var accesses: [ResourceAccess] {
    let accesses = bindings.accesses(of: pipeline.function, replacesTextures: replacesTextures)
    guard let indirect else { return accesses }
    return [ResourceAccess(indirect.buffer, .read, .indirectRead)] + accesses
  }
}

extension Command.Draw {
  fileprivate var accesses: [ResourceAccess] {
    var accesses = bindings.accesses(of: pipeline.fragment) + vertexBindings.accesses(of: pipeline.vertexFunction)
    accesses += vertexBindings.accesses(of: pipeline.vertexDescriptor)
    accesses += vertices.accesses
    if let (buffer, _) = visibilityTarget { accesses.append(ResourceAccess(buffer, .write, .bufferUpdate)) }
    let fetched = pipeline.fragment.fetchedAttachments
    let isNew = fetched.isEmpty && pass.colorAttachments.allSatisfy { $0.loadAction == .dontCare }
    accesses += isNew && paintsAll ? pass.colorAttachments.map(\.accessToAll) : pass.accessesAtBegin(fetching: fetched)
    return accesses
  }

  /// True if the full-screen strip paints every pixel of its one target, so that a twin may make them all at once.
  var paintsAll: Bool {
    guard pipeline.colorAttachments == nil, primitives == .triangleStrip, instances.count == 1,
      case .consecutive(start: 0, count: 4) = vertices
    else { return false }
    let whole = Region(size: pass.size)
    return (state.viewport?.region ?? whole) == whole && (state.scissor ?? whole) == whole && state.cullMode == .none
  }
}

extension Command.Draw.Vertices {
  fileprivate var accesses: [ResourceAccess] {
    switch self {
    case .consecutive: []
    case .indexed(let indices, count: _, baseVertex: _): [ResourceAccess(indices.buffer, .read, .indexBufferRead)]
    case .indirect(let buffer, offset: _): [ResourceAccess(buffer, .read, .indirectRead)]
    case .indexedIndirect(let indices, let buffer, offset: _):
      [ResourceAccess(indices.buffer, .read, .indexBufferRead), ResourceAccess(buffer, .read, .indirectRead)]
    }
  }
}

extension RenderPassDescriptor {
  /// The effects of the pass's beginning and of draws by a function that reads the attachments at `fetched`.
  fileprivate func accessesAtBegin(fetching fetched: Set<Int> = []) -> [ResourceAccess] {
    colorAttachments.enumerated().flatMap { index, target in
      fetched.contains(index) ? [target.touchOfFetch] : target.accessesAtBegin
    } + depthStencilTextures.flatMap { depthStencilTouches($0) }
  }

  fileprivate var touchesAtEnd: [ResourceAccess] {
    colorAttachments.flatMap(\.touchesAtEnd)
      + depthStencilTextures.compactMap { texture in
        let isOver = halves(of: texture).allSatisfy { $0?.storeAction == .dontCare }
        return isOver ? ResourceAccess(discarding: texture) : nil
      }
  }

  /// The effects on depth and stencil, which may share a texture; a loaded or unattached half keeps its contents.
  private func depthStencilTouches(_ texture: Texture) -> [ResourceAccess] {
    let actions = halves(of: texture).map { $0?.loadAction }
    if actions.contains(.load) { return [ResourceAccess(texture, .change, .renderTarget)] }
    if actions.contains(nil) { return [ResourceAccess(texture, .write, .renderTarget)] }
    if actions.contains(.dontCare) {
      return [ResourceAccess(discarding: texture), ResourceAccess(texture, .write, .renderTarget)]
    }
    return [ResourceAccess(texture, writing: texture.bounds, .renderTarget)]
  }

  /// The textures of depth and stencil, each once.
  private var depthStencilTextures: [Texture] {
    depthStencils.map(\.target).reduce(into: []) { found, texture in
      if !found.contains(where: { $0 === texture }) { found.append(texture) }
    }
  }

  /// The attachments of a texture's depth and stencil; nil for one that is not attached.
  private func halves(of texture: Texture) -> [(any DepthStencilAttachment)?] {
    let attached = depthStencils.filter { $0.texture === texture }
    return texture.pixelFormat == .depth32Float_stencil8 && attached.count == 1 ? attached + [nil] : attached
  }
}

extension RenderPassDescriptor.ColorAttachment {
  /// The effects of the load action and of draws on the texture.
  fileprivate var accessesAtBegin: [ResourceAccess] {
    switch loadAction {
    case .load: [ResourceAccess(target, .change, .renderTarget)]
    case .clear, .clearColor: [accessToAll]
    // Draws paint it, but the commands do not show whether they paint all of it.
    case .dontCare: [ResourceAccess(discarding: target), ResourceAccess(target, .write, .renderTarget)]
    }
  }

  /// The effect if the function reads the pixels, perhaps after a clear.
  fileprivate var touchOfFetch: ResourceAccess {
    loadAction.isClear ? accessToAll : ResourceAccess(target, .change, .renderTarget)
  }

  /// The effects of the pass's end on the texture and its resolve texture.
  fileprivate var touchesAtEnd: [ResourceAccess] {
    var accesses: [ResourceAccess] = []
    if resolves, let resolveTexture {
      let region = Region(size: resolveTexture.descriptor.size(atLevel: resolveImage.level))
      accesses.append(ResourceAccess(target, .read, .renderTarget))
      accesses.append(ResourceAccess(resolveTexture, writing: region, .renderTarget))
    }
    if discards { accesses.append(ResourceAccess(discarding: target)) }
    return accesses
  }

  fileprivate var accessToAll: ResourceAccess { ResourceAccess(target, writing: target.bounds, .renderTarget) }
}

extension Recording {
  private var accesses: some Sequence<ResourceAccess> { commands.lazy.flatMap(\.accesses) }

  /// Returns those of `ids` whose earlier contents the commands read before they overwrite them, each once.
  package func neededContents(among ids: Set<ResourceID>) -> [ResourceAccess.Resource] {
    var left = ids
    var needed: [ResourceAccess.Resource] = []
    for access in accesses {
      if access.kind.needsContents && left.contains(access.resource.id) { needed.append(access.resource) }
      if access.kind.needsContents || access.kind.endsContents { left.remove(access.resource.id) }
    }
    return needed
  }

  /// Returns why the commands cannot run on `thread`: only another device has the contents of a resource.
  func foreignResource(to thread: DeviceThread) -> ReplayFailure? {
    for (index, entry) in commands.enumerated() {
      for access in entry.accesses {
        guard let home = access.resource.home, home !== thread else { continue }
        let error = SafelightError(
          .usage, access.resource.name,
          why: "it belongs to a device '\(home.deviceName)', and the command buffer to another, '\(thread.deviceName)'",
          remedy:
            "make both with the same Device, or read the contents and write them to a resource of the other device")
        return ReplayFailure(error: error, command: index)
      }
    }
    return nil
  }

  var resources: Set<ResourceID> { Set(accesses.map(\.resource.id)) }

  /// The resources whose earlier contents the commands overwrite or discard.
  var replacedContents: Set<ResourceID> { Set(accesses.filter(\.kind.endsContents).map(\.resource.id)) }

  /// The buffers whose memory the process shares.
  var hostBuffers: [Buffer] {
    accesses.compactMap { access in
      guard case .buffer(let buffer) = access.resource, buffer.hostMemory != nil else { return nil }
      return buffer
    }
  }

  /// The textures over shared memory that the commands use, each once, and whether a command writes them.
  var sharedTextures: [(texture: Texture, isWritten: Bool)] {
    var found: [(texture: Texture, isWritten: Bool)] = []
    for access in accesses {
      guard case .texture(let texture) = access.resource, texture.sharedPlane != nil else { continue }
      if let known = found.firstIndex(where: { $0.texture.lifetime === texture.lifetime }) {
        found[known].isWritten = found[known].isWritten || access.kind.makesContents
      } else {
        found.append((texture, access.kind.makesContents))
      }
    }
    return found
  }
}
