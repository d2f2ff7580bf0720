public import SafelightGLES
public import SafelightImage

extension Device: TextureMaker {
  /// Makes a queue of at most `maxCommandBufferCount` uncompleted command buffers, at least one.
  public func makeCommandQueue(label: String = "queue", maxCommandBufferCount: Int = 64) -> CommandQueue {
    CommandQueue(device: self, label: label, maxCommandBufferCount: maxCommandBufferCount)
  }

  // MARK: Resources

  /// Makes a texture of zeros; its first use allocates storage.
  ///
  /// - Throws: ``SafelightError`` if it exceeds the device's limits or needs a feature that the device lacks.
  public func makeTexture(
    _ descriptor: TextureDescriptor, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try check(descriptor, label)
    return Texture(descriptor, label: label, home: thread)
  }

  /// Throws if a texture exceeds the device's limits or needs a feature that it lacks.
  func check(_ descriptor: TextureDescriptor, _ label: String) throws(SafelightError) {
    let limit = capabilities.maximumTextureSize
    try ensure(
      !descriptor.size.isEmpty && descriptor.size.width <= limit && descriptor.size.height <= limit, .limit,
      "texture '\(label)'",
      why: "\(descriptor.size) was asked for; this device takes 1×1 to \(limit)×\(limit)",
      remedy: "cut the picture into tiles (Region.tiles), or use another device")
    if let fault = descriptor.shapeFault { trap("texture '\(label)': \(fault)") }
    // The values that every device takes (ES 3.1 table 20.40): GL_MAX_3D_TEXTURE_SIZE, GL_MAX_ARRAY_TEXTURE_LAYERS,
    // GL_MAX_SAMPLES.
    for (value, limit, what) in [
      (descriptor.depth, 256, "planes"), (descriptor.arrayLength, 256, "images"),
      (descriptor.sampleCount, 4, "samples a pixel"),
    ] where value > limit {
      throw SafelightError(
        .limit, "texture '\(label)'",
        why: "\(value) \(what) were asked for; \(limit) is the most that every device takes",
        remedy: "ask for fewer, or use several textures")
    }
    let format = descriptor.pixelFormat
    let isNormalized16 = format.sampleKind == .normalized && format.bytesPerSample == 2
    try ensure(
      !isNormalized16 || capabilities.features.contains(.normalized16), .unsupported, "texture '\(label)'",
      why: "\(format.rawValue) needs GL_EXT_texture_norm16, which this device lacks",
      remedy: "use r16Uint or rgba16Uint and divide by 65535 in the shader, or r16Float")
    try descriptor.checkSamples(capabilities, label)
  }

  /// Makes a buffer of zeros; its first use allocates storage, the first ``Buffer/contents()`` memory shared with the
  /// process.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if it exceeds the device's.
  public func makeBuffer(
    length: Int, storageMode: StorageMode = .shared, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try checkLength(length, label)
    return Buffer(length: length, label: label, storageMode: storageMode, home: thread)
  }

  /// Makes a shared buffer that holds `bytes`.
  public func makeBuffer(
    bytes: [UInt8], label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try checkLength(bytes.count, label)
    let memory = HostMemory(length: bytes.count)
    unsafe memory.bytes.copyBytes(from: bytes)
    return Buffer(length: bytes.count, label: label, home: thread, memory: memory)
  }

  /// Makes a shared buffer over existing memory: without copies on the CPU, with one at each end of a command buffer on
  /// other devices (see ``Buffer/isZeroCopy``).
  public func makeBuffer(
    bytesNoCopy memory: HostMemory, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try unsafe checkLength(memory.bytes.count, label)
    return unsafe Buffer(length: memory.bytes.count, label: label, home: thread, memory: memory)
  }

