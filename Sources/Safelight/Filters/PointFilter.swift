internal import SafelightGPU
internal import SafelightImage

/// A stage that makes each pixel from the pixel at its place, so that tiles need not know of each other.
struct PointFilter: ImageFilter {
  private let meaning: ColorMeaning
  private let kernel: @Sendable (_ buffer: CommandBuffer, _ source: Texture, _ destination: Texture) -> Void

  /// `kernel` records the stage for one tile; `meaning` tells what samples mean after it.
  init(
    meaning: @escaping ColorMeaning = { $0 },
    _ kernel: @escaping @Sendable (_ buffer: CommandBuffer, _ source: Texture, _ destination: Texture) -> Void
  ) {
    self.meaning = meaning
    self.kernel = kernel
  }

  var isPointwise: Bool { true }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try meaning(color) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) { kernel(buffer, from.texture, to.texture) }
  }
}
