internal import SafelightGLES
internal import SafelightImage

extension Command {
  /// Throws if a device of `capabilities` cannot carry it out; called before either backend, so that both refuse alike.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    switch self {
    case .dispatch(let dispatch): try dispatch.check(capabilities)
    case .draw(let draw): try draw.check(capabilities)
    case .clear(let pass), .store(let pass): try pass.check(capabilities)
    case .upload(let upload): try upload.texture.checkView(capabilities)
    case .copyBufferToTexture(let copy): try copy.texture.checkView(capabilities)
    case .readTexture(let read): try read.texture.checkReadback(capabilities)
    case .copyTextureToBuffer(let copy): try copy.texture.checkReadback(capabilities)
    case .copyTexture(let copy):
      for texture in [copy.source, copy.destination] {
        try texture.checkView(capabilities)
        // Otherwise the copy goes through framebuffers.
        if !capabilities.features.contains(.copyImage) { try texture.checkTarget(capabilities, "be copied") }
      }
    case .generateMipmaps(let texture): try texture.checkMipmaps(capabilities)
    case .writeBuffer, .fillBuffer, .copyBuffer, .readBuffer, .synchronize: break
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: break
    }
  }
}

extension Command.Dispatch {
  fileprivate func check(_ capabilities: Capabilities) throws(SafelightError) {
    let function = pipeline.function
    try variant.check(function, capabilities).check(bindings, of: function.name)
    try [BoundFunction(function: function, bindings: bindings)].checkViews(capabilities)
    try bindings.checkFilters(of: function, capabilities)
    let threadgroups = threads.dividedCovering(threadsPerThreadgroup)
    // Every device accepts this many along an axis (GL_MAX_COMPUTE_WORK_GROUP_COUNT, ES 3.1 table 20.45).
    let layers = depth == 1 ? "" : " in \(depth) layers"
    try ensure(
      max(threadgroups.width, threadgroups.height, depth) <= 65535, .limit, function.name,
      why: "a grid of \(threadgroups) threadgroups\(layers) exceeds 65535 along an axis",
      remedy: "dispatch larger threadgroups, or parts of the grid")
    try BoundFunction(function: function, bindings: bindings).checkImages(capabilities)
  }
}

extension Command.Draw {
  fileprivate func check(_ capabilities: Capabilities) throws(SafelightError) {
    try pass.check(capabilities)
    try pipeline.check(capabilities)
    try checkFormats()
    try checkDepthStencil(capabilities)
    try checkFetches()
    try pipeline.vertexFunction.reflection(nil).check(vertexBindings, of: pipeline.vertexFunction.name)
    try pipeline.fragment.reflection(nil).check(bindings, of: pipeline.fragment.name)
    try functions.checkViews(capabilities)
    for function in functions { try function.checkImages(capabilities) }
    try vertexBindings.checkFilters(of: pipeline.vertexFunction, capabilities)
    try bindings.checkFilters(of: pipeline.fragment, capabilities)
    if case .indexed(_, count: _, let baseVertex) = vertices {
      try ensure(
        baseVertex == 0 || capabilities.features.contains(.baseVertex), .unsupported, pipeline.label,
        why: "this device cannot add a base vertex (\(baseVertex)) to indices",
        remedy: "move the vertex buffer's offset instead, or write other indices")
    }
    for index in pipeline.vertexDescriptor.buffers.keys.sorted() { try checkVertices(index) }
  }

  private func checkFormats() throws(SafelightError) {
    let attachments = pass.colorAttachments
    guard let states = pipeline.colorAttachments else {
      try ensure(
        attachments.count == 1, .usage, pipeline.label,
        why: "a full-screen pipeline writes to one attachment; the pass has \(attachments.count)",
        remedy: "make the pipeline from a RenderPipelineDescriptor")
      return
    }
    try ensure(
      states.count == attachments.count, .usage, pipeline.label,
      why: "it writes to \(states.count) attachments; the pass has \(attachments.count)",
      remedy: "give the pipeline and the pass the same number of attachments")
    for (index, (state, attachment)) in zip(states, attachments).enumerated() {
      let texture = attachment.target
      try ensure(
        state.pixelFormat == texture.pixelFormat, .usage, pipeline.label,
        why:
          "it writes \(state.pixelFormat?.rawValue ?? "nothing") to attachment \(index); '\(texture.label)' is of "
          + "\(texture.pixelFormat.rawValue)",
        remedy: "give the pipeline's attachment the texture's format")
      try checkSamples(texture)
    }
  }

