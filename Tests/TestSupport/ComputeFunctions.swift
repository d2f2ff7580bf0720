package import Dispatch
package import SafelightGPU
import SafelightImage

/// Small compute functions, with twins, for tests of what surrounds them.
package enum ComputeFunctions {
  /// Stores its place plus an offset, and two constants, all from its bytes.
  package static let stamp = ShaderFunction(
    "stamp",
    """
    #include "Common/compute.glsl"
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    layout(std140, binding = 2) uniform Parameters { uvec4 values; };
    void main() {
      if (isOutsideGrid()) return;
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      imageStore(destination, place, uvec4(values.xy + uvec2(place), values.zw));
    }
    """, arguments: [.storageTexture(1), .bytes(2)],
    twin: .storing(1) { arguments, x, y in
      let values = arguments.words(2)
      return SIMD4(Float(values[0]) + Float(x), Float(values[1]) + Float(y), Float(values[2]), Float(values[3])) / 255
    })

  /// Multiplies each word and adds to it.
  package static let scale = ShaderFunction(
    "scale",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Numbers { uint numbers[]; };
    layout(std140, binding = 3) uniform Parameters { uvec4 values; };
    void main() {
      if (isOutsideGrid()) return;
      uint i = gl_GlobalInvocationID.x;
      numbers[i] = numbers[i] * values.x + values.y;
    }
    """, arguments: [.storageBuffer(0), .bytes(3)],
    twin: ShaderTwin { arguments in
      let values = arguments.words(3)
      arguments.buffer(0).withWords { words in
        for i in 0..<arguments.grid.width { words[i] = words[i] &* values[0] &+ values[1] }
      }
    })
}

/// Functions with a Swift body alone, for the CPU device.
package enum SwiftFunctions {
  /// A dispatch of one thread that runs `body`.
  package static func pipeline(
    _ name: String = "body", arguments: [ShaderArgument] = [], _ body: @escaping @Sendable () throws -> Void
  ) -> ComputePipelineState {
    ComputePipelineState(ShaderFunction(name, arguments: arguments, twin: ShaderTwin { _ in try body() }))
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
