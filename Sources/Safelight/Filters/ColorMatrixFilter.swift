internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// A colour matrix as a stage; pictures of grey only where the matrix leaves greys grey.
struct ColorMatrixFilter: ImageFilter {
  private let name: String
  private let kernel: ImageColorMatrix
  private let form: KernelForm
  private let meaning: ColorMeaning

  init(
    _ name: String, device: Device, _ vectors: ColorVectors, form: KernelForm, meaning: @escaping ColorMeaning = { $0 }
  ) {
    self.name = name
    kernel = ImageColorMatrix(device: device, vectors: vectors)
    self.form = form
    self.meaning = meaning
  }

  var isPointwise: Bool { true }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    guard !image.channels.isGray || kernel.keepsGrays else {
      throw SafelightError(
        .unsupported, "filter '\(name)'", why: "it makes colours of greys, and a grey picture holds none",
        remedy: "store the picture as RGB first, or leave the filter out")
    }
  }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try meaning(color) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) {
      kernel.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