  private func checkSamples(_ texture: Texture) throws(SafelightError) {
    let (drawn, given) = (pipeline.rasterSampleCount, texture.descriptor.sampleCount)
    try ensure(
      drawn == given, .usage, pipeline.label, why: "it draws \(drawn) samples a pixel; '\(texture.label)' has \(given)",
      remedy: "set rasterSampleCount to the texture's sampleCount")
  }

  /// Throws if the buffer at `index` ends before the last vertex, unless a buffer names the vertices (backends check).
  private func checkVertices(_ index: Int) throws(SafelightError) {
    guard let layout = pipeline.vertexDescriptor.buffers[index], let last = lastVertex(layout),
      let given = vertexBindings.vertexLength(index)
    else { return }
    let needed = last * layout.stride + pipeline.vertexDescriptor.extent(ofBuffer: index)
    try ensure(
      needed <= given, .usage, pipeline.label,
      why: "the draw needs \(needed) bytes of vertex buffer \(index); \(given) were given",
      remedy: "bind a longer buffer, or draw fewer vertices or instances")
  }

  private func lastVertex(_ layout: VertexDescriptor.Layout) -> Int? {
    switch (layout.stepFunction, vertices) {
    case (.perVertex, .consecutive(let start, let count)): start + count - 1
    case (.perInstance, .consecutive), (.perInstance, .indexed):
      instances.lowerBound + (instances.count - 1) / layout.stepRate
    default: nil
    }
  }

  /// Throws if the pass's depth and stencil differ from the pipeline's, or need what a device of `capabilities` lacks.
  private func checkDepthStencil(_ capabilities: Capabilities) throws(SafelightError) {
    try checkFormat(pipeline.depthAttachmentPixelFormat, pass.depth, "depth")
    try checkFormat(pipeline.stencilAttachmentPixelFormat, pass.stencil, "stencil")
    let clamp = state.depthBias?.clamp ?? 0
    try ensure(
      clamp == 0 || capabilities.features.contains(.depthBiasClamp), .unsupported, pipeline.label,
      why: "this device cannot clamp a depth bias (to \(clamp))", remedy: "set the depth bias with a clamp of 0")
    try ensure(
      state.depthClipMode != .clamp || capabilities.features.contains(.depthClamp), .unsupported, pipeline.label,
      why: "this device cannot clamp depths beyond the near and far planes",
      remedy: "move the planes apart, or clamp z in the vertex function")
  }

  private func checkFormat(
    _ format: PixelFormat?, _ target: (any DepthStencilAttachment)?, _ noun: String
  ) throws(SafelightError) {
    guard target?.target.pixelFormat == format else {
      let drawn = format.map { "\(noun) of \($0.rawValue)" } ?? "no \(noun)"
      let given = target.map { "'\($0.target.label)' of \($0.target.pixelFormat.rawValue)" } ?? "none"
      throw SafelightError(
        .usage, pipeline.label, why: "it draws \(drawn); the pass has \(given)",
        remedy:
          "make it from a RenderPipelineDescriptor whose \(noun)AttachmentPixelFormat is that of the pass's texture")
    }
    if let target { try checkSamples(target.target) }
  }

  /// Throws if the fragment function reads attachments that the pass lacks, or that have another type.
  private func checkFetches() throws(SafelightError) {
    let fetched = try pipeline.fragment.reflection(nil).fetchedColors
    for (index, type) in fetched.sorted(by: { $0.key < $1.key }) {
      try ensure(
        pass.colorAttachments.indices.contains(index), .usage, pipeline.label,
        why:
          "it reads attachment \(index) by an inout \(type); the number of attachments of the pass is "
          + "\(pass.colorAttachments.count)",
        remedy: "attach a texture there, or declare the color as out")
      let texture = pass.colorAttachments[index].target
      try ensure(
        type.hasPrefix("u") == (texture.pixelFormat.sampleKind == .integer), .usage, pipeline.label,
        why:
          "it reads attachment \(index), '\(texture.label)' of \(texture.pixelFormat.rawValue), by an inout "
          + "\(type), which does not suit that format",
        remedy: type.hasPrefix("u") ? "declare an inout vec4" : "declare an inout uvec4")
      try pipeline.checkFetches(ofSamples: texture.descriptor.sampleCount)
    }
  }
}

