package import SafelightGPU
import SafelightImage
import SafelightShaders

/// Small compute functions, with twins, for tests of what surrounds them.
package enum ComputeFunctions {
  /// Stores its place plus an offset, and two constants, all from its bytes.
  package static let stamp = ShaderFunction(
    name: "stamp",
    assembly: ShaderAssembly(texts: [
      """
      #include "Common/compute.glsl"
      layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
      layout(std140, binding = 2) uniform Parameters { uvec4 values; };
      void main() {
        if (isOutsideGrid()) return;
        ivec2 place = ivec2(gl_GlobalInvocationID.xy);
        imageStore(destination, place, uvec4(values.xy + uvec2(place), values.zw));
      }
      """
    ]), arguments: [.storageTexture(1), .bytes(2)],
    twin: ShaderTwin { arguments in
      let texture = arguments.texture(1)
      let values = arguments.words(2)
      texture.withMutableSamples(of: UInt8.self) { samples in
        for y in 0..<arguments.grid.height {
          for x in 0..<arguments.grid.width {
            let first = (y * texture.size.width + x) * 4
            samples[first] = UInt8(values[0]) + UInt8(x)
            samples[first + 1] = UInt8(values[1]) + UInt8(y)
            samples[first + 2] = UInt8(values[2])
            samples[first + 3] = UInt8(values[3])
          }
        }
      }
    })

  /// Multiplies each word and adds to it.
  package static let scale = ShaderFunction(
    name: "scale",
    assembly: ShaderAssembly(texts: [
      """
      #include "Common/compute.glsl"
      layout(std430, binding = 0) buffer Numbers { uint numbers[]; };
      layout(std140, binding = 3) uniform Parameters { uvec4 values; };
      void main() {
        if (isOutsideGrid()) return;
        uint i = gl_GlobalInvocationID.x;
        numbers[i] = numbers[i] * values.x + values.y;
      }
      """
    ]), arguments: [.storageBuffer(0), .bytes(3)],
    twin: ShaderTwin { arguments in
      let values = arguments.words(3)
      arguments.buffer(0).withWords { words in
        for i in 0..<arguments.grid.width { words[i] = words[i] &* values[0] &+ values[1] }
      }
    })
}
