/// Keeps textures over buffers and their buffers in step, by copies around the commands of one recording.
struct LinearTextures {
  /// The textures whose pixels are those of their buffers at this point.
  private var inStep: [ResourceID: Texture] = [:]

  /// `command` with the copies that it needs before and after itself.
  mutating func surround(_ command: Command) -> [Command] {
    // Others may write buffers while a command buffer waits for them.
    if case .waitForEvent = command { inStep = [:] }
    var before: [Command] = []
    var after: [Command] = []
    let touches = command.touches
    for touch in touches {
      guard case .texture(let texture) = touch.resource, let copy = texture.linearCopy else { continue }
      // What is not written wholly goes back to the buffer too.
      if touch.kind.needsContents || touch.kind == .write, inStep[texture.lifetime.id] == nil {
        before.append(.copyBufferToTexture(copy))
        inStep[texture.lifetime.id] = texture
      }
      if touch.kind.makesContents {
        after.append(.copyTextureToBuffer(copy))
        inStep[texture.lifetime.id] = texture
      }
    }
    for touch in touches + after.flatMap(\.touches) where touch.kind.makesContents || touch.kind == .discard {
      forget(touch.resource, except: touches)
    }
    return before + [command] + after
  }

  /// Textures over a buffer that was written are behind; but for those through which it was.
  private mutating func forget(_ resource: ResourceTouch.Resource, except touches: [ResourceTouch]) {
    guard case .buffer(let buffer) = resource else { return }
    inStep = inStep.filter { id, texture in
      texture.linearSource?.buffer !== buffer
        || touches.contains { $0.resource.id == id && $0.kind.makesContents }
    }
  }
}
