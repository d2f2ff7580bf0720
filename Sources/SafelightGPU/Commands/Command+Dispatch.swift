internal import SafelightGLES
public import SafelightImage

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
      guard !format.isStorable, !capabilities.features.contains(.storageOfAllFormats) else { continue }
      throw format.storageRefusal(of: pipeline.function.name, index)
    }
  }
}
