public import SafelightGLES
internal import SafelightImage

extension RenderCommandEncoder {
  /// Draws `vertexCount` corners from number `vertexStart` on, for each instance from `baseInstance` on (`glDrawArraysInstanced`).
  ///
  /// Points and lines are the driver's alone: the CPU executor refuses them.
  public func drawPrimitives(
    _ type: PrimitiveType, vertexStart: Int, vertexCount: Int, instanceCount: Int = 1, baseInstance: Int = 0,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    draw(
      type, .consecutive(start: vertexStart, count: vertexCount), instanceCount, baseInstance,
      Recording.Place(fileID, line))
  }

  /// Draws the corners that `indexCount` indices name (`glDrawElementsInstancedBaseVertex`). Indices beyond the end of a vertex buffer
  /// are an error on the CPU executor and read anything on a GPU.
  ///
  /// In strips the index of all ones begins a new one, as always in Metal. A `baseVertex` other than 0 needs
  /// ``DeviceFeatures/baseVertex``.
  public func drawIndexedPrimitives(
    _ type: PrimitiveType, indexCount: Int, indexType: IndexType, indexBuffer: Buffer, indexBufferOffset: Int = 0,
    instanceCount: Int = 1, baseVertex: Int = 0, baseInstance: Int = 0, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    let indices = indices(indexBuffer, indexType, indexBufferOffset)
    draw(
      type, .indexed(indices, count: indexCount, baseVertex: baseVertex), instanceCount, baseInstance,
      Recording.Place(fileID, line))
  }

  /// Draws as four words of `indirectBuffer` say when the command is carried out: vertex count, instance count, first vertex, and 0
  /// (`glDrawArraysIndirect`). Metal's base instance, the fourth, is not reachable so.
  public func drawPrimitives(
    _ type: PrimitiveType, indirectBuffer: Buffer, indirectBufferOffset: Int = 0,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(indirectBuffer, indirectBufferOffset, words: 4)
    draw(type, .indirect(indirectBuffer, offset: indirectBufferOffset), 1, 0, Recording.Place(fileID, line))
  }

  /// Draws as five words of `indirectBuffer` say when the command is carried out: index count, instance count, first index, base
  /// vertex, and 0 (`glDrawElementsIndirect`). The offset of the index buffer is the first index's.
  public func drawIndexedPrimitives(
    _ type: PrimitiveType, indexType: IndexType, indexBuffer: Buffer, indirectBuffer: Buffer,
    indirectBufferOffset: Int = 0, fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(indirectBuffer, indirectBufferOffset, words: 5)
    let indices = indices(indexBuffer, indexType, 0)
    draw(
      type, .indexedIndirect(indices, indirectBuffer, offset: indirectBufferOffset), 1, 0, Recording.Place(fileID, line)
    )
  }

  private func indices(_ buffer: Buffer, _ type: IndexType, _ offset: Int) -> Command.Draw.Indices {
    trap(
      unless: offset >= 0 && offset % type.length == 0,
      "encoder '\(recorder.label)' drew indices from byte \(offset) of '\(buffer.label)'; use a multiple of \(type.length)"
    )
    return Command.Draw.Indices(buffer: buffer, type: type, offset: offset)
  }

  private func check(_ buffer: Buffer, _ offset: Int, words: Int) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset + 4 * words <= buffer.length,
      "encoder '\(recorder.label)' drew with arguments from byte \(offset) of '\(buffer.label)': a multiple of 4 and "
        + "\(offset + 4 * words) bytes are needed, \(buffer.length) were given")
  }

  private func draw(
    _ type: PrimitiveType, _ vertices: Command.Draw.Vertices, _ instanceCount: Int, _ baseInstance: Int,
    _ place: Recording.Place
  ) {
    if let fault = Command.Draw.fault(vertices, instances: instanceCount, from: baseInstance) {
      trap("encoder '\(recorder.label)' \(fault)")
    }
    guard let pipeline else {
      trap("encoder '\(recorder.label)' drew without functions; call setRenderPipelineState(_:) first")
    }
    vertexBindings.check(pipeline.vertexFunction)
    bindings.check(pipeline.fragment)
    checkVertexBuffers(pipeline)
    checkTargets()
    let draw = Command.Draw(
      pipeline: pipeline, pass: pass, bindings: bindings, vertexBindings: vertexBindings, state: state,
      primitives: type, vertices: vertices, instances: baseInstance..<baseInstance + instanceCount)
    if let fault = draw.tableFault { trap(fault) }
    recorder.append(.draw(draw), at: place)
    // The load actions belong to the pass, not to each draw.
    pass = pass.loaded
  }

  /// Traps where a vertex buffer of the pipeline is not bound.
  private func checkVertexBuffers(_ pipeline: RenderPipelineState) {
    for index in pipeline.vertexDescriptor.layouts.keys {
      trap(
        unless: vertexBindings.vertexLength(index) != nil,
        "vertex buffer \(index) of '\(pipeline.label)' is not bound; call setVertexBuffer(_:offset:index: \(index))")
    }
  }

  /// Traps where a texture is read while it is drawn into, which OpenGL ES leaves undefined.
  private func checkTargets() {
    for texture in [bindings.textures.values, vertexBindings.textures.values].joined() {
      trap(
        unless: !pass.targets.contains { $0.hazard == texture.hazard },
        "encoder '\(recorder.label)' reads '\(texture.label)' while drawing into it; draw into another texture")
    }
  }
}
