public import SafelightGLES
public import SafelightImage

/// Records the draws of a pass; Metal's `MTLRenderCommandEncoder`.
///
/// The origin of viewports, scissors and `gl_FragCoord` is the top-left corner, and vertex functions write Metal's clip space. What is
/// set here ends with the encoder. There is no `setTriangleFillMode`: OpenGL ES always fills.
///
/// GLSL has one table of bindings for both stages, where Metal has two: an index that both functions use must mean the same.
public final class RenderCommandEncoder: CommandEncoder {
  package var bindings = Bindings() {
    didSet { recorder.checkThatItIsOpen() }
  }
  package var vertexBindings = Bindings() {
    didSet { recorder.checkThatItIsOpen() }
  }
  var pass: RenderPassDescriptor {
    didSet { recorder.checkThatItIsOpen() }
  }
  var pipeline: RenderPipelineState? {
    didSet { recorder.checkThatItIsOpen() }
  }
  package var state = RenderState() {
    didSet { recorder.checkThatItIsOpen() }
  }

  init(_ recorder: CommandRecorder, pass: RenderPassDescriptor, subpixelBits: Int) {
    self.pass = pass
    super.init(recorder)
    state.subpixelBits = subpixelBits
    pass.check(recorder.label)
  }

  /// Chooses the functions of the draws that follow (`glUseProgram`).
  public func setRenderPipelineState(_ pipeline: RenderPipelineState) { self.pipeline = pipeline }

  // MARK: Arguments of the vertex function

  /// Binds a buffer from `offset` on, a multiple of 4: to attributes (`glBindVertexBuffer`) where the pipeline's vertex descriptor
  /// has a layout at `index`, else to the function itself.
  public func setVertexBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    vertexBindings.bytes[index] = nil
    vertexBindings.setBuffer(buffer, offset: offset, index: index)
  }

  /// Binds a copy of `value` in the same way, as the function's `std140` block or as attributes; at most 16 KiB.
  public func setVertexBytes(_ value: some BitwiseCopyable, index: Int) { vertexBindings.setBytes(value, index: index) }

  /// Binds a copy of `values`, one after the other; at most 16 KiB.
  public func setVertexBytes<Value: BitwiseCopyable>(_ values: [Value], index: Int) {
    let bytes = unsafe values.withUnsafeBytes { unsafe Array($0) }
    trap(
      unless: bytes.count <= Capabilities.minimum.maximumUniformLength,
      "setVertexBytes(_:index: \(index)) takes 16384 bytes; \(bytes.count) were given: use a buffer")
    vertexBindings.bytes[index] = bytes
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

  /// Spreads clip space over a rectangle of whole pixels, by default the whole target, at depths from 0 to 1 (`glViewport`,
  /// `glDepthRangef`).
  public func setViewport(_ viewport: Viewport) {
    trap(
      unless: viewport.region != nil,
      "encoder '\(recorder.label)' set a viewport of \(viewport.width)×\(viewport.height) at (\(viewport.originX), \(viewport.originY)); OpenGL ES takes whole numbers below 2147483648, width and height above 0"
    )
    trap(
      unless: viewport.hasDepths,
      "encoder '\(recorder.label)' set a viewport of depths from \(viewport.znear) to \(viewport.zfar); use numbers from 0 to 1"
    )
    state.viewport = viewport
  }

  /// Lets draws change the pixels of a rectangle inside the target alone (`glScissor`).
  public func setScissorRect(_ rect: Region) {
    trap(
      unless: rect.isInside(pass.size),
      "encoder '\(recorder.label)' set a scissor of \(rect), outside its target of \(pass.size); intersect it first")
    state.scissor = rect
  }

  /// Leaves triangles out that show one side (`glCullFace`).
  public func setCullMode(_ mode: CullMode) { state.cullMode = mode }

  /// Says which way round a front turns in the picture; clockwise by default, as in Metal (`glFrontFace`).
  public func setFrontFacing(_ winding: Winding) { state.frontFacing = winding }

  /// Sets the colour of the blend factors `blendColor` and `blendAlpha` (`glBlendColor`).
  public func setBlendColor(red: Float, green: Float, blue: Float, alpha: Float) {
    state.blendColor = SIMD4(red, green, blue, alpha)
  }

  /// How draws answer whether they can be seen; Metal's `MTLVisibilityResultMode`, without its counts, which OpenGL ES has not.
  public enum VisibilityResultMode: Hashable, Sendable {
    /// Not at all.
    case disabled
    /// With a 64-bit 1 where any pixel passed, else 0.
    case boolean
  }

  /// Has the draws that follow answer together in eight bytes of the pass's `visibilityResultBuffer`, from `offset` on, a multiple of
  /// 8 (`glBeginQuery(GL_ANY_SAMPLES_PASSED)`).
  ///
  /// The device waits for each such draw: OpenGL ES cannot write the answer to a buffer by itself.
  public func setVisibilityResultMode(
    _ mode: VisibilityResultMode, offset: Int,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    guard mode == .boolean else {
      state.visibilityOffset = nil
      return
    }
    guard let buffer = pass.visibilityResultBuffer else {
      trap(
        "encoder '\(recorder.label)' asks what can be seen without a place to write it; set the pass's visibilityResultBuffer"
      )
    }
    trap(
      unless: offset >= 0 && offset % 8 == 0 && offset + 8 <= buffer.length,
      "encoder '\(recorder.label)' asks for visibility at byte \(offset) of '\(buffer.label)' of \(buffer.length) bytes; "
        + "use a multiple of 8 with 8 bytes left")
    recorder.append(.fillBuffer(buffer, range: offset..<offset + 8, value: 0), at: Recording.Place(fileID, line))
    state.visibilityOffset = offset
  }

  /// Ends the pass; the encoder records nothing afterwards.
  public override func endEncoding() {
    // The first draw clears; a pass without one must clear all the same.
    if pass.clears { recorder.append(.clear(pass)) }
    if pass.finishes { recorder.append(.store(pass)) }
    super.endEncoding()
  }
}

