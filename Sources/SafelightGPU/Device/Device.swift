internal import Logging
public import SafelightGLES
public import SafelightImage
internal import Synchronization

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

  /// Captures command buffers of this device with everything they need to run again.
  public let captureManager: CaptureManager

  let executor: Executor
  let logger: Logger
  /// Whether recordings have to look out for textures over buffers.
  let hasLinearTextures = Atomic<Bool>(false)

  /// What an executor that was started turned out to be.
  typealias Started = (executor: Executor, info: DeviceInfo, capabilities: Capabilities)

  init(_ started: Started, logger: Logger, refusals: [SafelightError] = [], capturingTo sink: (any CaptureSink)?) {
    self.logger = logger
    captureManager = CaptureManager(sink)
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

  /// What it holds at the moment, after all work committed so far; waits for that. Nothing once closed.
  public var statistics: DeviceStatistics { executor.statistics ?? DeviceStatistics() }

  // MARK: Objects

  /// Makes a queue; at most `maxCommandBufferCount` of its command buffers exist uncompleted at a time, at least one.
  public func makeCommandQueue(label: String = "queue", maxCommandBufferCount: Int = 64) -> CommandQueue {
    CommandQueue(device: self, label: label, maxCommandBufferCount: maxCommandBufferCount)
  }

  /// Compiles the functions of `descriptor` now; throws where one is missing, what the compiler says, and what this device cannot
  /// draw.
  public func makeRenderPipelineState(
    _ descriptor: RenderPipelineDescriptor
  ) throws(SafelightError) -> RenderPipelineState {
    let pipeline = try RenderPipelineState(descriptor)
    try executor.prepare(.render(pipeline))
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

  /// Behaves from now on as if the driver had reported a reset of the GPU: the context and all contents are lost.
  package func simulateContextLoss() { executor.simulateLoss() }

  /// Replays a recording without blocking the caller's thread.
  public func replayed(_ recording: Recording) async throws(SafelightError) -> ReplayResult {
    let outcome = await withCheckedContinuation { continuation in
      executor.replay(recording) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }
}
