internal import SafelightGLES
internal import SafelightImage

/// Reads resources whole: what they hold before and after a command buffer.
struct CaptureProbe {
  /// An image of a texture or a whole buffer, and where its bytes go.
  struct Part {
    let name: String
    let resource: String
    let image: TextureImage?
    let size: Size?
    let pixelFormat: PixelFormat?
    let readback: Readback
    let command: Command

    init(_ buffer: Buffer, name: String) {
      self.name = name
      resource = name
      image = nil
      size = nil
      pixelFormat = nil
      readback = Readback(length: buffer.length)
      command = .readBuffer(buffer, range: 0..<buffer.length, into: readback)
    }

    init(_ texture: Texture, _ image: TextureImage, name: String, of resource: String) {
      let (format, size) = (texture.pixelFormat, texture.descriptor.size(atLevel: image.level))
      self.name = name
      self.resource = resource
      self.image = image
      self.size = size
      pixelFormat = format
      readback = Readback(size, format)
      command = .readTexture(
        Command.TextureRead(
          texture: texture, image: image, region: Region(size: size), pixelFormat: format, readback: readback,
          offset: 0, bytesPerRow: size.width * format.bytesPerPixel))
    }
  }

  private(set) var parts: [Part] = []
  let label: String

  init(label: String) { self.label = label }

  /// Adds all of a resource; false where it cannot be read.
  mutating func add(_ resource: ResourceTouch.Resource, name: String) -> Bool {
    switch resource {
    case .buffer(let buffer): parts.append(Part(buffer, name: name))
    case .texture(let texture):
      let descriptor = texture.descriptor
      guard descriptor.sampleCount == 1 else { return false }
      let isOne = descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1
      for level in 0..<descriptor.mipmapLevelCount {
        for slice in 0..<descriptor.sliceCount(atLevel: level) {
          parts.append(
            Part(
              texture, TextureImage(level: level, slice: slice),
              name: isOne ? name : "\(name)-level-\(level)-slice-\(slice)", of: name))
        }
      }
    }
    return true
  }

  /// Bytes that they read.
  var byteCount: Int { parts.reduce(0) { $0 + $1.readback.length } }

  /// The commands that read, behind `waits`.
  func recording(after waits: [Command] = []) -> Recording {
    Recording(label: label, commands: waits + parts.map(\.command))
  }

  /// What they read, in words, the bytes in `blobs` under `folder`.
  func contents(
    _ result: ReplayResult, in folder: String, _ blobs: inout [String: Capture.Blob]
  ) -> [CaptureManifest.Contents] {
    parts.compactMap { part in
      guard let bytes = result.contents(of: part.readback) else { return nil }
      return CaptureManifest.Contents(
        name: part.name, resource: part.resource, image: part.image,
        bytes: CaptureComposer.keep(
          bytes, at: "\(folder)/\(part.name)", size: part.size, part.pixelFormat, in: &blobs))
    }
  }
}
