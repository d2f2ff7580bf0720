internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// A stage that looks every sample up in a table.
struct LookupFilter: ImageStage {
  private let name: String
  private let kernel: ImageLookup
  private let form: KernelForm
  /// Whether the tables of red, green and blue differ, so that gray would become a color.
  private let makesColors: Bool
  private let meaning: ColorMeaning

  /// A stage with a table a channel, made at the first picture of a depth.
  init(
    _ name: String, device: Device, form: KernelForm, makesColors: Bool,
    meaning: @escaping ColorMeaning = { $0 }, make: @escaping @Sendable (SampleDepth) -> ChannelTables
  ) {
    self.name = name
    self.form = form
    self.makesColors = makesColors
    self.meaning = meaning
    kernel = ImageLookup(device: device, make: make)
  }

  var isPointwise: Bool { true }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    guard makesColors, image.channels.isGray else { return }
    throw SafelightError(
      .unsupported, "filter '\(name)'",
      why: "red, green and blue go different ways in it, and the picture is gray",
      remedy: "give all channels the same setting, or use a picture in color")
  }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try meaning(color) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) {
      kernel.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
