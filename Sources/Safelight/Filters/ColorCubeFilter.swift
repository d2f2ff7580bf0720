internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// A stage that looks colors up in a cube.
struct ColorCubeFilter: ImageStage {
  let kernel: ImageColorCube
  let form: KernelForm

  var isPointwise: Bool { true }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    guard image.channels.isGray else { return }
    throw SafelightError(
      .unsupported, "filter 'lut'", why: "its cube makes colors of colors, and the picture is gray",
      remedy: "use a table of one dimension, or a picture in color")
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) {
      kernel.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