  /// Makes a shared buffer over existing memory; Metal's `makeBuffer(bytesNoCopy:length:options:deallocator:)`.
  ///
  /// `bytes` must be whole pages, as ``HostMemory`` allocates, and stay valid until `deallocator` is called: on any
  /// thread, once neither the buffer nor the device needs them.
  public func makeBuffer(
    bytesNoCopy bytes: UnsafeMutableRawBufferPointer, label: String? = nil, fileID: String = #fileID, line: Int = #line,
    deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)? = nil
  ) throws(SafelightError) -> Buffer {
    let page = HostMemory.pageSize
    let address = UInt(bitPattern: bytes.baseAddress)
    unsafe trap(
      unless: bytes.baseAddress != nil && address % UInt(page) == 0 && bytes.count % page == 0,
      "makeBuffer(bytesNoCopy:) takes whole pages of \(page) bytes; \(bytes.count) bytes at "
        + "0x\(String(address, radix: 16)) were given: allocate them with HostMemory(length:)")
    return try makeBuffer(
      bytesNoCopy: unsafe HostMemory(adopting: bytes, deallocator: deallocator), label: label, fileID: fileID,
      line: line)
  }

  func checkLength(_ length: Int, _ label: String) throws(SafelightError) {
    let limit = capabilities.maximumBufferLength
    try ensure(
      length > 0 && length <= limit, .limit, "buffer '\(label)'",
      why: "\(length) bytes were asked for; this device takes 1 to \(limit)",
      remedy: length > limit ? "split the data into several buffers" : "ask for at least 1 byte")
  }

  /// Makes a sampler.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if it needs a feature that the device lacks.
  public func makeSamplerState(
    _ descriptor: SamplerDescriptor, label: String = "sampler"
  ) throws(SafelightError) -> SamplerState {
    try descriptor.check(capabilities.features, label: label)
    return SamplerState(descriptor, label: label)
  }

  // MARK: Synchronization

  /// Makes an event for the queues of this device; Metal's `makeEvent`.
  public func makeEvent(label: String = "event") -> Event { Event(label: label, home: thread) }

  /// Makes an event that the CPU and other devices may also use; Metal's `makeSharedEvent`.
  public func makeSharedEvent(label: String = "shared event") -> SharedEvent { SharedEvent(label: label) }

  /// Joins an event of another process; Metal's `makeSharedEvent(handle:)`.
  public func makeSharedEvent(handle: SharedEventHandle) -> SharedEvent { SharedEvent(handle, label: handle.label) }

  /// Makes a fence for the encoders of this device; Metal's `makeFence`.
  public func makeFence(label: String = "fence") -> Fence { Fence(label: label, home: thread) }

  /// Makes room for at least one time; Metal's `makeCounterSampleBuffer` for the timestamp counter.
  public func makeCounterSampleBuffer(sampleCount: Int, label: String = "timestamps") -> CounterSampleBuffer {
    trap(
      unless: sampleCount > 0,
      "counter sample buffer '\(label)' was to have \(sampleCount) samples; it needs at least one")
    return CounterSampleBuffer(sampleCount: sampleCount, label: label)
  }

  // MARK: Libraries

  /// Returns the kernels of this package that make a pixel of the pixel at its place, and the conversions of Y'CbCr;
  /// Metal's `makeDefaultLibrary`.
  public func makeDefaultLibrary() throws(SafelightError) -> ShaderLibrary { try .builtIn() }

  /// Reads functions from a string; if it has several, a line `#pragma kernel name` begins each.
  public func makeLibrary(
    source: String, options: CompileOptions = CompileOptions()
  ) throws(SafelightError) -> ShaderLibrary {
    try ShaderLibrary(source: source, options: options)
  }

  /// Reads functions from a file, or from the files of a folder that end in `.comp`, `.vert` or `.frag`.
  ///
  /// A function has the name of its file without the extension, unless the file marks functions as a string does.
  public func makeLibrary(
    filepath: String, options: CompileOptions = CompileOptions()
  ) throws(SafelightError) -> ShaderLibrary {
    try ShaderLibrary(filepath: filepath, options: options)
  }

  // MARK: Pipelines

  /// Compiles a compute function ahead of its first dispatch; throws the compiler's errors.
  ///
  /// Blocks until the device has done all earlier work. Other sizes of threadgroups, and other lengths of their memory,
  /// compile at their first dispatch.
  public func makeComputePipelineState(
    _ function: ShaderFunction, threadsPerThreadgroup: Size = Size(8, 8)
  ) throws(SafelightError) -> ComputePipelineState {
    let (pipeline, variant) = try compute(function, threadsPerThreadgroup)
    try thread.prepare(.compute(pipeline, variant))
    return pipeline
  }

  /// Compiles a compute function without blocking the caller's thread, nor the device's if the driver compiles on its
  /// own threads (`GL_KHR_parallel_shader_compile`); throws the compiler's errors.
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

  /// Compiles a compute function and calls `completionHandler` on the device's thread; immediately if the device
  /// refuses the function.
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
    try ensure(
      function.functionType == nil || function.functionType == .kernel, .usage, function.name,
      why: "it is a \(function.functionType?.rawValue ?? "") function, not a kernel",
      remedy: "use it in a render pipeline")
    trap(
      unless: !size.isEmpty,
      "'\(function.name)' was compiled for threadgroups of \(size); they need at least one thread")
    var variant = ComputeVariant(threadsPerThreadgroup: size)
    // Some memory at each index that the function needs, so that it can be compiled ahead.
    for index in try function.reflection(variant).missingThreadgroupMemory {
      variant.threadgroupMemoryLengths[index] = 16
    }
    return (ComputePipelineState(function, capabilities), variant)
  }

  /// Compiles the functions of `descriptor`.
  ///
  /// - Throws: ``SafelightError`` if one is missing or does not compile, or if this device cannot draw with them.
  public func makeRenderPipelineState(
    _ descriptor: RenderPipelineDescriptor
  ) throws(SafelightError) -> RenderPipelineState {
    let pipeline = try RenderPipelineState(descriptor)
    try thread.prepare(.render(pipeline))
    return pipeline
  }

  /// Compiles a fragment function for the full-screen strip; throws the compiler's errors.
  public func makeRenderPipelineState(fullScreen fragment: ShaderFunction) throws(SafelightError) -> RenderPipelineState
  {
    let pipeline = RenderPipelineState(fullScreen: fragment)
    try thread.prepare(.render(pipeline))
    return pipeline
  }
}

extension TextureDescriptor {
  /// The contradiction between fields; nil if there is none.
  var shapeFault: String? {
    let what = "\(textureType.rawValue) of \(size)"
    if !(1...fullLevelCount).contains(mipmapLevelCount) {
      return "\(what) has 1 to \(fullLevelCount) levels; \(mipmapLevelCount) were asked for"
    }
    if depth != 1 && (depth < 1 || textureType != .type3D) { return "\(what) cannot have \(depth) planes" }
    if arrayLength != 1 && (arrayLength < 1 || !textureType.isArray) {
      return "\(what) cannot have \(arrayLength) images"
    }
    if textureType.isMultisample != (sampleCount > 1) || sampleCount < 1 {
      return "\(what) cannot have \(sampleCount) samples a pixel"
    }
    if textureType == .typeCube && size.width != size.height { return "\(what) must be square" }
    if textureType.isMultisample && mipmapLevelCount != 1 { return "\(what) has one level only" }
    if textureType == .type3D && !pixelFormat.isColor { return "\(what) cannot be of \(pixelFormat.rawValue)" }
    if swizzle.count != 4 { return "\(what) needs four channels in its swizzle; \(swizzle.count) were given" }
    return nil
  }
}
