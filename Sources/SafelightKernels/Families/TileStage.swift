internal import SafelightGPU
internal import SafelightImage

/// A kernel that makes each pixel from the pixel at its place, as a stage: tiles need not know of each other.
struct TileStage<Kernel: ImageKernel>: ImageStage {
  /// Records the kernel for one tile.
  typealias Recorder = @Sendable (_ buffer: CommandBuffer, _ source: Texture, _ destination: Texture) -> Void

  private let kernel: Kernel
  private let record: Recorder

  /// Asks `kernel` what it takes and makes, and `record` to record it.
  init(_ kernel: Kernel, _ record: @escaping Recorder) {
    self.kernel = kernel
    self.record = record
  }

  var isPointwise: Bool { true }

  func check(_ image: ImageDescriptor) throws(SafelightError) { try kernel.check(image) }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try kernel.output(of: color) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) { record(buffer, from.texture, to.texture) }
  }
}
