import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport

/// Fragment functions that read the target's pixel, with both bodies.
enum FetchingFunctions {
  /// Multiplies the target by one half, on the whole strip.
  static let multiply = function("multiply", "in", "old * 128u / 255u") { old, _ in old &* 128 / 255 }

  /// Adds 2/3 of the corner's color to 1/3 of the target's, so that the order matters.
  static let mix = function("mix", "flat in", "(old + 2u * uvec4(vertexColor * 255.0 + 0.5)) / 3u") { old, color in
    (old &+ 2 &* color) / 3
  }

  /// Bytes are counted as integers, so that no driver rounds.
  private static func function(
    _ name: String, _ qualifier: String, _ expression: String,
    _ join: @escaping @Sendable (_ old: SIMD4<UInt32>, _ color: SIMD4<UInt32>) -> SIMD4<UInt32>
  ) -> ShaderFunction {
    ShaderFunction(
      name,
      """
      #extension GL_EXT_shader_framebuffer_fetch : require
      \(qualifier) highp vec4 vertexColor;
      layout(location = 0) inout highp vec4 color;
      void main() {
        uvec4 old = uvec4(color * 255.0 + 0.5);
        color = (vec4(\(expression)) + 0.25) / 255.0;
      }
      """, arguments: [],
      twin: ShaderTwin(fragment: { fragment in
        func bytes(_ color: SIMD4<Float>) -> SIMD4<UInt32> { SIMD4<UInt32>(color * 255 + 0.5) }
        let color = fragment.varyings.first.map(bytes) ?? SIMD4()
        return FragmentOutput((SIMD4<Float>(join(bytes(fragment.color(0)), color)) + 0.25) / 255)
      }), functionType: .fragment)
  }

  /// Doubles the integers of attachment 1 and adds its number to each; attachment 0 gets the earlier values.
  static let count = ShaderFunction(
    "count",
    """
    #extension GL_EXT_shader_framebuffer_fetch : require
    layout(location = 0) out highp uvec4 before;
    layout(location = 1) inout highp uvec4 count;
    void main() {
      before = count;
      count = count * 2u + uvec4(1u, 2u, 3u, 4u);
    }
    """, arguments: [],
    twin: ShaderTwin(fragment: { fragment in
      let count = fragment.integerColor(1)
      var output = FragmentOutput()
      output[integer: 0] = count
      output[integer: 1] = count &* 2 &+ SIMD4(1, 2, 3, 4)
      return output
    }), functionType: .fragment)
}
