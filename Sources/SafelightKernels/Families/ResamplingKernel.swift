public import SafelightGPU
public import SafelightImage

/// A kernel that scales a picture: each pixel is made from a rectangle around its place in the source.
///
/// The family has both forms on a device, cuts pictures that are larger than a texture, and checks the scale.
/// ``ImageRenderer`` is its function and its twin.
public protocol ResamplingKernel: ImageKernel {
  /// Returns the filter by which a picture of `source` becomes one of `made`.
  func filter(from source: Size, to made: Size) -> ImageRenderer.Filter
}

extension ResamplingKernel {
  /// The formats of ``ImageRenderer``.
  public static var formats: [PixelFormat] { ImageRenderer.formats }

  /// Checks that 32-bit arithmetic and a texture of any device suffice for the scale.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let made = output(of: image.size)
    let scaling = "\(Self.card.name) of \(image.size) to \(made)"
    try ensure(
      made.width <= 1 << 16 && made.height <= 1 << 16 && made.area <= 1 << 29, .limit, scaling,
      why: "a result has at most 65536 columns and rows and \(1 << 29) pixels", remedy: "choose a smaller size")
    // Every device has textures of 2048 columns and rows (OpenGL ES 3.1, table 20.40), of which a border takes some.
    try ensure(
      image.size.width / made.width < 2000 && image.size.height / made.height < 2000, .limit, scaling,
      why: "it would join 2000 or more columns or rows into one", remedy: "scale in two steps")
    try ensure(
      PictureScale(from: image.size, to: made) != nil, .limit, scaling,
      why: "the ratio of the two sizes is beyond 32-bit arithmetic",
      remedy: "choose a size in a simpler ratio to the picture's, such as a half")
  }

  /// The kernel, by parts.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    let renderer = ImageRenderer()
    return KernelStage(rescales: true, output: output) { buffer, source, destination in
      guard let scale = PictureScale(from: source.size, to: destination.size) else {
        trap("\(Self.card.name) was asked for \(source.size) to \(destination.size), which it refuses")
      }
      let filter = self.filter(from: source.size, to: destination.size)
      for tile in destination.tiles {
        for part in source.parts(of: tile.region, destination.size) {
          let needed = scale.source(of: part, in: source.size, filter: filter)
          let held = source.texture(holding: needed, in: buffer)
          let placement = RenderPlacement(
            scale, of: source.size, holding: held.region,
            bounds: Region(size: destination.size).translated(x: -tile.region.x, y: -tile.region.y),
            painting: part.translated(x: -tile.region.x, y: -tile.region.y))
          renderer.encode(
            placement, of: held.texture, to: tile.texture, commandBuffer: buffer, filter: filter, form: form,
            label: Self.card.name)
        }
      }
    }
  }

  /// Records the scaling of all of `source` to all of `destination`, two textures of one format and of any sizes.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` for a scale beyond 32-bit arithmetic.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic
  ) throws(SafelightError) {
    try ImageRenderer().render(
      source, to: destination, commandBuffer: buffer, bounds: Region(size: destination.size),
      filter: filter(from: source.size, to: destination.size), form: form, label: Self.card.name)
  }
}

extension TiledTexture {
  /// Cuts a tile of a result of the size `made` so that the source of each part, this picture, fits a texture.
  fileprivate func parts(of tile: Region, _ made: Size) -> [Region] {
    if tiles.count == 1 { return [tile] }
    func most(_ from: Int, _ to: Int) -> Int { max(1, (edge - 4) * to / max(from, to)) }
    return tile.tiles(width: most(size.width, made.width), height: most(size.height, made.height))
  }

  /// Returns a texture that holds a region of the picture: a tile, or a copy, which is recorded.
  fileprivate func texture(holding region: Region, in buffer: CommandBuffer) -> Tile {
    if let tile = tiles.first(where: { $0.region.intersection(region) == region }) { return tile }
    let part = Texture(size: region.size, pixelFormat: pixelFormat, label: "part of the picture")
    encodeCopy(of: region, to: part, in: buffer)
    return Tile(region: region, texture: part)
  }
}