extension Bindings {
  /// The number of bytes for attributes at `index`: in the bound bytes, or in a buffer from its offset on.
  func vertexLength(_ index: Int) -> Int? {
    if let bytes = bytes[index] { return bytes.count }
    return buffers[index].map { $0.length - (bufferOffsets[index] ?? 0) }
  }
}

extension RenderPipelineState {
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    try checkBuffers(vertexFunction, "vertex", capabilities.render.vertexStorageBuffers)
    try checkBuffers(fragment, "fragment", capabilities.render.fragmentStorageBuffers)
    try checkImages(vertexFunction, "vertex", 0)
    try checkImages(fragment, "fragment", capabilities.render.fragmentStorageTextures)
    for function in [vertexFunction, fragment] {
      try function.reflection(nil).checkExtensions(capabilities, of: function.name)
    }
    try vertexFunction.reflection(nil).check(vertexDescriptor, of: vertexFunction.name)
    try checkFetches(ofSamples: rasterSampleCount)
    guard let states = colorAttachments else { return }
    for state in states { try state.pixelFormat?.checkSamples(rasterSampleCount, label, capabilities) }
    for (index, state) in states.enumerated() where state.isBlendingEnabled {
      guard let format = state.pixelFormat else { continue }
      try ensure(
        format.sampleKind != .integer, .unsupported, label,
        why: "attachment \(index) of \(format.rawValue) cannot be blended: it holds integers",
        remedy: "use a normalized format, or disable blending")
      let isFloat32 = format.sampleKind == .float && format.bytesPerSample == 4
      try ensure(
        !isFloat32 || capabilities.features.contains(.float32Blending), .unsupported, label,
        why: "this device cannot blend into attachment \(index) of \(format.rawValue)",
        remedy: "use the half-float format")
    }
    let agree = states.allSatisfy { $0.withoutFormat == states[0].withoutFormat }
    try ensure(
      agree || capabilities.features.contains(.independentBlending), .unsupported, label,
      why: "this device blends and masks all attachments of a pass alike",
      remedy: "give all attachments the same blend state and write mask, or draw in several passes")
  }

  private func checkBuffers(_ function: ShaderFunction, _ stage: String, _ limit: Int) throws(SafelightError) {
    let count = function.arguments.count { $0.noun == "buffer" }
    try ensure(
      count <= limit, .limit, function.name,
      why: "this \(stage) function reads \(count) storage buffers; this device allows it \(limit)",
      remedy: "pass the data as bytes, as attributes or in a texture, which work everywhere")
  }

  private func checkImages(_ function: ShaderFunction, _ stage: String, _ limit: Int) throws(SafelightError) {
    let count = function.arguments.count { $0.imageTexture != nil }
    try ensure(
      count <= limit, .limit, function.name,
      why: "this \(stage) function loads from or stores to textures, \(count) of them; this device allows it \(limit)",
      remedy: "read with texelFetch, and write to attachments")
  }

  /// Throws if the fragment function reads pixels of several samples, for each of which it would have to run.
  fileprivate func checkFetches(ofSamples count: Int) throws(SafelightError) {
    try ensure(
      count <= 1 || fragment.fetchedAttachments.isEmpty, .unsupported, label,
      why: "'\(fragment.name)' reads a pixel of the target, but the target has \(count) samples a pixel",
      remedy: "resolve the target first, and draw into the result")
  }
}

extension Texture {
  /// Throws if it is a view that a device of `capabilities` lacks: one of some slices, or in another format or shape.
  func checkView(_ capabilities: Capabilities) throws(SafelightError) {
    guard let parent, !capabilities.features.contains(.textureViews) else { return }
    try parent.checkView(capabilities)
    try ensure(
      pixelFormat == parent.pixelFormat && descriptor.textureType == parent.descriptor.textureType
        && parentSlices == 0..<parent.descriptor.sliceCount(), .unsupported, "texture view '\(label)'",
      why: "this device has no GL_EXT_texture_view",
      remedy: "view whole levels in the texture's own format, or copy to another texture")
  }

  fileprivate func checkReadback(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be read back")
  }

