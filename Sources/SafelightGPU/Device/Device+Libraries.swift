public import SafelightImage

extension Device {
  // MARK: Libraries

  /// The kernels of this package (`makeDefaultLibrary`).
  public func makeDefaultLibrary() throws(SafelightError) -> ShaderLibrary { try .builtIn() }

  /// Reads functions from a string; a line `#pragma kernel name` begins each where there are several.
  public func makeLibrary(
    source: String, options: CompileOptions = CompileOptions()
  ) throws(SafelightError) -> ShaderLibrary {
    try ShaderLibrary(source: source, options: options)
  }

  /// Reads functions from a file, or from the files of a folder that end in `.comp`, `.vert` or `.frag`.
  ///
  /// A function has the name of its file without the extension, unless the file marks functions of its own as a string does.
  public func makeLibrary(
    filepath: String, options: CompileOptions = CompileOptions()
  ) throws(SafelightError) -> ShaderLibrary {
    try ShaderLibrary(filepath: filepath, options: options)
  }

  // MARK: Pipelines

  /// Compiles a compute function now, so that the first dispatch meets no delay; throws what the compiler says.
  ///
  /// Blocks until the device has done all earlier work. Other sizes of threadgroups, and other lengths of their memory, compile
  /// at their first dispatch.
  public func makeComputePipelineState(
    _ function: ShaderFunction, threadsPerThreadgroup: Size = Size(8, 8)
  ) throws(SafelightError) -> ComputePipelineState {
    let (pipeline, variant) = try compute(function, threadsPerThreadgroup)
    try thread.prepare(.compute(pipeline, variant))
    return pipeline
  }

  /// Compiles a compute function without blocking the caller's thread, or where the driver has threads for it
  /// (`GL_KHR_parallel_shader_compile`) the device's; throws what the compiler says.
  public func makeComputePipelineState(
    _ function: ShaderFunction, threadsPerThreadgroup: Size = Size(8, 8)
  ) async throws(SafelightError) -> ComputePipelineState {
    let outcome = await withCheckedContinuation { continuation in
      makeComputePipelineState(function, threadsPerThreadgroup: threadsPerThreadgroup) {
        continuation.resume(returning: $0)
      }
    }
    return try outcome.get()
  }

  /// Compiles a compute function and calls `completionHandler`, on the device's thread; at once where the device refuses.
  public func makeComputePipelineState(
    _ function: ShaderFunction, threadsPerThreadgroup: Size = Size(8, 8),
    completionHandler: @escaping @Sendable (Result<ComputePipelineState, SafelightError>) -> Void
  ) {
    do throws(SafelightError) {
      let (pipeline, variant) = try compute(function, threadsPerThreadgroup)
      thread.prepare(.compute(pipeline, variant)) { completionHandler($0.map { pipeline }) }
    } catch {
      completionHandler(.failure(error))
    }
  }

  private func compute(
    _ function: ShaderFunction, _ size: Size
  ) throws(SafelightError) -> (pipeline: ComputePipelineState, variant: ComputeVariant) {
    guard function.functionType == nil || function.functionType == .kernel else {
      throw SafelightError(
        .usage, function.name, why: "it is a \(function.functionType?.rawValue ?? "") function, not a kernel",
        remedy: "use it in a render pipeline")
    }
    trap(
      unless: !size.isEmpty,
      "'\(function.name)' was compiled for threadgroups of \(size); they need at least one thread")
    let variant = try ComputeVariant(threadsPerThreadgroup: size).completed(for: function)
    return (ComputePipelineState(function, capabilities), variant)
  }
}
