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

/// A GPU, a software renderer or the CPU's Swift twins, which run command buffers; Metal's `MTLDevice`.
///
/// Safe to use from any thread. Closed by ``close()`` or with its last reference.
public final class Device: Sendable {
  /// The device's names and kind.
  public let info: DeviceInfo
  /// The device's limits and features.
  public let capabilities: Capabilities
  /// The reasons why earlier candidates were refused; empty if there were none.
  public let refusals: [SafelightError]
  /// Captures command buffers of this device with everything that they need to run again.
  public let captureManager: CaptureManager

  let thread: DeviceThread
  let logger: Logger
  /// True if recordings have to check for textures over buffers.
  let hasLinearTextures = Atomic<Bool>(false)

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

  /// Waits for all work and frees everything; later command buffers fail.
  public func close() { thread.close() }

  /// The resources held after all work committed so far, for which it waits; none once closed.
  public var statistics: DeviceStatistics { thread.statistics ?? DeviceStatistics() }

  /// Replays a recording of this or another device, and waits for it.
  ///
  /// Another device's resources begin as zeros here, so a recording gives the same bytes everywhere only if it contains
  /// its own inputs.
  public func replay(_ recording: Recording) throws(SafelightError) -> ReplayResult { try thread.replay(recording) }

  /// Simulates a reset of the GPU: the context and all contents are lost.
  package func simulateContextLoss() { thread.simulateLoss() }

  /// Replays a recording without blocking the caller's thread.
  public func replayed(_ recording: Recording) async throws(SafelightError) -> ReplayResult {
    let outcome = await withCheckedContinuation { continuation in
      thread.replay(recording) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }
}

/// A device's names and kind.
public struct DeviceInfo: Hashable, Sendable {
  /// The renderer's name, such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
  public let name: String
  /// The driver and its version, such as `OpenGL ES 3.2 Mesa 22.3.6`.
  public let driver: String
  /// The driver's vendor.
  public let vendor: String
  /// The EGL platform that reached it; nil for the CPU.
  public let platform: DevicePlatform?
  /// Its number in `safelight devices`; nil for the CPU.
  public let index: Int?
  /// Its DRM node, if any.
  public let node: String?
  /// A number that is the same in every process until the machine restarts; Metal's `registryID`. 0 for a software
  /// renderer without a node and for the CPU.
  public let registryID: UInt64
  /// True for renderers that run on the CPU.
  public let isSoftware: Bool
  /// True for the Swift twins.
  public let isCPU: Bool
  /// The priority of its work, as reported by the driver; `medium` if it reports none.
  public let priority: DevicePriority

  /// The names of the driver workarounds in force; the source describes the symptom and test of each under its name.
  public var workarounds: [String] {
    var names: [String] = []
    if isLlvmpipe { names += ["loop limit", "one llvmpipe context at a time"] }
    if fetchesSlowly { names.append("slow fetches") }
    if isSoftware && !isCPU && node != nil { names.append("unmappable imports") }
    if isSoftware && name.contains("zink") { names.append("lavapipe imports") }
    if miscountsInOwnArrays { names += ["own arrays", "late drawing"] }
    if driver.contains("Mesa") { names.append("subpixel bits") }
    return names
  }

  /// True if buffers shared with the process need no copy.
  var worksInHostMemory: Bool { isCPU }

  var isLlvmpipe: Bool { name.lowercased().contains("llvmpipe") }

  /// Driver workaround "slow fetches": passes load their textures as images.
  ///
  /// Symptom: `texelFetch` works out an address for each lane as if each read a mipmap level of its own, and a look-up
  /// takes 1.4 times as long. Driver: llvmpipe, Mesa 22.3.6. Test: SlowFetchDeviceTests. Remove it once llvmpipe of
  /// every supported Mesa fetches as fast as it loads.
  package var fetchesSlowly: Bool { name.hasPrefix("llvmpipe") }

  /// Driver workaround "own arrays": shaders may not count in an array private to a lane.
  ///
  /// Symptom: `++counts[i]` with an index that differs by lane counts in the wrong places. Driver: softpipe, Mesa
  /// 22.3.6. Test: MatrixTests.softpipeCountsHistograms. Remove it once softpipe of every supported Mesa counts right.
  package var miscountsInOwnArrays: Bool { name == "softpipe" }

  static let cpu = DeviceInfo(
    name: "CPU", driver: "Swift twins", vendor: "Safelight", platform: nil, index: nil, node: nil, registryID: 0,
    isSoftware: true, isCPU: true, priority: .medium)
}

/// The resources that a device holds at a moment; they show whether long work grows.
public struct DeviceStatistics: Hashable, Sendable {
  /// Textures with storage, including views.
  public internal(set) var textures = 0
  /// Buffers with storage, including those behind `setBytes`.
  public internal(set) var buffers = 0
  /// Bytes of that storage.
  public internal(set) var bytes = 0
  /// Compiled programs.
  public internal(set) var programs = 0
  /// Samplers.
  public internal(set) var samplers = 0
  /// Query objects of the device's clock.
  public internal(set) var queries = 0
  /// Command buffers that wait for events.
  public internal(set) var heldCommandBuffers = 0
  /// Contexts made to replace lost ones.
  public internal(set) var rebuiltContexts = 0
  /// Blocks of memory allocated for readbacks and transfers since the device was opened; constant once frames reuse
  /// memory.
  public internal(set) var transferAllocations = 0
}
