package import SafelightGPU
package import SafelightImage

/// A stage that makes each pixel from the pixel at its place: tiles need not know of each other.
package struct TileStage: ImageStage {
  /// What becomes of pictures like one; throws where the stage is not defined for them.
  package typealias Output = @Sendable (_ image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor
  /// Records the stage for one tile.
  package typealias Record = @Sendable (_ buffer: CommandBuffer, _ source: Texture, _ destination: Texture) -> Void

  private let output: Output
  private let record: Record

  /// Asks `output` what it takes, and `record` to record it.
  package init(output: @escaping Output, record: @escaping Record) {
    self.output = output
    self.record = record
  }

  /// The stage of `kernel`, which `record` records.
  init(_ kernel: some ImageKernel, record: @escaping Record) {
    self.init(output: { (image) throws(SafelightError) in try kernel.output(of: image) }, record: record)
  }

  package var reach: StageReach { .pixel }

  package func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor { try output(image) }

  package func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) { record(buffer, from.texture, to.texture) }
  }
}
