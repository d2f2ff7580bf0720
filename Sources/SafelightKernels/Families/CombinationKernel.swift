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
    let second = try secondPicture()
    let edge = device.capabilities.maximumTextureSize
    // A picture of 8 bits serves both depths.
    let pictures = second.depth == .bits8 ? [second, second.of16Bits] : [second]
    let tiles = Dictionary(
      uniqueKeysWithValues: pictures.map {
        ($0.depth, TiledTexture($0, edge: edge, label: "second picture").tiles)
      })
    let bounds = Region(x: place.x, y: place.y, size: second.size)
    let descriptor = second.descriptor
    let renderer = ImageRenderer()
    return KernelStage(
      output: { (image) throws(SafelightError) in
        try check(image, under: descriptor, in: bounds)
        return try output(of: image)
      },
      record: { buffer, source, destination in
        for tile in destination.tiles {
          source.encodeCopy(of: tile.region, to: tile.texture, in: buffer)
          for part in tiles[tile.texture.pixelFormat.depth] ?? [] {
            let size = part.region.size
            let bounds = part.region.translated(x: bounds.x - tile.region.x, y: bounds.y - tile.region.y)
            let painted = bounds.intersection(Region(size: tile.region.size))
            guard !painted.size.isEmpty, let scale = PictureScale(from: size, to: size) else { continue }
            renderer.encode(
              RenderPlacement(scale, of: size, holding: Region(size: size), bounds: bounds, painting: painted),
              of: part.texture, to: tile.texture, commandBuffer: buffer, filter: .nearest, blend: blend, form: form,
              label: Self.card.name)
          }
        }
      })
  }

  /// Checks that the second picture, like `second`, can be laid over `image` in `bounds`.
  private func check(
    _ image: ImageDescriptor, under second: ImageDescriptor, in bounds: Region
  ) throws(SafelightError) {
    try image.check(beside: second, of: Self.card.name)
    try ensure(
      !bounds.intersection(Region(size: image.size)).size.isEmpty, .unsupported, "filter '\(Self.card.name)'",
      why: "its picture of \(bounds) lies wholly outside the frame of \(image.size)",
      remedy: "choose a place inside the frame")
  }
}
