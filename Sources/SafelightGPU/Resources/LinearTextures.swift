public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Keeps textures over buffers and their buffers equal, by copies around the commands of one recording.
struct LinearTextures {
  /// The textures that are equal to their buffers at this point, or newer.
  private var current: [ResourceID: Texture] = [:]
  /// The textures newer than their buffers: a pass drew into them, and they are copied after its last draw.
  private var newer: [ResourceID: Texture] = [:]

  /// Returns a command with the copies that it needs before and after.
  mutating func surround(_ entry: Recording.Entry) -> [Recording.Entry] {
    let (command, accesses) = (entry.command, entry.accesses)
    var before = copiesOut(before: command, accesses)
    // Other command buffers may write buffers during the wait.
    if case .waitForEvent = command { current = [:] }
    var after: [Command] = []
    for access in accesses {
      guard case .texture(let texture) = access.resource, let copy = texture.linearCopy else { continue }
      let id = texture.lifetime.id
      // A partial write copies all pixels back to the buffer, so they must be current.
      if access.kind.needsContents || access.kind == .write, current[id] == nil {
        before.append(.copyBufferToTexture(copy))
      }
      current[id] = texture
      guard access.kind.makesContents else { continue }
      if command.isOfPass { newer[id] = texture } else { after.append(.copyTextureToBuffer(copy)) }
    }
    for access in accesses + after.flatMap(\.accesses) where access.kind.makesContents || access.kind == .discard {
      forget(access.resource, except: Set(accesses.filter(\.kind.makesContents).map(\.resource.id)))
    }
    return before.map(entry.with) + [entry] + after.map(entry.with)
  }

  /// Returns copies to buffers of newer textures whose pass `command` ends, or whose buffers it uses within the pass.
  private mutating func copiesOut(before command: Command, _ accesses: [ResourceAccess]) -> [Command] {
    var copies: [Command] = []
    for (id, texture) in newer where !command.isOfPass || accesses.contains(where: { texture.isSeen(by: $0) }) {
      guard let copy = texture.linearCopy else { continue }
      copies.append(.copyTextureToBuffer(copy))
      newer[id] = nil
      forget(.buffer(copy.buffer), except: [id])
    }
    return copies
  }

  /// Marks textures over a written buffer as outdated, except those through which it was written.
  private mutating func forget(_ resource: ResourceAccess.Resource, except writers: Set<ResourceID>) {
    guard case .buffer(let buffer) = resource else { return }
    current = current.filter { id, texture in texture.linearSource?.buffer !== buffer || writers.contains(id) }
  }
}

extension Command {
  /// True if it may come between the draws of a pass, and does not end an encoder.
  fileprivate var isOfPass: Bool {
    switch self {
    case .draw, .clear, .pushDebugGroup, .insertDebugSignpost: true
    default: false
    }
  }
}

extension Texture {
  /// Returns true if `access` is a use of this linear texture's buffer, or of another texture over it.
  fileprivate func isSeen(by access: ResourceAccess) -> Bool {
    guard let buffer = linearSource?.buffer else { return false }
    switch access.resource {
    case .buffer(let other): return other === buffer
    case .texture(let other): return other !== self && other.linearSource?.buffer === buffer
    }
  }
}

/// The buffer that a texture shows, and the layout of its pixels.
public struct LinearTextureSource: Sendable {
  /// The buffer.
  public let buffer: Buffer
  /// The offset of the first pixel, in bytes.
  public let offset: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
}

extension Device {
  /// Makes a texture over the bytes of a buffer; Metal's `MTLBuffer.makeTexture(descriptor:offset:bytesPerRow:)`.
  ///
  /// Writes to either are visible in the other, in the order of the commands. Metal uses one memory; OpenGL ES needs
  /// two, as its `GL_TEXTURE_BUFFER` has one dimension. A recording copies the pixels to the texture before a command
  /// that needs them (`glTexSubImage2D` from `GL_PIXEL_UNPACK_BUFFER`), and to the buffer after one that writes them
  /// (`glReadPixels` to `GL_PIXEL_PACK_BUFFER`). These copies are commands that captures show. `offset` and
  /// `bytesPerRow` are multiples of ``minimumLinearTextureAlignment(for:)``. Bytes between rows are not changed. The
  /// texture has one level and one sample a pixel.
  ///
  /// - Throws: ``SafelightError`` if it exceeds the device's limits or needs a feature that the device lacks.
  public func makeTexture(
    _ descriptor: TextureDescriptor, over buffer: Buffer, offset: Int = 0, bytesPerRow: Int, label: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    trap(
      unless: buffer.home === thread,
      "texture '\(label)' cannot show buffer '\(buffer.label)' of another device; make both with the same device")
    trap(
      unless: descriptor.textureType == .type2D && descriptor.mipmapLevelCount == 1 && descriptor.pixelFormat.isColor,
      "texture '\(label)' over buffer '\(buffer.label)' can only be of type2D with one level and a color format")
    try check(descriptor, label)
    let texture = Texture(
      descriptor, label: label, home: thread,
      source: LinearTextureSource(buffer: buffer, offset: offset, bytesPerRow: bytesPerRow))
    // Here, where the mistake is made, and not at the first use.
    if let fault = texture.linearCopy?.fault { trap(fault) }
    hasLinearTextures.store(true, ordering: .relaxed)
    return texture
  }

  /// Returns the bytes of a pixel, of which the offset and row length of a texture over a buffer are multiples.
  public func minimumLinearTextureAlignment(for pixelFormat: PixelFormat) -> Int { pixelFormat.bytesPerPixel }
}

extension Texture {
  /// The copy of all pixels from or to the buffer that it shows; nil if it shows none.
  var linearCopy: Command.BufferTextureCopy? {
    linearSource.map {
      Command.BufferTextureCopy(
        buffer: $0.buffer, offset: $0.offset, bytesPerRow: $0.bytesPerRow, texture: self, image: TextureImage(),
        region: bounds)
    }
  }
}
