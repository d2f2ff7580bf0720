internal import SafelightGLES
public import SafelightImage

/// What an encoder asks of the device: a plain value that any backend can replay, print or compare.
public enum Command: Sendable {
  /// Opens a named group.
  case pushDebugGroup(String)
  /// Closes the innermost group.
  case popDebugGroup
  /// Leaves a text for debuggers.
  case insertDebugSignpost(String)
  /// Raises an event's number when everything before it is done.
  case signalEvent(Event, value: UInt64)
  /// Holds the rest of the buffer, and its queue, back until an event's number is reached; fails after `seconds`.
  case waitForEvent(Event, value: UInt64, seconds: Double)
  /// Notes the time at this point.
  case sampleCounters(CounterSampleBuffer, index: Int)
  /// Runs a compute function.
  case dispatch(Dispatch)
  /// Draws into the targets of a pass.
  case draw(Draw)
  /// Fills the targets of a pass that draws nothing.
  case clear(RenderPassDescriptor)
  /// Resolves and lets go of targets at the end of their pass.
  case store(RenderPassDescriptor)
  /// Copies pixels into a texture.
  case upload(Upload)
  /// Copies pixels of a texture into a readback.
  case readTexture(TextureRead)
  /// Copies pixels from texture to texture.
  case copyTexture(TextureCopy)
  /// Copies pixels of a buffer into a texture.
  case copyBufferToTexture(BufferTextureCopy)
  /// Copies pixels of a texture into a buffer.
  case copyTextureToBuffer(BufferTextureCopy)
  /// Makes the smaller levels of a texture from the first.
  case generateMipmaps(Texture)
  /// Writes bytes into a buffer.
  case writeBuffer(Buffer, offset: Int, bytes: [UInt8])
  /// Sets bytes of a buffer to one value.
  case fillBuffer(Buffer, range: Range<Int>, value: UInt8)
  /// Copies bytes from buffer to buffer.
  case copyBuffer(BufferCopy)
  /// Copies bytes of a buffer into a readback.
  case readBuffer(Buffer, range: Range<Int>, into: Readback)
  /// Carries what the device wrote into a managed buffer over to the process, on completion.
  case synchronize(Buffer)
}

extension Command {
  /// A compute function on a grid.
  public struct Dispatch: Sendable {
    /// The function.
    public var pipeline: ComputePipelineState
    /// What it is bound to.
    public var bindings: Bindings
    /// Threads of the grid; those of the last threadgroups outside it are masked.
    public var threads: Size
    /// Layers of the grid, one threadgroup deep each.
    public var depth = 1
    /// What the program is compiled for: threads in a threadgroup, and its memory.
    public var variant: ComputeVariant

    /// Threads in a threadgroup.
    public var threadsPerThreadgroup: Size { variant.threadsPerThreadgroup }
    /// Where the number of threadgroups lies; nil where ``threads`` says it.
    public var indirect: Indirect?

    /// A number of threadgroups in a buffer.
    public struct Indirect: Sendable {
      /// The buffer.
      public var buffer: Buffer
      /// The place of the first of three words.
      public var offset: Int
    }
  }
}

extension Command.Dispatch {
  /// Throws where a device of `capabilities` cannot run it.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    let function = pipeline.function
    try variant.check(function, capabilities).check(bindings, of: function.name)
    try [BoundFunction(function: function, bindings: bindings)].checkViews(capabilities)
    try bindings.checkFilters(of: function, capabilities)
    let threadgroups = threads.dividedCovering(threadsPerThreadgroup)
    // The count that every device takes along an axis (GL_MAX_COMPUTE_WORK_GROUP_COUNT, ES 3.1 table 20.45).
    guard threadgroups.width <= 65535, threadgroups.height <= 65535, depth <= 65535 else {
      let layers = depth == 1 ? "" : " in \(depth) layers"
      throw SafelightError(
        .limit, pipeline.function.name,
        why: "a grid of \(threadgroups) threadgroups\(layers) exceeds 65535 along an axis",
        remedy: "dispatch larger threadgroups, or parts of the grid")
    }
    for index in pipeline.function.arguments.compactMap(\.storedTexture) {
      guard let texture = bindings.textures[index] else { continue }
      // glBindImageTexture takes textures that the driver laid out alone (ES 3.1 §8.22).
      if texture.sharedPlane != nil {
        throw SafelightError(
          .unsupported, pipeline.function.name,
          why: "OpenGL ES 3.1 cannot store to texture \(index), '\(texture.label)', which shows shared memory",
          remedy: "write it in a render pass, or store to another texture and copy")
      }
      guard !texture.isFramebufferOnly else {
        throw SafelightError(
          .unsupported, pipeline.function.name,
          why: "it stores to texture \(index), '\(texture.label)', which is for render passes alone",
          remedy: "set framebufferOnly of the view to false, or draw in a render pass")
      }
      let format = texture.pixelFormat
      guard !format.isStorable, !format.isColor || !capabilities.features.contains(.storageOfAllFormats) else {
        continue
      }
      throw format.storageRefusal(of: pipeline.function.name, index)
    }
  }
}

