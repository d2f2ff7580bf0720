package import Dispatch
package import SafelightGPU
import SafelightImage
import SafelightShaders

/// Functions with a Swift body alone, for the CPU device.
package enum SwiftFunctions {
  /// A dispatch of one thread that runs `body`.
  package static func pipeline(
    _ name: String = "body", arguments: [ShaderArgument] = [], _ body: @escaping @Sendable () throws -> Void
  ) -> ComputePipelineState {
    ComputePipelineState(
      ShaderFunction(
        name: name, assembly: ShaderAssembly(texts: []), arguments: arguments, twin: ShaderTwin { _ in try body() }))
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }
}

extension CommandBuffer {
  /// Records an encoder with one dispatch of one thread.
  package func dispatch(
    _ pipeline: ComputePipelineState, label: String = "compute", fileID: StaticString = #fileID, line: Int = #line
  ) {
    let encoder = makeComputeCommandEncoder(label: label)
    encoder.setComputePipelineState(pipeline)
    encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1), fileID: fileID, line: line)
    encoder.endEncoding()
  }

  /// Records an encoder whose dispatch waits for `gate`.
  package func wait(for gate: DispatchSemaphore) { dispatch(SwiftFunctions.pipeline { gate.wait() }) }
}
