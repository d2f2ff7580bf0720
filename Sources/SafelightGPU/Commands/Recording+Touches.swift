internal import SafelightImage

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

  /// Why the commands cannot run on `executor`: one uses what another device made, whose contents are there alone. Nil where all can.
  func foreignResource(to executor: Executor) -> ReplayFailure? {
    for (index, entry) in commands.enumerated() {
      for touch in entry.command.touches {
        guard let home = touch.resource.home, home !== executor else { continue }
        let error = SafelightError(
          .usage, touch.resource.name,
          why:
            "it belongs to a device '\(home.deviceName)', and the command buffer to another, '\(executor.deviceName)'",
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
