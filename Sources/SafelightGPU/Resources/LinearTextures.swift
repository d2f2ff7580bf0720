public import SafelightGLES
public import SafelightImage
internal import Synchronization

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

/// The bytes of a buffer that a texture shows.
public struct LinearTextureSource: Sendable {
  /// The buffer.
  public let buffer: Buffer
  /// The place of the first pixel in it.
  public let offset: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
}

extension Device {
  /// Makes a texture over the bytes of a buffer; Metal's `MTLBuffer.makeTexture(descriptor:offset:bytesPerRow:)`.
  ///
  /// Each shows what is written to the other, in the order of the commands. Where Metal has one memory, OpenGL ES has two, as its
  /// `GL_TEXTURE_BUFFER` has one dimension: a recording brings the pixels over before a command that needs them
  /// (`glTexSubImage2D` from `GL_PIXEL_UNPACK_BUFFER`) and back after one that writes them (`glReadPixels` to `GL_PIXEL_PACK_BUFFER`),
  /// as copies of its own that captures show. `offset` and `bytesPerRow` are multiples of
  /// ``minimumLinearTextureAlignment(for:)``; bytes between rows stay as they are. The texture has one level and no samples.
  ///
  /// Throws where it exceeds the device's limits or needs a feature that the device lacks.
  public func makeTexture(
    _ descriptor: TextureDescriptor, over buffer: Buffer, offset: Int = 0, bytesPerRow: Int, label: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    trap(
      unless: buffer.home === thread,
      "texture '\(label)' was to show buffer '\(buffer.label)' of another device; make both with one")
    trap(
      unless: descriptor.textureType == .type2D && descriptor.mipmapLevelCount == 1 && descriptor.pixelFormat.isColor,
      "texture '\(label)' over buffer '\(buffer.label)' can only be of type2D with one level and a format of colours")
    try check(descriptor, label)
    let texture = Texture(
      descriptor, label: label, home: thread,
      source: LinearTextureSource(buffer: buffer, offset: offset, bytesPerRow: bytesPerRow))
    // The copies check the layout: now, where the mistake is, and not at the first use.
    _ = texture.linearCopy
    hasLinearTextures.store(true, ordering: .relaxed)
    return texture
  }

  /// What offset and row length of a texture over a buffer are multiples of: the bytes of a pixel.
  public func minimumLinearTextureAlignment(for pixelFormat: PixelFormat) -> Int { pixelFormat.bytesPerPixel }
}

extension Texture {
  /// The copy of all its pixels from or to the buffer that it shows; nil where it shows none.
  var linearCopy: Command.BufferTextureCopy? {
    linearSource.map {
      Command.BufferTextureCopy(
        buffer: $0.buffer, offset: $0.offset, bytesPerRow: $0.bytesPerRow, texture: self, image: TextureImage(),
        region: bounds)
    }
  }
}
