internal import SafelightImage

/// A texture or buffer that a command touches, and how; of a view it is the texture behind.
struct CaptureTouch {
  enum Resource {
    case texture(Texture)
    case buffer(Buffer)

    var id: ResourceID {
      switch self {
      case .texture(let texture): texture.lifetime.id
      case .buffer(let buffer): buffer.lifetime.id
      }
    }
  }

  enum Kind {
    case read
    /// Writes part of it, or perhaps all of it, or reads it too.
    case change
    /// Leaves no earlier byte.
    case replacement
    /// Leaves anything at all, which nobody may read.
    case discard
  }

  let resource: Resource
  let kind: Kind

  init(_ texture: Texture, _ kind: Kind) {
    resource = .texture(texture.root)
    self.kind = kind
  }

  init(_ buffer: Buffer, _ kind: Kind) {
    resource = .buffer(buffer)
    self.kind = kind
  }

  /// A write of `region` of an image.
  init(_ texture: Texture, writing region: Region) {
    self.init(texture, texture.isReplaced(by: region) ? .replacement : .change)
  }

  /// A write of `range`.
  init(_ buffer: Buffer, writing range: Range<Int>) {
    self.init(buffer, range == 0..<buffer.length ? .replacement : .change)
  }
}

extension Texture {
  /// The texture whose pixels this one shows.
  var root: Texture { parent?.root ?? self }

  /// Whether `region` of its only image is all there is.
  func isReplaced(by region: Region) -> Bool {
    parent == nil && descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1 && region == bounds
  }
}

extension Command {
  /// What it touches, reads before writes.
  var touches: [CaptureTouch] {
    switch self {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: []
    case .dispatch(let dispatch):
      (dispatch.indirect.map { [CaptureTouch($0.buffer, .read)] } ?? [])
        + dispatch.bindings.touches(of: dispatch.pipeline.function)
    case .draw(let draw): draw.touches
    case .clear(let pass): pass.touches
    case .store(let pass): pass.colorAttachments.flatMap(\.touchesAtEnd)
    case .upload(let upload): [CaptureTouch(upload.texture, writing: upload.region)]
    case .readTexture(let read): [CaptureTouch(read.texture, .read)]
    case .copyTexture(let copy):
      [
        CaptureTouch(copy.source, .read),
        CaptureTouch(copy.destination, writing: Region(x: copy.x, y: copy.y, size: copy.region.size)),
      ]
    case .copyBufferToTexture(let copy):
      [CaptureTouch(copy.buffer, .read), CaptureTouch(copy.texture, writing: copy.region)]
    case .copyTextureToBuffer(let copy): [CaptureTouch(copy.texture, .read), CaptureTouch(copy.buffer, .change)]
    case .generateMipmaps(let texture): [CaptureTouch(texture, .change)]
    case .writeBuffer(let buffer, let offset, let bytes):
      [CaptureTouch(buffer, writing: offset..<offset + bytes.count)]
    case .fillBuffer(let buffer, let range, value: _): [CaptureTouch(buffer, writing: range)]
    case .copyBuffer(let copy):
      [
        CaptureTouch(copy.source, .read),
        CaptureTouch(copy.destination, writing: copy.offset..<copy.offset + copy.range.count),
      ]
    case .readBuffer(let buffer, range: _, into: _), .synchronize(let buffer): [CaptureTouch(buffer, .read)]
    }
  }
}

extension Bindings {
  /// What `function` does with them; a store may reach every pixel or a few.
  func touches(of function: ShaderFunction) -> [CaptureTouch] {
    function.arguments.compactMap { argument in
      switch argument {
      case .sampledTexture(let index): textures[index].map { CaptureTouch($0, .read) }
      case .storageTexture(let index): textures[index].map { CaptureTouch($0, .change) }
      case .readBuffer(let index): buffers[index].map { CaptureTouch($0, .read) }
      case .storageBuffer(let index): buffers[index].map { CaptureTouch($0, .change) }
      case .bytes(let index): bytes[index] == nil ? buffers[index].map { CaptureTouch($0, .read) } : nil
      }
    }
  }
}

extension Command.Draw {
  fileprivate var touches: [CaptureTouch] {
    bindings.touches(of: pipeline.fragment) + vertexBindings.touches(of: pipeline.vertexFunction)
      + pipeline.vertexDescriptor.layouts.keys.sorted().compactMap { index in
        vertexBindings.buffers[index].map { CaptureTouch($0, .read) }
      } + vertices.touches + (visibilityTarget.map { [CaptureTouch($0.0, .change)] } ?? [])
      + (paintsAll ? pass.colorAttachments.map { CaptureTouch($0, .replacement) } : pass.touches)
  }

  /// Whether the full-screen strip leaves nothing of what was there.
  private var paintsAll: Bool {
    guard pipeline.colorAttachments == nil, primitives == .triangleStrip, state.viewport == nil, state.scissor == nil,
      case .consecutive(start: 0, count: 4) = vertices
    else { return false }
    return pass.colorAttachments.allSatisfy { $0.loadAction == .dontCare }
  }
}

extension Command.Draw.Vertices {
  fileprivate var touches: [CaptureTouch] {
    switch self {
    case .consecutive: []
    case .indexed(let indices, count: _, baseVertex: _): [CaptureTouch(indices.buffer, .read)]
    case .indirect(let buffer, offset: _): [CaptureTouch(buffer, .read)]
    case .indexedIndirect(let indices, let buffer, offset: _):
      [CaptureTouch(indices.buffer, .read), CaptureTouch(buffer, .read)]
    }
  }
}

extension RenderPassDescriptor {
  /// Only a clear is sure to leave nothing of what was there.
  fileprivate var touches: [CaptureTouch] {
    colorAttachments.map { CaptureTouch($0, $0.loadAction.isClear ? .replacement : .change) }
      + depthStencilTouches
  }
}

extension RenderPassDescriptor {
  /// A depth or stencil matters where it is loaded, and is written otherwise.
  fileprivate var depthStencilTouches: [CaptureTouch] {
    loadedDepthStencils.map { CaptureTouch($0, .change) }
      + replacedDepthStencils.map { CaptureTouch($0, $0.isReplaced(by: $0.bounds) ? .replacement : .change) }
  }
}

extension RenderPassDescriptor.ColorAttachment {
  /// What the end of the pass does to it and to the texture that it is resolved to.
  fileprivate var touchesAtEnd: [CaptureTouch] {
    let resolved = resolveTexture.map {
      CaptureTouch($0, writing: Region(size: $0.descriptor.size(atLevel: resolveImage.level)))
    }
    switch storeAction {
    case .store: return []
    case .dontCare: return [CaptureTouch(texture, .discard)]
    case .multisampleResolve: return [resolved, CaptureTouch(texture, .discard)].compactMap { $0 }
    case .storeAndMultisampleResolve: return [resolved].compactMap { $0 }
    }
  }
}

extension CaptureTouch {
  /// A replacement of one image is a change of a texture that has others.
  fileprivate init(_ attachment: RenderPassDescriptor.ColorAttachment, _ kind: Kind) {
    let texture = attachment.texture
    let isAll = texture.isReplaced(by: texture.bounds)
    self.init(texture, kind == .replacement && !isAll ? .change : kind)
  }
}
