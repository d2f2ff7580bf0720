public import SafelightGLES
public import SafelightImage

/// Records the draws of a pass; Metal's `MTLRenderCommandEncoder`.
///
/// The origin of viewports, scissors and `gl_FragCoord` is the top-left corner, and vertex functions write Metal's clip
/// space. All state ends with the encoder. There is no `setTriangleFillMode`, as OpenGL ES always fills.
///
/// GLSL has one table of bindings for both stages and Metal has two: an index that both functions use must mean the
/// same.
public final class RenderCommandEncoder: CommandEncoder {
  package var bindings = Bindings() { didSet { checkThatItIsOpen() } }
  package var vertexBindings = Bindings() { didSet { checkThatItIsOpen() } }
  var pass: RenderPassDescriptor { didSet { checkThatItIsOpen() } }
  var pipeline: RenderPipelineState? { didSet { checkThatItIsOpen() } }
  package var state = RenderState() {
    didSet {
      checkThatItIsOpen()
      if let fault = state.fault(in: pass) { trap("encoder '\(label)' \(fault)") }
    }
  }

  init(_ buffer: CommandBuffer, _ label: String, _ callSite: Recording.CallSite, pass: RenderPassDescriptor) {
    self.pass = pass
    super.init(buffer, label, callSite)
    state.subpixelBits = device.capabilities.render.subpixelBits
    if let fault = pass.fault(label) { trap(fault) }
  }

  /// Sets the functions of the draws that follow (`glUseProgram`).
  public func setRenderPipelineState(_ pipeline: RenderPipelineState) { self.pipeline = pipeline }

  // MARK: Arguments of the vertex function

