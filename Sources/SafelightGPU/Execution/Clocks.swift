internal import Glibc
internal import SafelightGLES
package import SafelightImage
internal import SafelightShaders

/// A point in a device's work; its time is that at which the device passes it.
struct TimeMark {
  /// The host's time when it submitted the point.
  let hostTime = HostClock.now
  /// A reading of the device's own clock; nil if it has none.
  var query: TimestampQuery?
}

/// A GPU's own clock, converted to seconds of the host's.
final class DeviceClock {
  private let queries: TimestampQueries
  /// The host's time minus the device's.
  private var offset = 0.0
  /// The host's time of the last comparison.
  private var compared = -Double.infinity

  /// Opens the clock of `context`; nil if the driver has none.
  init?(_ context: Context) {
    guard let queries = TimestampQueries(context) else { return nil }
    self.queries = queries
  }

  var queryCount: Int { queries.count }

  func mark() throws(SafelightError) -> TimeMark {
    // The clocks drift apart by a few microseconds a second at worst.
    if HostClock.now - compared > 1 { compare() }
    return TimeMark(query: try queries.stamp())
  }

  func seconds(at marks: [TimeMark]) -> [Double]? {
    let stamps = marks.compactMap(\.query)
    guard stamps.count == marks.count else { return nil }
    let seconds = stamps.map { Double(queries.nanoseconds(of: $0)) * 1e-9 + offset }
    guard queries.takeDisjoint() else { return seconds }
    compare()
    return nil
  }

  func reuse(_ marks: [TimeMark]) {
    for mark in marks {
      if let query = mark.query { queries.reuse(query) }
    }
  }

  private func compare() {
    compared = HostClock.now
    offset = compared - Double(queries.now) * 1e-9
  }
}

/// The host's monotonic clock, by which this module gives all times.
enum HostClock {
  /// Seconds since an unspecified moment (`CLOCK_MONOTONIC`).
  static var now: Double { seconds(of: CLOCK_MONOTONIC) }
}

enum ThreadClock {
  /// Seconds of CPU time since the thread began.
  static var now: Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }
}

private func seconds(of clock: clockid_t) -> Double {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The CPU time of an empty dispatch in seconds, without the GPU's work.
package struct DispatchCost: Sendable {
  /// The time of `glUseProgram`, `glUniform2ui` and `glDispatchCompute` alone; nil on the CPU, which calls none.
  package let bare: Double?
  /// The time to record it, on the caller's thread.
  package let recording: Double
  /// The time to replay it, on the device's thread.
  package let replaying: Double

  /// The time that recording and replaying add to the GL calls.
  package var added: Double { recording + replaying - (bare ?? 0) }
}

extension Device {
  /// Measures `count` empty dispatches in one command buffer, and then the GL calls alone.
  package func measureDispatch(count: Int) throws(SafelightError) -> DispatchCost {
    trap(unless: count > 0, "measureDispatch(count: \(count)) needs at least one dispatch")
    let pipeline = ComputePipelineState(Self.emptyFunction)
    try thread.prepare(.compute(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1))))
    let buffer = makeCommandQueue(label: "bench").makeCommandBuffer(label: "empty dispatches")
    let start = ThreadClock.now
    let encoder = buffer.makeComputeCommandEncoder()
    encoder.setComputePipelineState(pipeline)
    for _ in 0..<count { encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1)) }
    encoder.endEncoding()
    let recording = ThreadClock.now - start
    buffer.commit()
    try buffer.waitUntilCompleted()
    let bare = try thread.bareDispatches(pipeline, count: count)
    return DispatchCost(
      bare: bare.map { $0 / Double(count) }, recording: recording / Double(count),
      replaying: buffer.kernelCPUTime / Double(count))
  }

  private static let emptyFunction = ShaderFunction(
    name: "empty", assembly: ShaderAssembly(texts: ["#include \"Common/compute.glsl\"\nvoid main() {}\n"]),
    arguments: [], twin: ShaderTwin { _ in })
}
