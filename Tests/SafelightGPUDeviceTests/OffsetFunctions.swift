import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport

/// Functions over words of a buffer.
enum OffsetFunctions {
  /// Adds a number to each word, from the buffer's offset on.
  static let add = ShaderFunction(
    "add",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    layout(std140, binding = 1) uniform Amount { uvec4 amount; };
    void main() {
      if (isOutsideGrid()) return;
      words[safelight_bufferOffsets[0] + gl_GlobalInvocationID.x] += amount.x;
    }
    """, arguments: [.storageBuffer(0), .bytes(1)],
    twin: ShaderTwin { arguments in
      let amount = arguments.words(1)[0]
      arguments.buffer(0).withWords { words in
        for index in 0..<arguments.grid.width { words[index] &+= amount }
      }
    })

  /// The same, without support for offsets.
  static let deaf = ShaderFunction(
    "deaf",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    layout(std140, binding = 1) uniform Amount { uvec4 amount; };
    void main() {
      if (!isOutsideGrid()) words[gl_GlobalInvocationID.x] += amount.x;
    }
    """, arguments: [.storageBuffer(0), .bytes(1)], twin: add.twin)
}

extension ComputeCommandEncoder {
  /// Adds `amount` to as many words with ``OffsetFunctions/add``, which must be set.
  func add(_ amount: UInt32, toWords count: Int) {
    setBytes(SIMD4<UInt32>(amount, 0, 0, 0), index: 1)
    dispatchThreads(Size(count, 1), threadsPerThreadgroup: Size(8, 1))
  }
}
