public import SafelightGPU
public import SafelightImage

/// A kernel that lays a second picture, the same for all frames, over the picture of the chain.
///
/// The family uploads the second picture once, cuts both into tiles, and checks that they go together.
/// ``ImageRenderer`` is its function and its twin.
public protocol CombinationKernel: ImageKernel {
  /// The column and row of the picture at which the second one begins; they may lie outside.
  var place: (x: Int, y: Int) { get }

  /// The rule that joins both pictures' pixels.
  var blend: ImageRenderer.Blend { get }

  /// Reads the second picture; throws an error that names the parameter's file.
  func secondPicture() throws -> Image
}

extension CombinationKernel {
  /// The formats of ``ImageRenderer``.
  public static var formats: [PixelFormat] { ImageRenderer.formats }

  /// Requires straight alpha and full range, as the second picture has.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    guard color.alpha != .premultiplied else { throw color.mismatch(Self.card.name, made: "straight alpha") }
    return try color.ofFullRange(for: Self.card.name)
  }

  /// Both pictures, by tiles.
  public func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage {
    CombinationStage(self, try secondPicture(), edge: device.capabilities.maximumTextureSize, form)
  }
}

private struct CombinationStage<Kernel: CombinationKernel>: ImageStage {
  private let kernel: Kernel
  private let form: KernelForm
  private let second: ImageDescriptor
  /// The second picture in tiles, for each depth: one of 8 bits serves both.
  private let tiles: [SampleDepth: [TiledTexture.Tile]]
  private let renderer = ImageRenderer()

  init(_ kernel: Kernel, _ second: Image, edge: Int, _ form: KernelForm) {
    self.kernel = kernel
    self.form = form
    self.second = second.descriptor
    var tiles = [second.depth: second.tiles(edge: edge)]
    if second.depth == .bits8 { tiles[.bits16] = second.of16Bits.tiles(edge: edge) }
    self.tiles = tiles
  }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.unsupported, "filter '\(Kernel.card.name)'", why: why, remedy: remedy)
    }
    guard tiles[image.depth] != nil else {
      throw refused("its picture has 16 bits a sample, and the frame has 8", "use a picture of 8 bits")
    }
    guard !image.channels.isGray || second.channels.isGray else {
      throw refused("its picture has colors, and the frame is gray", "use a gray picture")
    }
    guard image.channels.hasAlpha || !image.channels.isGray || !second.channels.hasAlpha else {
      throw refused(
        "its picture has alpha, and the frame is gray without alpha",
        "use an opaque picture, or frames with alpha or in color")
    }
    guard !bounds.intersection(Region(size: image.size)).size.isEmpty else {
      throw refused(
        "its picture of \(bounds) lies wholly outside the frame of \(image.size)", "choose a place inside the frame")
    }
    return try kernel.output(of: image)
  }

  private var bounds: Region { Region(x: kernel.place.x, y: kernel.place.y, size: second.size) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for tile in destination.tiles {
      source.encodeCopy(of: tile.region, to: tile.texture, in: buffer)
      for part in tiles[tile.texture.pixelFormat.bytesPerSample == 1 ? .bits8 : .bits16] ?? [] {
        let (size, bounds) = (
          part.region.size, part.region.translated(x: bounds.x - tile.region.x, y: bounds.y - tile.region.y)
        )
        let painted = bounds.intersection(Region(size: tile.region.size))
        guard !painted.size.isEmpty, let scale = PictureScale(from: size, to: size) else { continue }
        renderer.encode(
          RenderPlacement(scale, of: size, holding: Region(size: size), bounds: bounds, painting: painted),
          of: part.texture, to: tile.texture, commandBuffer: buffer, filter: .nearest, blend: kernel.blend, form: form,
          label: Kernel.card.name)
      }
    }
  }
}

extension Image {
  /// Returns the picture in textures of at most `edge` columns and rows.
  fileprivate func tiles(edge: Int) -> [TiledTexture.Tile] {
    Region(size: size).tiles(edge: edge).map { region in
      TiledTexture.Tile(
        region: region,
        texture: Texture(
          size: region.size, pixelFormat: pixelFormat, contents: bytes(of: region), label: "second picture"))
    }
  }

  private func bytes(of region: Region) -> [UInt8] {
    let count = region.size.width * pixelFormat.bytesPerPixel
    let first = region.y * bytesPerRow + region.x * pixelFormat.bytesPerPixel
    var part: [UInt8] = []
    part.reserveCapacity(count * region.size.height)
    for row in 0..<region.size.height {
      let start = first + row * bytesPerRow
      part += bytes[start..<start + count]
    }
    return part
  }

  /// The same picture in 16 bits: v becomes 257 v, which is v of 255 in 65535.
  fileprivate var of16Bits: Image {
    Image(size: size, channels: channels, depth: .bits16, bytes: bytes.flatMap { [$0, $0] })
  }
}
