public import SafelightImage

/// Records dispatches of compute functions; Metal's `MTLComputeCommandEncoder`.
///
/// Barriers between dependent dispatches are derived at replay; there is none to call.
public final class ComputeCommandEncoder {
  package var bindings = Bindings()
  private let recorder: CommandRecorder
  private var pipeline: ComputePipelineState?

  init(_ recorder: CommandRecorder) { self.recorder = recorder }

  /// Chooses the function of the dispatches that follow (`glUseProgram`).
  public func setComputePipelineState(_ pipeline: ComputePipelineState) { self.pipeline = pipeline }

  /// Binds a texture, sampled or stored as the function's arguments say (`glBindTexture`, `glBindImageTexture`).
  public func setTexture(_ texture: Texture, index: Int) { bindings.textures[index] = texture }

  /// Binds a whole buffer (`glBindBufferBase`); kernels take offsets as bytes of their own.
  public func setBuffer(_ buffer: Buffer, index: Int) { bindings.buffers[index] = buffer }

  /// Binds a copy of `value`, laid out as the function's `std140` block; at most 16 KiB.
  public func setBytes(_ value: some BitwiseCopyable, index: Int) { bindings.setBytes(value, index: index) }

  /// Runs the function once for each thread of a grid of `threads`; threads outside it are masked
  /// (`glDispatchCompute`).
  public func dispatchThreads(_ threads: Size, threadsPerThreadgroup: Size) {
    guard let pipeline else {
      preconditionFailure(
        "encoder '\(recorder.label)' dispatched without a function; call setComputePipelineState(_:) first")
    }
    precondition(
      !threads.isEmpty && !threadsPerThreadgroup.isEmpty,
      "encoder '\(recorder.label)' dispatched \(threads) threads in groups of \(threadsPerThreadgroup); both need at least one"
    )
    bindings.check(pipeline.function)
    checkAliases(pipeline.function)
    recorder.append(
      .dispatch(
        Command.Dispatch(
          pipeline: pipeline, bindings: bindings, threads: threads, threadsPerThreadgroup: threadsPerThreadgroup)))
  }

  /// Traps where a texture is read and stored at once, which OpenGL ES leaves undefined.
  private func checkAliases(_ function: ShaderFunction) {
    for case .storageTexture(let stored) in function.arguments {
      for case .sampledTexture(let sampled) in function.arguments {
        precondition(
          bindings.textures[stored] !== bindings.textures[sampled],
          "'\(function.name)' reads and stores '\(bindings.textures[stored]?.label ?? "")'; store into another texture")
      }
    }
  }

  /// Runs whole threadgroups (`glDispatchCompute`).
  public func dispatchThreadgroups(_ threadgroups: Size, threadsPerThreadgroup: Size) {
    dispatchThreads(
      Size(threadgroups.width * threadsPerThreadgroup.width, threadgroups.height * threadsPerThreadgroup.height),
      threadsPerThreadgroup: threadsPerThreadgroup)
  }

  /// Ends the list; the encoder records nothing afterwards.
  public func endEncoding() { recorder.end() }
}
