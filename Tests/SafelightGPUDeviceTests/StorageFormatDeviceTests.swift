import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Kernels that store to formats beyond those of OpenGL ES 3.1.
@Suite struct StorageFormatDeviceTests {
  private static let formats: [(PixelFormat, String)] = [
    (.r8Unorm, "r8ui"), (.rg8Unorm, "rg8ui"), (.r16Uint, "r16ui"), (.r16Unorm, "r16ui"), (.rg16Uint, "rg16ui"),
    (.rg16Unorm, "rg16ui"),
    (.rgba16Unorm, "rgba16ui"), (.r16Float, "r16f"), (.rg16Float, "rg16f"), (.rg32Float, "rg32f"),
  ]

  /// Writes its column, row, 7 and 9.
  private func function(_ layout: String) -> ShaderFunction {
    let isInteger = layout.hasSuffix("ui")
    return ShaderFunction(
      "places",
      """
      #extension GL_NV_image_formats : require
      #include "Common/compute.glsl"
      layout(\(layout), binding = 0) writeonly uniform highp \(isInteger ? "uimage2D" : "image2D") destination;
      void main() {
        if (isOutsideGrid()) return;
        uvec4 value = uvec4(gl_GlobalInvocationID.xy, 7u, 9u);
        imageStore(destination, ivec2(gl_GlobalInvocationID.xy), \(isInteger ? "value" : "vec4(value)"));
      }
      """, arguments: [.storageTexture(0)],
      twin: ShaderTwin { arguments in
        let target = arguments.texture(0)
        let maximum = target.pixelFormat.sampleKind == .normalized ? Float(target.pixelFormat.maximum) : 1
        for y in 0..<arguments.grid.height {
          for x in 0..<arguments.grid.width {
            target.setTexel(SIMD4(Float(x), Float(y), 7, 9) / maximum, x, y)
          }
        }
      })
  }

  @Test(arguments: TestDevice.all, formats)
  func everyFormatIsStoredToOrRefused(_ test: TestDevice, _ format: (pixels: PixelFormat, layout: String)) throws {
    let device = try test.open()
    let features = device.capabilities.features
    guard features.contains(.normalized16) || format.pixels.sampleKind != .normalized || format.layout.hasSuffix("8ui")
    else { return }
    let size = Size(5, 3)
    let texture = try device.makeTexture(size, format.pixels)
    let run = {
      try device.dispatch(self.function(format.layout), size) { $0.setTexture(texture, index: 0) }
    }
    guard features.contains(.storageOfAllFormats) else {
      return expectError(.unsupported, remedy: .containing("render pass")) { try run() }
    }
    try run()
    let pixel = { (x: Int, y: Int) -> [UInt8] in
      [x, y, 7, 9].prefix(format.pixels.samplesPerPixel).flatMap { sample in
        format.pixels.sampleKind == .float
          ? format.pixels.bytes(ofSample: Float(sample))
          : (0..<format.pixels.bytesPerSample).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
      }
    }
    let expected = (0..<size.height).flatMap { y in (0..<size.width).flatMap { x in pixel(x, y) } }
    #expect(try texture.getBytes() == expected)
  }
}