  /// Throws if a device of `capabilities` cannot attach it to a framebuffer, as `what` requires.
  func checkTarget(_ capabilities: Capabilities, _ what: String) throws(SafelightError) {
    try ensure(
      pixelFormat.sampleKind != .float || capabilities.features.contains(.floatRenderTargets), .unsupported,
      "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "float and half-float textures cannot \(what) on this device (no GL_EXT_color_buffer_float)",
      remedy: "use a normalized format, or the device 'cpu'")
  }

  /// Throws if a device cannot make its levels, for which it must draw into and filter the format (ES 3.2 §8.14.4).
  fileprivate func checkMipmaps(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be made into levels")
    let isFloat32 = pixelFormat.sampleKind == .float && pixelFormat.bytesPerSample == 4
    try ensure(
      !isFloat32 || capabilities.features.contains(.linearFloat32), .unsupported,
      "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "making its levels requires filtering 32-bit floats, which this device cannot do",
      remedy: "use the half-float format")
  }
}

/// Draws that no device accepts: encoders trap on them, and captures that contain them are refused.
extension Command.Draw {
  /// Returns why the counts exceed OpenGL's 31 bits or their buffer; nil if they do not.
  static func fault(_ vertices: Vertices, instances: Int, from baseInstance: Int) -> String? {
    let limit = Int(Int32.max)
    if instances < 1 || baseInstance < 0 || baseInstance > limit || instances > limit - baseInstance {
      return "drew \(instances) instances from \(baseInstance); draw at least one, from 0 or above and up to "
        + "number \(limit - 1)"
    }
    switch vertices {
    case .consecutive(let start, let count):
      return refusal(
        unless: count >= 1 && start >= 0 && start <= limit && count <= limit - start,
        "drew \(count) vertices from \(start); start from 0 or above, draw at least one, and up to number \(limit - 1)")
    case .indexed(let indices, let count, let baseVertex):
      if count < 1 || count > limit || baseVertex.magnitude > UInt(limit) {
        return "drew \(count) indices with base vertex \(baseVertex); draw 1 to \(limit), with a base vertex of at "
          + "most as much"
      }
      let needed = indices.offset + count * indices.type.length
      return refusal(
        unless: needed <= indices.buffer.length,
        "drew \(count) indices from byte \(indices.offset) of '\(indices.buffer.label)': \(needed) bytes are needed, "
          + "\(indices.buffer.length) were given")
    case .indirect, .indexedIndirect: return nil
    }
  }

  /// Why it cannot run: a vertex buffer that is not bound, a texture that is read while it is drawn into, which OpenGL
  /// ES leaves undefined, or an index that both functions use differently, as GLSL has one table; nil if it can.
  var bindingFault: String? {
    for index in pipeline.vertexDescriptor.buffers.keys where vertexBindings.vertexLength(index) == nil {
      return "vertex buffer \(index) of '\(pipeline.label)' is not bound; "
        + "call setVertexBuffer(_:offset:index: \(index))"
    }
    let targets = Set(pass.targets.map(\.hazard))
    for texture in [bindings.textures.values, vertexBindings.textures.values].joined()
    where targets.contains(texture.hazard) {
      return "'\(texture.label)' is read while it is drawn into; draw into another texture"
    }
    let (vertex, fragment) = (pipeline.vertexFunction, pipeline.fragment)
    for argument in vertex.arguments
    where fragment.arguments.contains(argument) && !vertexBindings.agrees(with: bindings, on: argument) {
      return "'\(vertex.name)' and '\(fragment.name)' both use \(argument), bound to different things; GLSL has one "
        + "table for both stages: give one of them another index"
    }
    return nil
  }
}

extension Bindings {
  fileprivate func agrees(with other: Bindings, on argument: ShaderArgument) -> Bool {
    func isSameBuffer(_ index: Int) -> Bool {
      buffers[index] === other.buffers[index] && bufferOffsets[index] == other.bufferOffsets[index]
    }
    return switch argument {
    case .sampledTexture(let index), .loadedTexture(let index), .storageTexture(let index),
      .readWriteTexture(let index):
      textures[index] === other.textures[index] && samplers[index] === other.samplers[index]
    case .readBuffer(let index), .storageBuffer(let index): isSameBuffer(index)
    case .bytes(let index): bytes[index] == other.bytes[index] && (bytes[index] != nil || isSameBuffer(index))
    }
  }
}
