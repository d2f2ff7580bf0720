internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `clahe`: the grid of tiles lies over the whole picture, also where that is larger than a texture.
struct ContrastLimitedFilter: ImageStage {
  private let kernel: ImageContrastLimitedEqualization
  private let form: KernelForm

  init(_ kernel: ImageContrastLimitedEqualization, form: KernelForm) {
    self.kernel = kernel
    self.form = form
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    let limit = ImageContrastLimitedEqualization.maximumTileCount(image.depth)
    if kernel.columns * kernel.rows <= limit { return }
    throw SafelightError(
      .limit, "clahe of \(kernel.columns)×\(kernel.rows) tiles",
      why: "a picture of \(image.depth.rawValue) bits takes \(limit) tiles, since each has a table of 65536 entries",
      remedy: "use fewer columns or rows, such as 8 and 8")
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    let parts = zip(source.tiles, destination.tiles).map { from, to in
      ImageContrastLimitedEqualization.Part(region: from.region, source: from.texture, destination: to.texture)
    }
    kernel.encode(to: buffer, parts: parts, of: source.size, form: form)
  }
}