extension Command {
  /// Throws where a device of `capabilities` cannot carry it out; asked before either backend is, so that both refuse alike.
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
        // Else the copy goes by way of framebuffers.
        if !capabilities.features.contains(.copyImage) { try texture.checkTarget(capabilities, "be copied") }
      }
    case .generateMipmaps(let texture): try texture.checkMipmaps(capabilities)
    case .writeBuffer, .fillBuffer, .copyBuffer, .readBuffer, .synchronize: break
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost, .signalEvent, .waitForEvent, .sampleCounters: break
    }
  }
}

extension Texture {
  /// Throws where it is a view that a device of `capabilities` does not have: one of some slices, or in another format or shape.
  func checkView(_ capabilities: Capabilities) throws(SafelightError) {
    guard let parent, !capabilities.features.contains(.textureViews) else { return }
    try parent.checkView(capabilities)
    guard
      pixelFormat == parent.pixelFormat, descriptor.textureType == parent.descriptor.textureType,
      parentSlices == 0..<parent.descriptor.sliceCount()
    else {
      throw SafelightError(
        .unsupported, "texture view '\(label)'", why: "this device has no GL_EXT_texture_view",
        remedy: "view whole levels in the texture's own format, or copy")
    }
  }

  /// Throws where a device of `capabilities` cannot read it back.
  fileprivate func checkReadback(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be read back")
  }

  /// Throws where a device of `capabilities` cannot attach it to a framebuffer, without which it cannot do `what`.
  func checkTarget(_ capabilities: Capabilities, _ what: String) throws(SafelightError) {
    guard pixelFormat.sampleKind == .float, !capabilities.features.contains(.floatRenderTargets) else { return }
    throw SafelightError(
      .unsupported, "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "halves and floats cannot \(what) on this device (no GL_EXT_color_buffer_float)",
      remedy: "store into an integer format, or use the device cpu")
  }

  /// Throws where a device of `capabilities` cannot make its levels: the format must be one that it draws into and filters (ES 3.2 §8.14.4).
  fileprivate func checkMipmaps(_ capabilities: Capabilities) throws(SafelightError) {
    try checkView(capabilities)
    try checkTarget(capabilities, "be made into levels")
    let isFloat32 = pixelFormat.sampleKind == .float && pixelFormat.bytesPerSample == 4
    guard isFloat32, !capabilities.features.contains(.linearFloat32) else { return }
    throw SafelightError(
      .unsupported, "texture '\(label)' of \(pixelFormat.rawValue)",
      why: "this device cannot filter 32-bit floats, of which levels are made", remedy: "use the format of halves")
  }
}

extension Command.Draw {
  /// The attachments whose pixels the fragment function reads (`GL_EXT_shader_framebuffer_fetch`).
  var fetchedAttachments: Set<Int> { pipeline.fragment.fetchedAttachments }

  /// Throws where the fragment function reads pixels that the pass has not, or has otherwise.
  func checkFetches() throws(SafelightError) {
    let fetched = try pipeline.fragment.reflection(nil).fetchedColors
    for (index, type) in fetched.sorted(by: { $0.key < $1.key }) {
      guard pass.colorAttachments.indices.contains(index) else {
        throw SafelightError(
          .usage, pipeline.label,
          why: "it reads attachment \(index) by an inout \(type); the pass has \(pass.colorAttachments.count)",
          remedy: "attach a texture there, or declare the colour as out")
      }
      let texture = pass.colorAttachments[index].texture
      guard type.hasPrefix("u") == (texture.pixelFormat.sampleKind == .integer) else {
        throw SafelightError(
          .usage, pipeline.label,
          why:
            "it reads attachment \(index), '\(texture.label)' of \(texture.pixelFormat.rawValue), by an inout \(type)",
          remedy: type.hasPrefix("u") ? "declare an inout vec4" : "declare an inout uvec4")
      }
      try pipeline.checkFetches(ofSamples: texture.descriptor.sampleCount)
    }
  }
}

extension RenderPipelineState {
  /// Throws where the fragment function reads pixels of several samples: it would have to run for each of them.
  func checkFetches(ofSamples count: Int) throws(SafelightError) {
    guard count > 1, !fragment.fetchedAttachments.isEmpty else { return }
    throw SafelightError(
      .unsupported, label, why: "'\(fragment.name)' reads the target's pixel, of which there are \(count) samples",
      remedy: "resolve the target first, and draw into the result")
  }
}
