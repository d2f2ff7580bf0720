internal import SafelightImage

/// What a replay brought back.
public struct ReplayResult: Sendable {
  /// Seconds the executor spent on it, by the wall clock.
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
