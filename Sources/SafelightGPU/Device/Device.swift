public import SafelightGLES
public import SafelightImage

/// Something that runs command buffers: a GPU, a software renderer or the Swift twins; Metal's `MTLDevice`.
///
/// Safe to use from any thread. Closed by ``close()`` or with its last reference.
public final class Device: Sendable {
  /// What it is.
  public let info: DeviceInfo
  /// What it can do.
  public let capabilities: Capabilities

  /// Why candidates before this one were not taken; empty where the first was.
  public let refusals: [SafelightError]

  let executor: Executor

  /// What an executor that was started turned out to be.
  typealias Started = (executor: Executor, info: DeviceInfo, capabilities: Capabilities)

  init(_ started: Started, refusals: [SafelightError] = []) {
    executor = started.executor
    info = started.info
    capabilities = started.capabilities
    self.refusals = refusals
  }

  deinit { executor.close() }

  /// The renderer's name.
  public var name: String { info.name }

  /// Waits for all work and frees everything; command buffers committed later fail.
  public func close() { executor.close() }

  // MARK: Objects

  /// Makes a queue.
  public func makeCommandQueue(label: String = "queue") -> CommandQueue { CommandQueue(device: self, label: label) }

  /// Makes a texture of zeros; throws when it exceeds the device's limit. Storage is made at its first use.
  public func makeTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    let limit = capabilities.maximumTextureSize
    guard !size.isEmpty, size.width <= limit, size.height <= limit else {
      throw SafelightError(
        .limit, "texture '\(label)'", why: "\(size) was asked for; this device takes 1×1 to \(limit)×\(limit)",
        remedy: "cut the picture into tiles (Region.tiles), or use another device")
    }
    return Texture(size: size, pixelFormat: pixelFormat, label: label)
  }

  /// Makes a buffer of zeros; throws when it exceeds the device's limit. Storage is made at its first use.
  public func makeBuffer(
    length: Int, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    let limit = capabilities.maximumBufferLength
    guard length > 0, length <= limit else {
      throw SafelightError(
        .limit, "buffer '\(label)'", why: "\(length) bytes were asked for; this device takes 1 to \(limit)",
        remedy: "split the data")
    }
    return Buffer(length: length, label: label)
  }

  /// Compiles a compute function now, so that the first dispatch meets no delay; throws what the compiler says.
  public func makeComputePipelineState(
    _ function: ShaderFunction, threadsPerThreadgroup: Size = Size(8, 8)
  ) throws(SafelightError) -> ComputePipelineState {
    let pipeline = ComputePipelineState(function)
    try executor.prepare(.compute(pipeline, threadsPerThreadgroup: threadsPerThreadgroup))
    return pipeline
  }

  /// Compiles a fragment function for the full-screen strip now; throws what the compiler says.
  public func makeRenderPipelineState(fullScreen fragment: ShaderFunction) throws(SafelightError) -> RenderPipelineState
  {
    let pipeline = RenderPipelineState(fullScreen: fragment)
    try executor.prepare(.render(pipeline))
    return pipeline
  }

  /// Replays a recording, also one that was made for another device, and waits for it.
  ///
  /// Resources that the recording does not write begin as zeros here, so a recording that is to give the same bytes
  /// everywhere contains its own inputs.
  public func replay(_ recording: Recording) throws(SafelightError) -> ReplayResult { try executor.replay(recording) }

  /// Replays a recording without blocking the caller's thread.
  public func replayed(_ recording: Recording) async throws(SafelightError) -> ReplayResult {
    let outcome = await withCheckedContinuation { continuation in
      let refusal = executor.replay(recording) { continuation.resume(returning: $0) }
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    return try outcome.get()
  }
}