  /// Binds a buffer from `offset` on, a multiple of 4: to attributes (`glBindVertexBuffer`) if the pipeline's vertex
  /// descriptor has a layout at `index`, otherwise to the function itself.
  public func setVertexBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    vertexBindings.setBuffer(buffer, offset: offset, index: index)
  }

  /// Binds a copy of `value` in the same way, as the function's `std140` block or as attributes; at most 16 KiB.
  public func setVertexBytes(_ value: some BitwiseCopyable, index: Int) { vertexBindings.setBytes(value, index: index) }

  /// Binds a copy of `values`, one after the other, in place of a buffer at this index; at most 16 KiB.
  public func setVertexBytes<Value: BitwiseCopyable>(_ values: [Value], index: Int) {
    vertexBindings.setBytes(unsafe values.withUnsafeBytes { unsafe Array($0) }, "setVertexBytes", index: index)
  }

  /// Binds a texture to the vertex function (`glBindTexture`).
  public func setVertexTexture(_ texture: Texture, index: Int) { vertexBindings.textures[index] = texture }

  /// Binds a sampler to the vertex function's texture at the same index (`glBindSampler`).
  public func setVertexSamplerState(_ sampler: SamplerState, index: Int) { vertexBindings.samplers[index] = sampler }

  // MARK: Arguments of the fragment function

  /// Binds a texture to the fragment function (`glBindTexture`).
  public func setFragmentTexture(_ texture: Texture, index: Int) { bindings.textures[index] = texture }

  /// Binds a sampler to the fragment function's texture at the same index (`glBindSampler`).
  public func setFragmentSamplerState(_ sampler: SamplerState, index: Int) { bindings.samplers[index] = sampler }

  /// Binds a buffer to the fragment function from `offset` on, a multiple of 4 (`glBindBufferRange`).
  public func setFragmentBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    bindings.setBuffer(buffer, offset: offset, index: index)
  }

  /// Binds a copy of `value`, laid out as the fragment function's `std140` block; at most 16 KiB.
  public func setFragmentBytes(_ value: some BitwiseCopyable, index: Int) { bindings.setBytes(value, index: index) }

  // MARK: Fixed functions

  /// Maps clip space to a rectangle of whole pixels, by default the whole target, and to depths from 0 to 1
  /// (`glViewport`, `glDepthRangef`).
  public func setViewport(_ viewport: Viewport) { state.viewport = viewport }

  /// Limits draws to a rectangle inside the target (`glScissor`).
  public func setScissorRect(_ rect: Region) { state.scissor = rect }

  /// Discards triangles that show one side (`glCullFace`).
  public func setCullMode(_ mode: CullMode) { state.cullMode = mode }

  /// Sets the winding of front faces in the picture, clockwise by default as in Metal (`glFrontFace`).
  public func setFrontFacing(_ winding: Winding) { state.frontFacing = winding }

  /// Sets the color of the blend factors `blendColor` and `blendAlpha` (`glBlendColor`).
  public func setBlendColor(red: Float, green: Float, blue: Float, alpha: Float) {
    state.blendColor = SIMD4(red, green, blue, alpha)
  }

  /// The result of a visibility test; Metal's `MTLVisibilityResultMode` without counts, which OpenGL ES does not have.
  public enum VisibilityResultMode: Hashable, Sendable {
    /// No result.
    case disabled
    /// A 64-bit 1 if any pixel passed, otherwise 0.
    case boolean
  }

  /// Writes one visibility result of all draws that follow to eight bytes of the pass's `visibilityResultBuffer`, from
  /// `offset` on, a multiple of 8 (`glBeginQuery(GL_ANY_SAMPLES_PASSED)`).
  ///
  /// The device waits for each such draw, as OpenGL ES cannot write the result to a buffer itself.
  public func setVisibilityResultMode(
    _ mode: VisibilityResultMode, offset: Int, fileID: StaticString = #fileID, line: Int = #line
  ) {
    state.visibilityOffset = mode == .boolean ? offset : nil
    guard mode == .boolean, let buffer = pass.visibilityResultBuffer else { return }
    append(.fillBuffer(buffer, range: offset..<offset + 8, value: 0), at: Recording.CallSite(fileID, line))
  }

  /// Ends the pass; the encoder records nothing afterwards.
  public override func endEncoding() {
    // The first draw clears; a pass without draws must clear too.
    if pass.clears { append(.clear(pass)) }
    if pass.finishes { append(.store(pass)) }
    super.endEncoding()
  }

  // MARK: Depths and stencils

  /// Sets the depth and stencil tests of the draws that follow; nil, the initial state, means none. A test without its
  /// attachment always passes.
  public func setDepthStencilState(_ depthStencil: DepthStencilState?) { state.depthStencil = depthStencil?.descriptor }

  /// Sets the reference value of both sides, of which the lowest eight bits count; initially 0.
  public func setStencilReferenceValue(_ value: UInt32) { setStencilReferenceValues(front: value, back: value) }

  /// Sets the values that stencils of front and back faces are compared with and replaced by.
  public func setStencilReferenceValues(front: UInt32, back: UInt32) {
    state.stencilReferences = StencilReferences(front: front, back: back)
  }

  /// Adds to the depths of triangles `depthBias` times the smallest difference that the format can hold there, and
  /// `slopeScale` times the difference of depth from pixel to pixel (`glPolygonOffset`). A positive `clamp` is the
  /// maximum of the sum, a negative one its minimum.
  ///
  /// Devices define the smallest difference, so small biases are not exact. A `clamp` other than 0 needs
  /// ``DeviceFeatures/depthBiasClamp``.
  public func setDepthBias(_ depthBias: Float, slopeScale: Float, clamp: Float) {
    state.depthBias = DepthBias(bias: depthBias, slopeScale: slopeScale, clamp: clamp)
  }

  /// Sets the treatment of triangles beyond the near and far planes; `clamp` needs ``DeviceFeatures/depthClamp``.
  public func setDepthClipMode(_ mode: DepthClipMode) { state.depthClipMode = mode }

  // MARK: Draws

  /// Draws `vertexCount` corners from number `vertexStart` on, for each instance from `baseInstance` on
  /// (`glDrawArraysInstanced`).
  ///
  /// The CPU refuses points and lines.
  public func drawPrimitives(
    _ type: PrimitiveType, vertexStart: Int, vertexCount: Int, instanceCount: Int = 1, baseInstance: Int = 0,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    draw(type, .consecutive(start: vertexStart, count: vertexCount), instanceCount, baseInstance, fileID, line)
  }

  /// Draws the corners named by `indexCount` indices (`glDrawElementsInstancedBaseVertex`). An index beyond the end of
  /// a vertex buffer is an error on the CPU and reads undefined values on a GPU.
  ///
  /// In strips, an index with all bits set begins a new strip, as in Metal. A `baseVertex` other than 0 needs
  /// ``DeviceFeatures/baseVertex``.
  public func drawIndexedPrimitives(
    _ type: PrimitiveType, indexCount: Int, indexType: IndexType, indexBuffer: Buffer, indexBufferOffset: Int = 0,
    instanceCount: Int = 1, baseVertex: Int = 0, baseInstance: Int = 0, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    let indices = indices(indexBuffer, indexType, indexBufferOffset)
    draw(type, .indexed(indices, count: indexCount, baseVertex: baseVertex), instanceCount, baseInstance, fileID, line)
  }

  /// Draws with four words of `indirectBuffer`, read when the command runs: vertex count, instance count, first vertex,
  /// and 0 (`glDrawArraysIndirect`). The fourth, Metal's base instance, is not supported.
  public func drawPrimitives(
    _ type: PrimitiveType, indirectBuffer: Buffer, indirectBufferOffset: Int = 0, fileID: StaticString = #fileID,
    line: Int = #line
  ) {
    check(indirectBuffer, indirectBufferOffset, words: 4)
    draw(type, .indirect(indirectBuffer, offset: indirectBufferOffset), 1, 0, fileID, line)
  }

  /// Draws with five words of `indirectBuffer`, read when the command runs: index count, instance count, first index,
  /// base vertex, and 0 (`glDrawElementsIndirect`). Indices begin at byte 0 of `indexBuffer`.
  public func drawIndexedPrimitives(
    _ type: PrimitiveType, indexType: IndexType, indexBuffer: Buffer, indirectBuffer: Buffer,
    indirectBufferOffset: Int = 0, fileID: StaticString = #fileID, line: Int = #line
  ) {
    check(indirectBuffer, indirectBufferOffset, words: 5)
    let vertices = Command.Draw.Vertices.indexedIndirect(
      indices(indexBuffer, indexType, 0), indirectBuffer, offset: indirectBufferOffset)
    draw(type, vertices, 1, 0, fileID, line)
  }

  private func indices(_ buffer: Buffer, _ type: IndexType, _ offset: Int) -> Command.Draw.Indices {
    trap(
      unless: offset >= 0 && offset % type.length == 0,
      "encoder '\(label)' drew indices from byte \(offset) of '\(buffer.label)'; use a multiple of \(type.length)")
    return Command.Draw.Indices(buffer: buffer, type: type, offset: offset)
  }

  private func check(_ buffer: Buffer, _ offset: Int, words: Int) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset + 4 * words <= buffer.length,
      "encoder '\(label)' drew with arguments from byte \(offset) of '\(buffer.label)': it needs an offset that is a "
        + "multiple of 4 and a buffer of \(offset + 4 * words) bytes; \(buffer.length) were given")
  }

  private func draw(
    _ type: PrimitiveType, _ vertices: Command.Draw.Vertices, _ instanceCount: Int, _ baseInstance: Int,
    _ fileID: StaticString, _ line: Int
  ) {
    if let fault = Command.Draw.fault(vertices, instances: instanceCount, from: baseInstance) {
      trap("encoder '\(label)' \(fault)")
    }
    guard let pipeline else { trap("encoder '\(label)' drew without functions; call setRenderPipelineState(_:) first") }
    vertexBindings.check(pipeline.vertexFunction)
    bindings.check(pipeline.fragment)
    let draw = Command.Draw(
      pipeline: pipeline, pass: pass, bindings: bindings, vertexBindings: vertexBindings, state: state,
      primitives: type, vertices: vertices, instances: baseInstance..<baseInstance + instanceCount)
    if let fault = draw.bindingFault { trap("encoder '\(label)': \(fault)") }
    append(.draw(draw), at: Recording.CallSite(fileID, line))
    // The load actions belong to the pass, not to each draw.
    pass = pass.loaded
  }
}
