import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Depths are clamped before the test (EXT_depth_clamp): functions see unclamped depths, and depths they write are
/// clamped too.
@Suite struct DepthClampDeviceTests {
  /// A function that writes a part of its depth plus an offset.
  private static func writing(_ share: Float, _ more: Float) -> ShaderFunction {
    ShaderFunction(
      "writing",
      """
      flat in vec4 vertexColor;
      layout(location = 0) out vec4 color;
      void main() {
        color = vertexColor + 0.25 / 255.0;
        gl_FragDepth = gl_FragCoord.z * \(share) + \(more);
      }
      """, arguments: [],
      twin: ShaderTwin(fragment: { fragment in
        var output = FragmentOutput(fragment.varyings[0] + 0.25 / 255)
        output.depth = fragment.position.z * share + more
        return output
      }))
  }

  /// The viewport's depths are 0.25 to 0.75, and the sheet is at 1.5: at 1 on the target.
  @Test(arguments: TestDevice.all, [(0, 0.875, 0.75), (0, 0.125, 0.25), (0.5, 0, 0.5)] as [(Float, Float, Double)])
  func whatFunctionsWriteIsClamped(_ test: TestDevice, _ written: (Float, Float, Double)) throws {
    let device = try test.open()
    guard device.capabilities.features.contains(.depthClamp) else {
      return expectError(.unsupported) { try color(device, written) }
    }
    #expect(try color(device, written) == .green)
  }

  private func color(_ device: Device, _ written: (Float, Float, Double)) throws -> SIMD4<UInt8>? {
    let function = Self.writing(written.0, written.1)
    return try device.deepColor(.depth32Float, clearDepth: written.2, fragment: function) { encoder in
      encoder.setViewport(Viewport(originX: 0, originY: 0, width: 3, height: 2, znear: 0.25, zfar: 0.75))
      encoder.setDepthClipMode(.clamp)
      encoder.test(device) { $0.depthCompareFunction = .equal }
      encoder.draw(.sheet(1.5, .green))
    }
  }
}
