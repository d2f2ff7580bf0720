/// Records draws into one texture; Metal's `MTLRenderCommandEncoder`.
public final class RenderCommandEncoder: CommandEncoder {
  /// The shapes that can be drawn.
  public enum PrimitiveType: Hashable, Sendable {
    /// Each corner after the second makes a triangle with the two before it.
    case triangleStrip
  }

  package var bindings = Bindings()
  private var pass: RenderPassDescriptor
  private var pipeline: RenderPipelineState?

  init(_ recorder: CommandRecorder, pass: RenderPassDescriptor) {
    self.pass = pass
    super.init(recorder)
  }

  /// Chooses the functions of the draws that follow (`glUseProgram`).
  public func setRenderPipelineState(_ pipeline: RenderPipelineState) { self.pipeline = pipeline }

  /// Binds a texture to the fragment function (`glBindTexture`).
  public func setFragmentTexture(_ texture: Texture, index: Int) { bindings.textures[index] = texture }

  /// Binds a copy of `value`, laid out as the fragment function's `std140` block; at most 16 KiB.
  public func setFragmentBytes(_ value: some BitwiseCopyable, index: Int) { bindings.setBytes(value, index: index) }

  /// Draws `vertexCount` corners from number `vertexStart` on (`glDrawArrays`).
  public func drawPrimitives(
    _ type: PrimitiveType, vertexStart: Int, vertexCount: Int, fileID: StaticString = #fileID, line: Int = #line
  ) {
    guard let pipeline else {
      preconditionFailure("encoder '\(recorder.label)' drew without functions; call setRenderPipelineState(_:) first")
    }
    bindings.check(pipeline.fragment)
    for texture in bindings.textures.values {
      precondition(
        texture !== pass.texture,
        "encoder '\(recorder.label)' reads '\(texture.label)' while drawing into it; draw into another texture")
    }
    recorder.append(
      .draw(
        Command.Draw(
          pipeline: pipeline, bindings: bindings, pass: pass, vertexStart: vertexStart, vertexCount: vertexCount)),
      at: Recording.Place(fileID, line))
    // The load action belongs to the pass, not to each draw.
    pass.loadAction = .load
  }

  /// Ends the pass; the encoder records nothing afterwards.
  public override func endEncoding() {
    // The first draw clears; a pass without one must clear all the same.
    if case .clear = pass.loadAction { recorder.append(.clear(pass)) }
    super.endEncoding()
  }
}
