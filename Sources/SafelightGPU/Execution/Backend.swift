internal import SafelightGLES
internal import SafelightImage

/// Carries single commands out; made, used and closed on one ``DeviceThread``'s thread, hence not `Sendable`.
///
/// There are two: ``GLESBackend`` on a GL context, behind a ``TurnTakingBackend`` where its driver needs that, and ``CPUBackend`` on the Swift
/// twins.
protocol Backend: AnyObject {
  /// What runs the commands.
  var info: DeviceInfo { get }
  /// What it can do.
  var capabilities: Capabilities { get }

  /// True when buffers shared with the process need no copy.
  var worksInHostMemory: Bool { get }
  /// What it holds.
  var statistics: DeviceStatistics { get }

  /// Called before the first command of a recording, and before it goes on where it was held back.
  func begin()
  /// Has buffers receive once more what the process wrote when they are used next, all but those of `newer`.
  func refresh(except newer: [Buffer])
  /// Gives a buffer memory that is shared with the process, holding its present contents.
  func share(_ buffer: Buffer) throws(SafelightError)
  /// Makes the storage of a texture over shared memory; returns why it is a copy, nil where it is that memory.
  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError?
  /// Copies rows of shared memory into the storage of a texture over them, into no memory but that and what it keeps.
  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError)
  /// Copies the storage of a texture over shared memory to its rows, likewise; all commands are done.
  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError)
  /// Shares the memory of a texture's first image; only where the device can (``DeviceFeatures/dmaBufferExport``).
  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer
  /// Carries `command` out; bytes that it reads back are added to `result`.
  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError)
  /// Compiles a pipeline ahead of its first use.
  func prepare(_ pipeline: Pipeline) throws(SafelightError)
  /// Begins to compile a pipeline; nil where that is done, else what to ask until it is.
  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)?
  /// Notes the time at which the device passes this point.
  func mark() throws(SafelightError) -> TimeMark
  /// The times of `marks` by the device's own clock, everything being done; nil where it has none or was disturbed.
  func seconds(at marks: [TimeMark]) -> [Double]?
  /// Takes `marks` back, be they read or not.
  func reuse(_ marks: [TimeMark])
  /// Hands everything performed so far to the device without waiting for it.
  func flush() throws(SafelightError)
  /// Returns when everything performed so far is done, and the process sees what its shared buffers received.
  func finish(_ label: String) throws(SafelightError)
  /// Frees the storage of a resource that nobody refers to any more.
  func release(_ id: ResourceID)
  /// Makes the storage of a resource zeros, as new storage is.
  func erase(_ id: ResourceID)
  /// Frees everything.
  func close()

  /// Makes the driver's calls of `count` dispatches of one threadgroup and nothing else, against which a replay of them is measured; returns
  /// seconds of CPU time, nil where no driver is called.
  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double?

  /// True when the device lost its context, and with it the contents of all resources.
  var isLost: Bool { get }
  /// Behaves from now on as if the context had been lost.
  func simulateLoss()
  /// Makes a new context in the place of a lost one; resources are zero in it.
  func rebuild() throws(SafelightError)
}

extension Backend {
  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? { nil }
}

/// What can be compiled ahead.
enum Pipeline: Sendable {
  case compute(ComputePipelineState, ComputeVariant)
  case render(RenderPipelineState)
}

/// A pipeline that a driver compiles on threads of its own; used and dropped on the device's thread.
protocol PipelinePreparation: AnyObject {
  /// Takes the program once the driver has it; true then.
  func advance() throws(SafelightError) -> Bool
}

/// Textures over shared memory that a device cannot work in: their bytes are copied in before commands and out after them.
extension Backend {
  /// Copies in what `recording` uses; returns the textures that ``carryOut(_:)`` copies out.
  func bringIn(_ recording: Recording) throws(SafelightError) -> [Texture] {
    var written: [Texture] = []
    for use in recording.sharedTextures {
      do throws(SafelightError) {
        guard let plane = use.texture.sharedPlane, try copyReason(of: use.texture) != nil else { continue }
        try bringIn(plane, to: use.texture)
        if use.isWritten { written.append(use.texture) }
      } catch {
        throw error.during("texture '\(use.texture.label)'")
      }
    }
    return written
  }

  private func bringIn(_ plane: SharedPlane, to texture: Texture) throws(SafelightError) {
    unsafe try plane.buffer.withMapping(ofPlane: plane.index, .read) { base throws(SafelightError) in
      unsafe try fill(texture, from: SharedRows(plane, at: base))
    }
  }

  /// Copies `textures` out, once all commands so far are done.
  func carryOut(_ textures: [Texture]) throws(SafelightError) {
    for texture in textures {
      guard let plane = texture.sharedPlane else { continue }
      unsafe try plane.buffer.withMapping(ofPlane: plane.index, .write) { base throws(SafelightError) in
        unsafe try drain(texture, into: SharedRows(plane, at: base))
      }
    }
  }
}

extension Backend {
  /// Shares the memory of a texture's first image, or says why not as every backend does.
  func exportChecked(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    do throws(SafelightError) {
      guard capabilities.features.contains(.dmaBufferExport) else { throw Self.noExport }
      return try export(texture)
    } catch {
      throw error.during("texture '\(texture.label)'")
    }
  }

  static var noExport: SafelightError {
    SafelightError(
      .unsupported, "export", why: "this device cannot share memory of its own (no EGL_MESA_image_dma_buf_export)",
      remedy: "make the texture with Device.makeSharedTexture, or copy it to one")
  }
}

/// What a replay brought back.
public struct ReplayResult: Sendable {
  /// Seconds the device spent on it, by the wall clock.
  public internal(set) var seconds: Double = 0

  var readbacks: [ObjectIdentifier: [UInt8]] = [:]
  var times = ReplayTimes()

  /// The bytes that a command of the recording read back.
  public func contents(of readback: Readback) -> [UInt8]? { readbacks[ObjectIdentifier(readback)] }
}

/// Where the times of the GPU's work come from.
public enum GPUTimeSource: Hashable, Sendable {
  /// The GPU's own clock (EXT_disjoint_timer_query).
  case gpu
  /// The host's clock around the work: the device has no clock, or it was disturbed.
  case wallClock
}

/// When a replay began and ended, in seconds of the host's monotonic clock.
struct ReplayTimes: Sendable {
  var kernelStart = 0.0
  var kernelEnd = 0.0
  var gpuStart = 0.0
  var gpuEnd = 0.0
  var source = GPUTimeSource.wallClock
  /// Seconds of CPU time that the device's thread spent between `kernelStart` and `kernelEnd`.
  var kernelCPU = 0.0
}

/// Why a replay failed, and at which of its commands; nil where none of them can be blamed.
struct ReplayFailure: Error {
  var error: SafelightError
  var command: Int?
}
