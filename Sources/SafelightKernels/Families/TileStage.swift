package import SafelightGPU
package import SafelightImage

/// A stage that makes each pixel from the pixel at its place: tiles need not know of each other.
package struct TileStage: ImageStage {
  /// Throws where the stage is not defined for pictures like one.
  package typealias Check = @Sendable (_ image: ImageDescriptor) throws(SafelightError) -> Void
  /// What samples mean after the stage.
  package typealias Output = @Sendable (_ color: ColorDescription) throws(SafelightError) -> ColorDescription
  /// Records the stage for one tile.
  package typealias Record = @Sendable (_ buffer: CommandBuffer, _ source: Texture, _ destination: Texture) -> Void

  private let checkImage: Check
  private let outputColor: Output
  private let record: Record

  /// Asks `check` what it takes, `output` what it makes, and `record` to record it.
  package init(
    check: @escaping Check, output: @escaping Output = { (color) throws(SafelightError) in color },
    record: @escaping Record
  ) {
    checkImage = check
    outputColor = output
    self.record = record
  }

  /// The stage of `kernel`, which `record` records.
  init(_ kernel: some ImageKernel, record: @escaping Record) {
    self.init(check: kernel.check(_:), output: kernel.output(of:), record: record)
  }

  package var isPointwise: Bool { true }

  package func check(_ image: ImageDescriptor) throws(SafelightError) { try checkImage(image) }

  package func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try outputColor(color) }

  package func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) { record(buffer, from.texture, to.texture) }
  }
}
