import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Views of levels, also on devices that implement them as state of the texture.
@Suite struct TextureViewDeviceTests {
  /// Adds the first pixels of both textures into a pixel of the third.
  private static let sum = ShaderFunction(
    "sum",
    """
    #include "Common/compute.glsl"
    layout(binding = 0) uniform highp usampler2D first;
    layout(binding = 1) uniform highp usampler2D second;
    layout(r32ui, binding = 2) writeonly uniform highp uimage2D destination;
    void main() {
      if (isOutsideGrid()) return;
      uint value = texelFetch(first, ivec2(0), 0).r + texelFetch(second, ivec2(0), 0).r;
      imageStore(destination, ivec2(gl_GlobalInvocationID.xy), uvec4(value));
    }
    """,
    twin: .storing(2) { arguments, _, _ in arguments.texture(0).texel(0, 0) + arguments.texture(1).texel(0, 0) })

  /// A texture of three levels: 1, 10 and 100 everywhere.
  private func levels(_ device: Device) throws -> Texture {
    let texture = try device.makeTexture(TextureDescriptor(Size(4, 4), .r32Uint, mipmapped: true), label: "levels")
    for (level, value) in [UInt8(1), 10, 100].enumerated() {
      let size = texture.descriptor.size(atLevel: level)
      try texture.replace(
        region: Region(size: size), mipmapLevel: level, withBytes: (0..<size.area).flatMap { _ in [value, 0, 0, 0] })
    }
    return texture
  }

  private func run(_ device: Device, _ first: Texture, _ second: Texture, into target: Texture) throws {
    try device.dispatch(Self.sum, target.size) {
      for (index, texture) in [first, second, target].enumerated() { $0.setTexture(texture, index: index) }
    }
  }

  private func words(_ texture: Texture, level: Int = 0) throws -> Set<UInt32> {
    Set(try texture.getBytes(mipmapLevel: level).words(UInt32.self))
  }

  /// A view's levels for sampling do not stay set on its texture.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func storesReachATextureOfWhichAViewWasSampled(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try levels(device)
    let coarse = texture.makeTextureView(levels: 2..<3)
    let other = try device.makeTexture(Size(2, 2), .r32Uint)
    try run(device, coarse, coarse, into: other)
    #expect(try words(other) == [200])
    try run(device, other, other, into: texture)
    #expect(try words(texture) == [400])
    try run(device, other, other, into: texture.makeTextureView(levels: 1..<2))
    #expect(try words(texture, level: 1) == [400])
    try run(device, texture, coarse, into: other, unless: !device.capabilities.features.contains(.textureViews))
    #expect(try words(texture) == [400])
  }

  private func run(
    _ device: Device, _ first: Texture, _ second: Texture, into target: Texture, unless isRefused: Bool
  ) throws {
    guard isRefused else { return try run(device, first, second, into: target) }
    expectError(.unsupported, what: .containing("sum"), remedy: .containing("copy one of them")) {
      try run(device, first, second, into: target)
    }
  }

  /// Different levels of one texture in one function work or are refused; the same levels are no conflict.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func twoViewsInOneFunctionAreApartOrRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let isRefused = !device.capabilities.features.contains(.textureViews)
    let texture = try levels(device)
    let target = try device.makeTexture(Size(2, 2), .r32Uint)
    let middle = texture.makeTextureView(levels: 1..<3)
    let coarse = middle.makeTextureView(levels: 1..<2)
    for (first, second, sum) in [(texture, middle, UInt32(11)), (middle, coarse, 110), (coarse, texture, 101)] {
      try run(device, first, second, into: target, unless: isRefused)
      if !isRefused { #expect(try words(target) == [sum]) }
    }
    try run(device, coarse, texture.makeTextureView(levels: 2..<3), into: target)
    #expect(try words(target) == [200])
  }

  /// A vertex and a fragment function of one draw are one program.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func theFunctionsOfADrawAreLookedAtTogether(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try levels(device)
    var descriptor = RenderPipelineDescriptor(
      vertex: ViewFunctions.vertex, fragment: ViewFunctions.fragment, pixelFormats: .r32Uint)
    descriptor.label = "both"
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let target = try device.makeTexture(Size(2, 2), .r32Uint)
    let draw = {
      try device.render(RenderPassDescriptor(texture: target), pipeline) { encoder in
        encoder.setVertexTexture(texture.makeTextureView(levels: 1..<2), index: 0)
        encoder.setFragmentTexture(texture.makeTextureView(levels: 2..<3), index: 1)
      }
    }
    guard device.capabilities.features.contains(.textureViews) else {
      return expectError(.unsupported, why: .containing("GL_EXT_texture_view")) { try draw() }
    }
    try draw()
    #expect(try words(target) == [110])
  }

  /// Stores reach only the levels that the same draw samples.
  @Test(arguments: TestDevice.atMinimumLimits)
  func storesOutsideTheSampledLevelsAreRefused(_ test: TestDevice) throws {
    var limits = Capabilities.minimum
    limits.render.fragmentStorageTextures = 1
    let device = try test.open(limits: limits)
    let texture = try levels(device)
    let pipeline = RenderPipelineState(fullScreen: ViewFunctions.storing)
    let target = try device.makeTexture(Size(2, 2), .r32Uint)
    expectError(.unsupported, why: .beginning("it has an image of 'levels' and samples 'view of levels'")) {
      try device.render(RenderPassDescriptor(texture: target), pipeline) { encoder in
        encoder.setFragmentTexture(texture.makeTextureView(levels: 1..<2), index: 0)
        encoder.setFragmentTexture(texture, index: 1)
      }
    }
  }
}

/// A pair that adds what each samples.
private enum ViewFunctions {
  static let vertex = ShaderFunction(
    "samplingVertex",
    """
    layout(binding = 0) uniform highp usampler2D levels;
    flat out highp uint value;
    void main() {
      vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
      gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
      value = texelFetch(levels, ivec2(0), 0).r;
    }
    """,
    twin: ShaderTwin(
      vertex: { corner in
        let (x, y) = (Float(corner.vertexID & 1), Float(corner.vertexID >> 1))
        return VertexOutput(
          position: SIMD4(x * 2 - 1, y * 2 - 1, 0, 1), varyings: [corner.arguments.texture(0).texel(0, 0)])
      }, flat: [0]), functionType: .vertex)

  static let fragment = ShaderFunction(
    "samplingFragment",
    """
    layout(binding = 1) uniform highp usampler2D others;
    flat in highp uint value;
    layout(location = 0) out highp uvec4 color;
    void main() { color = uvec4(texelFetch(others, ivec2(0), 0).r + value); }
    """,
    twin: ShaderTwin(fragment: { fragment in
      var output = FragmentOutput()
      let value = fragment.varyings[0].x + fragment.arguments.texture(1).texel(0, 0).x
      output[integer: 0] = SIMD4(repeating: UInt32(value))
      return output
    }), functionType: .fragment)

  /// Samples one texture and stores to another.
  static let storing = ShaderFunction(
    "storing",
    """
    layout(binding = 0) uniform highp usampler2D source;
    layout(r32ui, binding = 1) writeonly uniform highp uimage2D destination;
    layout(location = 0) out highp uvec4 color;
    void main() {
      color = texelFetch(source, ivec2(0), 0);
      imageStore(destination, ivec2(gl_FragCoord.xy), color);
    }
    """, twin: ShaderTwin(fragment: { _ in FragmentOutput() }), functionType: .fragment)
}
