/// Keeps textures over buffers and their buffers in step, by copies around the commands of one recording.
struct LinearTextures {
  /// The textures that show what their buffers hold at this point, or will hold once what they are ahead by is copied.
  private var inStep: [ResourceID: Texture] = [:]
  /// Those that a render pass draws into; copied out after the last draw, not after each.
  private var ahead: [ResourceID: Texture] = [:]

  /// `command` with the copies that it needs before and after itself.
  mutating func surround(_ command: Command) -> [Command] {
    let touches = command.touches
    var before = copiesOut(before: command, touches)
    // Others may write buffers while a command buffer waits for them.
    if case .waitForEvent = command { inStep = [:] }
    var after: [Command] = []
    for touch in touches {
      guard case .texture(let texture) = touch.resource, let copy = texture.linearCopy else { continue }
      let id = texture.lifetime.id
      // What is not written wholly goes back to the buffer too.
      if touch.kind.needsContents || touch.kind == .write, inStep[id] == nil {
        before.append(.copyBufferToTexture(copy))
      }
      inStep[id] = texture
      guard touch.kind.makesContents else { continue }
      if command.isOfPass { ahead[id] = texture } else { after.append(.copyTextureToBuffer(copy)) }
    }
    for touch in touches + after.flatMap(\.touches) where touch.kind.makesContents || touch.kind == .discard {
      forget(touch.resource, except: Set(touches.filter(\.kind.makesContents).map(\.resource.id)))
    }
    return before + [command] + after
  }

  /// Copies out of the textures that are ahead, where `command` ends their pass or looks at their buffers in it.
  private mutating func copiesOut(before command: Command, _ touches: [ResourceTouch]) -> [Command] {
    var copies: [Command] = []
    for (id, texture) in ahead where !command.isOfPass || touches.contains(where: { texture.isSeen(by: $0) }) {
      guard let copy = texture.linearCopy else { continue }
      copies.append(.copyTextureToBuffer(copy))
      ahead[id] = nil
      forget(.buffer(copy.buffer), except: [id])
    }
    return copies
  }

  /// Textures over a buffer that was written are behind; but for those through which it was.
  private mutating func forget(_ resource: ResourceTouch.Resource, except writers: Set<ResourceID>) {
    guard case .buffer(let buffer) = resource else { return }
    inStep = inStep.filter { id, texture in texture.linearSource?.buffer !== buffer || writers.contains(id) }
  }
}

extension Command {
  /// Whether it may stand between the draws of a pass; what ends an encoder may not.
  fileprivate var isOfPass: Bool {
    switch self {
    case .draw, .clear, .pushDebugGroup, .insertDebugSignpost: true
    default: false
    }
  }
}

extension Texture {
  /// Whether `touch` is one of this linear texture's buffer, or of another texture over it.
  fileprivate func isSeen(by touch: ResourceTouch) -> Bool {
    guard let buffer = linearSource?.buffer else { return false }
    switch touch.resource {
    case .buffer(let other): return other === buffer
    case .texture(let other): return other !== self && other.linearSource?.buffer === buffer
    }
  }
}
