internal import SafelightGLES
package import SafelightImage
internal import SafelightShaders

/// What an empty dispatch costs on the CPU side, in seconds of CPU time for each: not what the GPU does with it.
package struct DispatchCost: Sendable {
  /// The GL calls alone, `glUseProgram`, `glUniform2ui` and `glDispatchCompute`; nil on the CPU executor, which makes none.
  package let bare: Double?
  /// Recording it, on the caller's thread.
  package let recording: Double
  /// Replaying it, on the device's thread.
  package let replaying: Double

  /// What recording and replaying add to the bare calls.
  package var added: Double { recording + replaying - (bare ?? 0) }
}

extension Device {
  /// Measures `count` empty dispatches in one command buffer, and the bare calls just after it.
  package func measureDispatch(count: Int) throws(SafelightError) -> DispatchCost {
    trap(unless: count > 0, "measureDispatch(count: \(count)) needs at least one dispatch")
    let pipeline = ComputePipelineState(Self.emptyFunction)
    try executor.prepare(.compute(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1))))
    let buffer = makeCommandQueue(label: "bench").makeCommandBuffer(label: "empty dispatches")
    let start = ThreadClock.now
    let encoder = buffer.makeComputeCommandEncoder()
    encoder.setComputePipelineState(pipeline)
    for _ in 0..<count { encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1)) }
    encoder.endEncoding()
    let recording = ThreadClock.now - start
    buffer.commit()
    try buffer.waitUntilCompleted()
    let bare = try executor.bareDispatches(pipeline, count: count)
    return DispatchCost(
      bare: bare.map { $0 / Double(count) }, recording: recording / Double(count),
      replaying: buffer.kernelCPUTime / Double(count))
  }

  private static let emptyFunction = ShaderFunction(
    name: "empty", assembly: ShaderAssembly(texts: ["#include \"Common/compute.glsl\"\nvoid main() {}\n"]),
    arguments: [],
    twin: ShaderTwin { _ in })
}
