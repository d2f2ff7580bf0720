internal import SafelightImage

/// What a command does with a texture or a buffer; of a view it is the texture behind.
package struct ResourceTouch {
  package enum Resource {
    case texture(Texture)
    case buffer(Buffer)
  }

  package enum Kind {
    /// It depends on what is there, and leaves it.
    case read
    /// It depends on what is there, and leaves something else.
    case change
    /// It writes a part, or perhaps all of it; what was there before does not matter to what it writes.
    case write
    /// It leaves no earlier byte.
    case replacement
    /// What was there may become anything: nobody counts on it any more.
    case discard
  }

  package let resource: Resource
  package let kind: Kind
  /// How OpenGL ES reaches it.
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

  /// A write of `range`.
  init(_ buffer: Buffer, writing range: Range<Int>, _ access: BarrierPlan.Access) {
    self.init(buffer, range == 0..<buffer.length ? .replacement : .write, access)
  }

  /// The same for barriers.
  package var use: BarrierPlan.Use { BarrierPlan.Use(resource: resource.id, access: access) }
}

extension ResourceTouch.Kind {
  /// Whether the command cannot do without what is there.
  var needsContents: Bool { self == .read || self == .change }

  /// Whether nobody can need what was there any more.
  var endsContents: Bool { self == .replacement || self == .discard }

  /// Whether the command makes contents that somebody may read.
  var makesContents: Bool { self == .change || self == .write || self == .replacement }
}

extension ResourceTouch.Resource {
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

  /// The same with its kind, for messages.
  var name: String {
    switch self {
    case .texture: "texture '\(label)'"
    case .buffer: "buffer '\(label)'"
    }
  }

  /// The device that made it; nil for what is made for any.
  var home: DeviceThread? {
    switch self {
    case .texture(let texture): texture.home
    case .buffer(let buffer): buffer.home
    }
  }

  /// True for what the process has itself, which no context takes with it: memory it shares, and contents that a texture is made with.
  var isHostMemory: Bool {
    switch self {
    case .texture(let texture): texture.sharedPlane != nil || texture.contents != nil
    case .buffer(let buffer): buffer.storageMode == .shared && buffer.hostMemory != nil
    }
  }
}

extension Texture {
  /// The texture whose pixels this one shows.
  var root: Texture { parent?.root ?? self }

  /// Whether it has one image, and `region` of it is all there is.
  func isAll(_ region: Region) -> Bool {
    parent == nil && descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1 && region == bounds
  }
}

extension Recording {
  private var touches: some Sequence<ResourceTouch> { commands.lazy.flatMap { $0.command.touches } }

  /// Those of `ids` whose earlier contents the commands need, each once: read before they are written wholly.
  package func neededContents(among ids: Set<ResourceID>) -> [ResourceTouch.Resource] {
    var left = ids
    var needed: [ResourceTouch.Resource] = []
    for touch in touches {
      if touch.kind.needsContents && left.contains(touch.resource.id) { needed.append(touch.resource) }
      if touch.kind.needsContents || touch.kind.endsContents { left.remove(touch.resource.id) }
    }
    return needed
  }

  /// Why the commands cannot run on `thread`: one uses what another device made, whose contents are there alone. Nil where all can.
  func foreignResource(to thread: DeviceThread) -> ReplayFailure? {
    for (index, entry) in commands.enumerated() {
      for touch in entry.command.touches {
        guard let home = touch.resource.home, home !== thread else { continue }
        let error = SafelightError(
          .usage, touch.resource.name,
          why:
            "it belongs to a device '\(home.deviceName)', and the command buffer to another, '\(thread.deviceName)'",
          remedy: "make both with one Device, or bring the contents over by reading and writing them")
        return ReplayFailure(error: error, command: index)
      }
    }
    return nil
  }

  /// Everything that the commands use.
  var resources: Set<ResourceID> { Set(touches.map(\.resource.id)) }

  /// The resources of which the commands leave no earlier byte.
  var replacedContents: Set<ResourceID> {
    Set(touches.filter(\.kind.endsContents).map(\.resource.id))
  }

  /// The buffers whose memory the process shares.
  var hostBuffers: [Buffer] {
    touches.compactMap { touch in
      guard case .buffer(let buffer) = touch.resource, buffer.hostMemory != nil else { return nil }
      return buffer
    }
  }

  /// The textures over shared memory that commands use, each once, and whether a command writes them.
  var sharedTextures: [(texture: Texture, isWritten: Bool)] {
    var found: [(texture: Texture, isWritten: Bool)] = []
    for touch in touches {
      guard case .texture(let texture) = touch.resource, texture.sharedPlane != nil else { continue }
      if let known = found.firstIndex(where: { $0.texture.lifetime === texture.lifetime }) {
        found[known].isWritten = found[known].isWritten || touch.kind.makesContents
      } else {
        found.append((texture, touch.kind.makesContents))
      }
    }
    return found
  }
}
