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
    /// Threads in a threadgroup.
    public var threadsPerThreadgroup: Size
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
  /// Throws where a device of `capabilities` cannot run it; asked by both executors, so that they refuse alike.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    try pipeline.check(threadsPerThreadgroup, capabilities)
    let threadgroups = threads.dividedCovering(threadsPerThreadgroup)
    // The count that every device takes along an axis (GL_MAX_COMPUTE_WORK_GROUP_COUNT, ES 3.1 table 20.45).
    guard threadgroups.width <= 65535, threadgroups.height <= 65535 else {
      throw SafelightError(
        .limit, pipeline.function.name, why: "a grid of \(threadgroups) threadgroups exceeds 65535 along an axis",
        remedy: "dispatch larger threadgroups, or parts of the grid")
    }
    try checkCounts(capabilities)
    for case .storageTexture(let index) in pipeline.function.arguments {
      guard let texture = bindings.textures[index] else { continue }
      // glBindImageTexture takes textures that the driver laid out alone (ES 3.1 §8.22).
      if texture.sharedPlane != nil {
        throw SafelightError(
          .unsupported, pipeline.function.name,
          why: "OpenGL ES 3.1 cannot store to texture \(index), '\(texture.label)', which shows shared memory",
          remedy: "write it in a render pass, or store to another texture and copy")
      }
      let format = texture.pixelFormat
      guard !format.isStorable else { continue }
      throw SafelightError(
        .unsupported, pipeline.function.name,
        why: "OpenGL ES 3.1 cannot store to texture \(index) of \(format.rawValue)", remedy: "write it in a render pass"
      )
    }
  }
}

extension Command.Dispatch {
  /// Throws where the function has more bindings than the device.
  private func checkCounts(_ capabilities: Capabilities) throws(SafelightError) {
    var (buffers, textures) = (0, 0)
    for argument in pipeline.function.arguments {
      switch argument {
      case .readBuffer, .storageBuffer: buffers += 1
      case .storageTexture: textures += 1
      case .sampledTexture, .bytes: break
      }
    }
    for (count, limit, what) in [
      (buffers, capabilities.maximumStorageBuffers, "storage buffers"),
      (textures, capabilities.maximumStorageTextures, "storage textures"),
    ] where count > limit {
      throw SafelightError(
        .limit, pipeline.function.name, why: "it has \(count) \(what); this device takes \(limit)",
        remedy: "split the function, or join its \(what)")
    }
  }
}

extension ComputePipelineState {
  /// Throws where a device of `capabilities` has no threadgroups of `size`.
  func check(_ size: Size, _ capabilities: Capabilities) throws(SafelightError) {
    guard
      size.area > capabilities.maximumThreadsPerThreadgroup || size.width > capabilities.maximumThreadgroupWidth
        || size.height > capabilities.maximumThreadgroupHeight
    else { return }
    throw SafelightError(
      .limit, function.name,
      why: "a threadgroup of \(size) exceeds this device's \(capabilities.maximumThreadsPerThreadgroup)",
      remedy: "dispatch smaller threadgroups; 128 threads work everywhere")
  }
}
