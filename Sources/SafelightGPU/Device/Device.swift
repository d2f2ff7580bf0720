internal import Logging
public import SafelightGLES
public import SafelightImage
internal import Synchronization

@_exported public import enum SafelightGLES.BlendFactor
@_exported public import enum SafelightGLES.BlendOperation
@_exported public import struct SafelightGLES.Capabilities
@_exported public import struct SafelightGLES.ColorAttachmentState
@_exported public import struct SafelightGLES.ColorWriteMask
@_exported public import enum SafelightGLES.CompareFunction
@_exported public import enum SafelightGLES.CullMode
@_exported public import class SafelightGLES.DMABuffer
@_exported public import enum SafelightGLES.DRMFormat
@_exported public import struct SafelightGLES.DepthBias
@_exported public import enum SafelightGLES.DepthClipMode
@_exported public import struct SafelightGLES.DepthStencilDescriptor
@_exported public import struct SafelightGLES.DeviceCandidate
@_exported public import struct SafelightGLES.DeviceFeatures
@_exported public import enum SafelightGLES.DevicePlatform
@_exported public import enum SafelightGLES.DevicePriority
@_exported public import enum SafelightGLES.DeviceSelector
@_exported public import enum SafelightGLES.IndexType
@_exported public import enum SafelightGLES.PrimitiveType
@_exported public import struct SafelightGLES.RenderLimits
@_exported public import struct SafelightGLES.SamplerDescriptor
@_exported public import struct SafelightGLES.StencilDescriptor
@_exported public import enum SafelightGLES.StencilOperation
@_exported public import struct SafelightGLES.StencilReferences
@_exported public import struct SafelightGLES.TextureDescriptor
@_exported public import struct SafelightGLES.TextureImage
@_exported public import enum SafelightGLES.VertexFormat
@_exported public import enum SafelightGLES.Winding

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

  let thread: DeviceThread
  let logger: Logger
  /// Whether recordings have to look out for textures over buffers.
  let hasLinearTextures = Atomic<Bool>(false)

  /// What a backend that was started turned out to be.
  typealias Started = (thread: DeviceThread, info: DeviceInfo, capabilities: Capabilities)

  init(_ started: Started, logger: Logger, refusals: [SafelightError] = [], capturingTo sink: (any CaptureSink)?) {
    self.logger = logger
    captureManager = CaptureManager(sink)
    thread = started.thread
    info = started.info
    capabilities = started.capabilities
    self.refusals = refusals
  }

  deinit { thread.close() }

  /// The renderer's name.
  public var name: String { info.name }

  /// Waits for all work and frees everything; command buffers committed later fail.
  public func close() { thread.close() }

  /// What it holds at the moment, after all work committed so far; waits for that. Nothing once closed.
  public var statistics: DeviceStatistics { thread.statistics ?? DeviceStatistics() }

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
    try thread.prepare(.render(pipeline))
    return pipeline
  }

  /// Compiles a fragment function for the full-screen strip now; throws what the compiler says.
  public func makeRenderPipelineState(fullScreen fragment: ShaderFunction) throws(SafelightError) -> RenderPipelineState
  {
    let pipeline = RenderPipelineState(fullScreen: fragment)
    try thread.prepare(.render(pipeline))
    return pipeline
  }

  /// Replays a recording, also one that was made for another device, and waits for it.
  ///
  /// Resources that the recording does not write begin as zeros here, so a recording that is to give the same bytes
  /// everywhere contains its own inputs.
  public func replay(_ recording: Recording) throws(SafelightError) -> ReplayResult { try thread.replay(recording) }

  /// Behaves from now on as if the driver had reported a reset of the GPU: the context and all contents are lost.
  package func simulateContextLoss() { thread.simulateLoss() }

  /// Replays a recording without blocking the caller's thread.
  public func replayed(_ recording: Recording) async throws(SafelightError) -> ReplayResult {
    let outcome = await withCheckedContinuation { continuation in
      thread.replay(recording) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }
}

extension Device {
  /// Makes an event for the queues of this device; Metal's `makeEvent`.
  public func makeEvent(label: String = "event") -> Event { Event(label: label, home: thread) }

  /// Makes an event that the CPU and other devices may use too; Metal's `makeSharedEvent`.
  public func makeSharedEvent(label: String = "shared event") -> SharedEvent { SharedEvent(label: label) }

  /// Joins an event of another process; Metal's `makeSharedEvent(handle:)`.
  public func makeSharedEvent(handle: SharedEventHandle) -> SharedEvent { SharedEvent(handle, label: handle.label) }

  /// Makes a fence for the encoders of this device; Metal's `makeFence`.
  public func makeFence(label: String = "fence") -> Fence { Fence(label: label, home: thread) }

  /// Makes room for `sampleCount` times; Metal's `makeCounterSampleBuffer` for the timestamp counter. At least one.
  public func makeCounterSampleBuffer(sampleCount: Int, label: String = "timestamps") -> CounterSampleBuffer {
    trap(unless: sampleCount > 0, "counter sample buffer '\(label)' of \(sampleCount) samples; ask for one at least")
    return CounterSampleBuffer(sampleCount: sampleCount, label: label)
  }
}

/// What a device holds at a moment; for showing that long work grows nothing.
public struct DeviceStatistics: Hashable, Sendable {
  /// Textures with storage, views included.
  public internal(set) var textures = 0
  /// Buffers with storage, those behind `setBytes` included.
  public internal(set) var buffers = 0
  /// Bytes of that storage.
  public internal(set) var bytes = 0
  /// Compiled programs.
  public internal(set) var programs = 0
  /// Samplers.
  public internal(set) var samplers = 0
  /// Query objects of the device's clock.
  public internal(set) var queries = 0
  /// Command buffers that are held back by events.
  public internal(set) var heldCommandBuffers = 0
  /// Contexts that were made in the place of lost ones.
  public internal(set) var rebuiltContexts = 0
  /// Blocks of memory that were allocated for readbacks and transfers since the device was opened. It stands still once frames use
  /// memory again.
  public internal(set) var transferAllocations = 0
}

// The few facts of the binding that belong to the interface of a device; nothing else of it passes.
