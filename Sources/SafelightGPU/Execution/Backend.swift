internal import SafelightGLES
internal import SafelightImage

/// Carries out single commands; made, used and closed on the thread of one ``DeviceThread``, so it is not `Sendable`.
///
/// ``GLESBackend`` uses an OpenGL ES context; ``CPUBackend`` runs Swift twins.
protocol Backend: AnyObject {
  var info: DeviceInfo { get }
  var capabilities: Capabilities { get }
  var statistics: DeviceStatistics { get }

  /// Called before the first command of a recording, and before a recording that waited resumes.
  func begin()
  /// Makes buffers, except `newer`, receive what the process wrote at their next use.
  func refresh(except newer: [Buffer])
  /// Gives a buffer memory shared with the process, with its current contents.
  func share(_ buffer: Buffer) throws(SafelightError)
  /// Makes the storage of a texture over shared memory; returns why it is a copy, or nil if it is that memory.
  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError?
  /// Copies rows of shared memory into the storage of a texture over them, using no new memory from call to call.
  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError)
  /// Copies the storage of a texture over shared memory to its rows, likewise; called once all commands are done.
  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError)
  /// Shares the memory of a texture's first image; requires ``DeviceFeatures/dmaBufferExport``.
  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer
  /// Carries out `command`, which has the effects `accesses`; adds the bytes that it reads back to `result`.
  func perform(
    _ command: Command, _ accesses: [ResourceAccess], label: String, result: inout ReplayResult
  ) throws(SafelightError)
  /// Compiles a pipeline ahead of its first use; returns whether that is done. Unless it `waits`, it leaves the work to
  /// the driver's own threads, if there are any: call it again until it is done. A lost context loses what was begun.
  func prepare(_ pipeline: Pipeline, waits: Bool) throws(SafelightError) -> Bool
  /// Notes the time at which the device passes this point.
  func mark() throws(SafelightError) -> TimeMark
  /// Returns when the device passed `marks`, which must be done; nil if it has no clock or it was disturbed.
  func seconds(at marks: [TimeMark]) -> [Double]?
  /// Takes back `marks`, whether they were read or not.
  func reuse(_ marks: [TimeMark])
  /// Hands everything performed so far to the device, without waiting for it.
  func flush() throws(SafelightError)
  /// Waits until everything performed so far is done and the process sees it in its shared buffers.
  func finish(_ label: String) throws(SafelightError)
  /// Frees the storage of a resource without references.
  func release(_ id: ResourceID)
  /// Fills the storage of a resource with zeros, as in new storage.
  func erase(_ id: ResourceID)
  func close()

  /// Returns the CPU seconds of the driver calls alone of `count` dispatches of one threadgroup; nil without a driver.
  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double?

  /// True if the device lost its context, and with it the contents of all resources.
  var isLost: Bool { get }
  /// Behaves from now on as if the context were lost.
  func simulateLoss()
  /// Replaces a lost context with a new one, in which resources are zero.
  func rebuild() throws(SafelightError)
}

/// A pipeline that can be compiled ahead of its first use.
enum Pipeline: Sendable {
  case compute(ComputePipelineState, ComputeVariant)
  case render(RenderPipelineState)

  func check(_ capabilities: Capabilities) throws(SafelightError) {
    switch self {
    case .compute(let pipeline, let variant): _ = try variant.check(pipeline.function, capabilities)
    case .render(let pipeline): try pipeline.check(capabilities)
    }
  }
}

/// Copies for textures over shared memory in which a device cannot work.
extension Backend {
  /// Copies in the textures that `recording` uses; returns those that ``copyOut(_:)`` must copy out.
  func copyIn(_ recording: Recording) throws(SafelightError) -> [Texture] {
    var written: [Texture] = []
    for use in recording.sharedTextures {
      do throws(SafelightError) {
        guard let plane = use.texture.sharedPlane, try copyReason(of: use.texture) != nil else { continue }
        unsafe try plane.buffer.withMapping(ofPlane: plane.index, .read) { base throws(SafelightError) in
          unsafe try fill(use.texture, from: SharedRows(plane: plane, base: base))
        }
        if use.isWritten { written.append(use.texture) }
      } catch {
        throw error.during("texture '\(use.texture.label)'")
      }
    }
    return written
  }

  /// Copies out `textures`; called once all commands so far are done.
  func copyOut(_ textures: [Texture]) throws(SafelightError) {
    for texture in textures {
      guard let plane = texture.sharedPlane else { continue }
      unsafe try plane.buffer.withMapping(ofPlane: plane.index, .write) { base throws(SafelightError) in
        unsafe try drain(texture, into: SharedRows(plane: plane, base: base))
      }
    }
  }

  static var noExport: SafelightError {
    SafelightError(
      .unsupported, "export", why: "this device cannot share memory of its own (no EGL_MESA_image_dma_buf_export)",
      remedy: "make the texture with Device.makeSharedTexture, or copy it to one")
  }
}
