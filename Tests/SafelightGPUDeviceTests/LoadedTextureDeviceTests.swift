import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures that functions read as images, with `imageLoad`.
@Suite struct LoadedTextureDeviceTests {
  private static let size = Size(19, 7)

  /// The integers of normalized samples, which a store made just before; a capture says how they were read.
  @Test(arguments: TestDevice.all)
  func aComputeFunctionLoadsWhatAnotherStored(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let first = try device.makeTexture(Self.size, .rgba8Unorm)
    let second = try device.makeTexture(Self.size, .rgba8Unorm)
    #expect(Self.mirror.arguments == [.loadedTexture(0), .storageTexture(1)])
    let captures = try device.captures {
      try device.run { buffer in
        buffer.dispatch(ComputePipelineState(ComputeFunctions.stamp), Self.size) { encoder in
          encoder.setTexture(first, index: 1)
          encoder.setBytes(SIMD4<UInt32>(100, 200, 3, 4), index: 2)
        }
        buffer.dispatch(ComputePipelineState(Self.mirror), Self.size) { encoder in
          encoder.setTexture(second, index: 1)
          encoder.setTexture(first, index: 0)
        }
      }
    }
    let expected = (0..<Self.size.area).flatMap { place -> [UInt8] in
      let (x, y) = (UInt8(place % 19), UInt8(place / 19))
      return [118 - x, 200 + y, 3, 4]
    }
    #expect(try device.contents(of: second) == expected)
    let twins = TwinLibrary(ComputeFunctions.stamp, Self.mirror)
    let outputs = try #require(captures.first).replay(on: Device.open(.cpu), twins: twins)
    #expect(outputs.map(\.difference) == [nil, nil])
  }

  /// A format of four channels can be loaded, though OpenGL ES 3.1 reads and writes none of them in place.
  @Test(arguments: TestDevice.all)
  func aFragmentFunctionLoadsWhereTheDeviceAllowsIt(_ test: TestDevice) throws {
    let device = try test.open()
    let samples = (0..<Self.size.area * 4).map { UInt16($0 * 120) }
    let source = try device.makeTexture(Self.size, .rgba16Uint, bytes: samples.bytes)
    let target = try device.makeTexture(Self.size, .rgba16Uint)
    guard device.capabilities.render.fragmentStorageTextures > 0 else {
      return expectError(
        .limit, what: "negative",
        why: "this fragment function loads from or stores to textures, 1 of them; this device allows it 0"
      ) { try device.makeRenderPipelineState(fullScreen: Self.negative) }
    }
    let pipeline = try device.makeRenderPipelineState(fullScreen: Self.negative)
    try device.render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(source, index: 0) }
    #expect(try device.contents(of: target) == samples.map { 65535 - $0 }.bytes)
  }

  @Test(arguments: TestDevice.all)
  func texturesWithoutAnImageAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    var swizzled = TextureDescriptor(Self.size, .rgba8Unorm)
    swizzled.swizzle = [.blue, .green, .red, .alpha]
    for (descriptor, why) in [
      (TextureDescriptor(Self.size, .r8Unorm), "OpenGL ES 3.1 cannot load from texture 0 of r8Unorm"),
      (TextureDescriptor(Self.size, .rgba16Uint), "it is a uimage2D (rgba8ui), but 'source' is rgba16Uint (integers)"),
      (swizzled, "it loads from texture 0, 'source', whose swizzle only samplers apply"),
    ] {
      let source = try device.makeTexture(descriptor, label: "source")
      let target = try device.makeTexture(Self.size, .rgba8Unorm)
      expectError(why: .whole(why)) {
        try device.dispatch(Self.mirror, Self.size) { encoder in
          encoder.setTexture(target, index: 1)
          encoder.setTexture(source, index: 0)
        }
      }
    }
  }

  /// Exchanges left and right.
  private static let mirror = ShaderFunction(
    "mirror",
    """
    #include "Common/compute.glsl"
    layout(binding = 0, rgba8ui) readonly uniform uimage2D source;
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    void main() {
      if (isOutsideGrid()) return;
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      imageStore(destination, place, imageLoad(source, ivec2(imageSize(source).x - 1 - place.x, place.y)));
    }
    """,
    twin: .storing(1) { arguments, x, y in arguments.texture(0).texel(Self.size.width - 1 - x, y) })

  private static let negative = ShaderFunction(
    "negative",
    """
    layout(binding = 0, rgba16ui) readonly uniform uimage2D source;
    layout(location = 0) out uvec4 color;
    void main() { color = 65535u - imageLoad(source, ivec2(gl_FragCoord.xy)); }
    """,
    twin: ShaderTwin { arguments in
      let samples = arguments.texture(0).withSamples(of: UInt16.self) { $0.map { 65535 - $0 } }
      arguments.colorAttachment?.withMutableSamples(of: UInt16.self) { made in
        for (index, sample) in samples.enumerated() { made[index] = sample }
      }
    })
}
