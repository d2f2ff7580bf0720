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
