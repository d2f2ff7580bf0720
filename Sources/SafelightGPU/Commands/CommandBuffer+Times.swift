internal import Synchronization

/// When the work was done, in seconds of the host's monotonic clock (`CLOCK_MONOTONIC`); all 0 before completion and after a failure.
extension CommandBuffer {
  /// When the device's thread began to hand the commands to the driver; Metal's `kernelStartTime`.
  public var kernelStartTime: Double { times.kernelStart }

  /// When it had handed over all of them; Metal's `kernelEndTime`.
  public var kernelEndTime: Double { times.kernelEnd }

  /// When the GPU began, as ``gpuTimeSource`` knows it; Metal's `gpuStartTime`.
  public var gpuStartTime: Double { times.gpuStart }

  /// When the GPU was done; Metal's `gpuEndTime`.
  public var gpuEndTime: Double { times.gpuEnd }

  /// Whose clock ``gpuStartTime`` and ``gpuEndTime`` are read from; `wallClock` where the GPU has none or it was disturbed.
  public var gpuTimeSource: GPUTimeSource { times.source }

  /// Seconds the device spent on it, from the first command to the last, by the wall clock; 0 before completion.
  public var seconds: Double { state.withLock { $0.result.seconds } }

  /// Seconds of CPU time that the device's thread spent between ``kernelStartTime`` and ``kernelEndTime``.
  var kernelCPUTime: Double { times.kernelCPU }

  private var times: ReplayTimes { state.withLock { $0.result.times } }
}