extension RenderCommandEncoder {
  /// Chooses the tests of depths and stencils of the draws that follow; nil for none, as at the beginning. Where the pass has no
  /// such attachment, they pass everywhere.
  public func setDepthStencilState(_ depthStencil: DepthStencilState?) { state.depthStencil = depthStencil?.descriptor }

  /// Sets what stencils of both sides are compared with, and replaced by; the lowest eight bits count. 0 at the beginning.
  public func setStencilReferenceValue(_ value: UInt32) { setStencilReferenceValues(front: value, back: value) }

  /// Sets what stencils of fronts and of backs are compared with, and replaced by.
  public func setStencilReferenceValues(front: UInt32, back: UInt32) {
    state.stencilReferences = StencilReferences(front: front, back: back)
  }

  /// Adds to the depths of triangles `depthBias` times the least difference that the format holds there, and `slopeScale` times the
  /// difference of depth from pixel to pixel (`glPolygonOffset`); at most `clamp` where that is positive, at least where negative.
  ///
  /// What the least difference is, devices decide: small biases are not exact. A `clamp` other than 0 needs
  /// ``DeviceFeatures/depthBiasClamp``.
  public func setDepthBias(_ depthBias: Float, slopeScale: Float, clamp: Float) {
    trap(
      unless: depthBias.isFinite && slopeScale.isFinite && clamp.isFinite,
      "encoder '\(recorder.label)' set a depth bias of \(depthBias), \(slopeScale), \(clamp); use finite numbers")
    state.depthBias = DepthBias(bias: depthBias, slopeScale: slopeScale, clamp: clamp)
  }

  /// Says what becomes of triangles beyond the near and far planes; `clamp` needs ``DeviceFeatures/depthClamp``.
  public func setDepthClipMode(_ mode: DepthClipMode) { state.depthClipMode = mode }
}

extension RenderCommandEncoder {
  /// Draws `vertexCount` corners from number `vertexStart` on, for each instance from `baseInstance` on (`glDrawArraysInstanced`).
  ///
  /// Points and lines are the driver's alone: the CPU refuses them.
  public func drawPrimitives(
    _ type: PrimitiveType, vertexStart: Int, vertexCount: Int, instanceCount: Int = 1, baseInstance: Int = 0,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    draw(
      type, .consecutive(start: vertexStart, count: vertexCount), instanceCount, baseInstance,
      Recording.Place(fileID, line))
  }

  /// Draws the corners that `indexCount` indices name (`glDrawElementsInstancedBaseVertex`). Indices beyond the end of a vertex buffer
  /// are an error on the CPU and read anything on a GPU.
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
