public import SafelightImage

/// Records dispatches of compute functions; Metal's `MTLComputeCommandEncoder`.
///
/// Barriers between dependent dispatches are derived at replay; there is no call for them.
public final class ComputeCommandEncoder: CommandEncoder {
  package var bindings = Bindings() { didSet { checkThatItIsOpen() } }
  /// True while the earlier contents of the textures to which dispatches store do not matter.
  package var replacesTextures = false
  private var pipeline: ComputePipelineState? { didSet { checkThatItIsOpen() } }
  private var threadgroupMemoryLengths: [Int: Int] = [:] { didSet { checkThatItIsOpen() } }

  /// Sets the function of the dispatches that follow (`glUseProgram`).
  public func setComputePipelineState(_ pipeline: ComputePipelineState) { self.pipeline = pipeline }

  /// Binds a texture, for sampling or storing as the function declares (`glBindTexture`, `glBindImageTexture`).
  public func setTexture(_ texture: Texture, index: Int) { bindings.textures[index] = texture }

  /// Binds a buffer from `offset` on, a multiple of 4 (`glBindBufferRange`).
  ///
  /// A function that adds `safelight_bufferOffsets[index]`, in words, to its indices accepts every such offset. Others
  /// accept multiples of the driver's alignment, which is at most 256.
  public func setBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    bindings.setBuffer(buffer, offset: offset, index: index)
  }

  /// Changes the offset of the buffer bound at `index`.
  public func setBufferOffset(_ offset: Int, index: Int) {
    guard let buffer = bindings.buffers[index] else {
      trap("setBufferOffset(_:index: \(index)): no buffer is bound there; call setBuffer first")
    }
    bindings.setBuffer(buffer, offset: offset, index: index)
  }

  /// Binds a sampler to the texture at the same index (`glBindSampler`).
  public func setSamplerState(_ sampler: SamplerState, index: Int) { bindings.samplers[index] = sampler }

  /// Binds a copy of `value`, laid out as the function's `std140` block; at most 16 KiB.
  public func setBytes(_ value: some BitwiseCopyable, index: Int) { bindings.setBytes(value, index: index) }

  /// Sets the bytes of threadgroup memory at `index` for the dispatches that follow, a multiple of 16 as in Metal; 0
  /// removes it.
  ///
  /// GLSL fixes the size at compile time, so each length compiles a program of its own: `shared uint
  /// cache[THREADGROUP_MEMORY_LENGTH_0 / 4];`
  public func setThreadgroupMemoryLength(_ length: Int, index: Int) {
    trap(
      unless: length >= 0 && length % 16 == 0 && index >= 0,
      "setThreadgroupMemoryLength(\(length), index: \(index)) takes a multiple of 16 bytes; round it up")
    threadgroupMemoryLengths[index] = length == 0 ? nil : length
  }

  /// Runs the function for each thread of a grid of `threads` in `depth` layers; threads outside it are masked
  /// (`glDispatchCompute`). Threadgroups are one thread deep: `gl_GlobalInvocationID.z` is the layer.
  public func dispatchThreads(
    _ threads: Size, depth: Int = 1, threadsPerThreadgroup: Size, fileID: StaticString = #fileID, line: Int = #line
  ) {
    trap(
      unless: !threads.isEmpty && depth > 0,
      "encoder '\(label)' dispatched \(threads) threads in \(depth) layers; at least one is needed")
    dispatch(threads, depth, indirect: nil, threadsPerThreadgroup, Recording.CallSite(fileID, line))
  }

  /// Runs threadgroups whose numbers along x, y and z are three words of `indirectBuffer` from `offset` on, read when
  /// the command runs (`glDispatchComputeIndirect`).
  public func dispatchThreadgroups(
    indirectBuffer: Buffer, indirectBufferOffset offset: Int = 0, threadsPerThreadgroup: Size,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset + 12 <= indirectBuffer.length,
      "an indirect dispatch reads 12 bytes from an offset that is a multiple of 4; \(offset) was given, in "
        + "'\(indirectBuffer.label)' of \(indirectBuffer.length) bytes")
    dispatch(
      Size(0, 0), 1, indirect: Command.Dispatch.Indirect(buffer: indirectBuffer, offset: offset), threadsPerThreadgroup,
      Recording.CallSite(fileID, line))
  }

  private func dispatch(
    _ threads: Size, _ depth: Int, indirect: Command.Dispatch.Indirect?, _ threadsPerThreadgroup: Size,
    _ callSite: Recording.CallSite
  ) {
    guard let pipeline else {
      trap("encoder '\(label)' dispatched without a function; call setComputePipelineState(_:) first")
    }
    trap(
      unless: !threadsPerThreadgroup.isEmpty,
      "encoder '\(label)' dispatched groups of \(threadsPerThreadgroup) threads; at least one is needed")
    bindings.check(pipeline.function)
    let dispatch = Command.Dispatch(
      pipeline: pipeline, bindings: bindings, threads: threads, depth: depth,
      variant: ComputeVariant(
        threadsPerThreadgroup: threadsPerThreadgroup, threadgroupMemoryLengths: threadgroupMemoryLengths),
      indirect: indirect, replacesTextures: replacesTextures)
    if let fault = dispatch.aliasFault { trap("'\(pipeline.function.name)' \(fault)") }
    append(.dispatch(dispatch), at: callSite)
  }

  /// Runs whole threadgroups in `depth` layers (`glDispatchCompute`).
  public func dispatchThreadgroups(
    _ threadgroups: Size, depth: Int = 1, threadsPerThreadgroup: Size, fileID: StaticString = #fileID, line: Int = #line
  ) {
    dispatchThreads(
      Size(threadgroups.width * threadsPerThreadgroup.width, threadgroups.height * threadsPerThreadgroup.height),
      depth: depth, threadsPerThreadgroup: threadsPerThreadgroup, fileID: fileID, line: line)
  }
}

extension Command.Dispatch {
  /// Which texture is both read and stored, which OpenGL ES leaves undefined; nil if none is.
  var aliasFault: String? {
    let arguments = pipeline.function.arguments
    for stored in arguments.compactMap(\.storedTexture) {
      for read in arguments.compactMap(\.readTexture)
      where bindings.textures[stored]?.hazard == bindings.textures[read]?.hazard {
        return "reads and stores '\(bindings.textures[stored]?.label ?? "")'; store into another texture"
      }
    }
    return nil
  }
}
