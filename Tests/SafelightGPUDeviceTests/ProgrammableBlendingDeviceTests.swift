import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Fragment functions that read the target, on devices that support them.
@Suite struct ProgrammableBlendingDeviceTests {
  /// The device, or nil if it has refused to read targets.
  private func device(_ test: TestDevice, _ function: ShaderFunction) throws -> Device? {
    let device = try test.open()
    guard !device.capabilities.features.contains(.framebufferFetch) else { return device }
    expectError(
      .unsupported, why: .containing("source:1 demands GL_EXT_shader_framebuffer_fetch"),
      remedy: .containing("second pass")
    ) { try device.makeRenderPipelineState(DrawingFunctions.descriptor(DrawingFunctions.flat, function)) }
    return nil
  }

  /// Each draw sees the result of the one before, the first sees the clear color.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func overlappingDrawsMultiply(_ test: TestDevice) throws {
    guard let device = try device(test, FetchingFunctions.multiply) else { return }
    let target = try device.makeTexture(Size(5, 3), .rgba8Unorm)
    let pipeline = try device.makeRenderPipelineState(fullScreen: FetchingFunctions.multiply)
    let color = [200, 100, 51, 255]
    let clear = color.map { Float($0) / 255 }
    let pass = RenderPassDescriptor(texture: target, loadAction: .clear(clear[0], clear[1], clear[2], clear[3]))
    try device.render(pass, pipeline) { encoder in
      for _ in 0..<2 { encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4) }
    }
    let expected = color.map { color in UInt8((0..<3).reduce(color) { value, _ in value * 128 / 255 }) }
    #expect(try target.getBytes() == (0..<15).flatMap { _ in expected })
  }

  /// Two triangles of one draw that overlap, in their order; the device and the twins alike.
  @Test(arguments: TestDevice.allAndMinimumCPU, [PixelFormat.rgba8Unorm, .bgra8Unorm, .rg8Unorm])
  func trianglesOfOneDrawFollowOneAnother(_ test: TestDevice, _ format: PixelFormat) throws {
    guard let device = try device(test, FetchingFunctions.mix) else { return }
    let pipeline = try device.makeRenderPipelineState(
      DrawingFunctions.descriptor(DrawingFunctions.flat, FetchingFunctions.mix, format))
    let (first, second) = (SIMD4<UInt8>(250, 3, 90, 30), SIMD4<UInt8>(6, 180, 30, 240))
    let whole = [Corner(-1, -1, first), Corner(3, -1, first), Corner(-1, 3, first)]
    let left = [Corner(-1, -1, second), Corner(0, -1, second), Corner(-1, 7, second)]
    let bytes = try device.expectTwin(Size(16, 16), format) { $0.draw(whole + left, with: pipeline) }
    guard format == .rgba8Unorm else { return }
    let once = (0..<4).map { ([0, 0, 0, 255][$0] + 2 * Int(first[$0])) / 3 }
    #expect(bytes.pixel(15, 15, width: 16) == once.map(UInt8.init))
    #expect(bytes.pixel(0, 15, width: 16) == (0..<4).map { UInt8((once[$0] + 2 * Int(second[$0])) / 3) })
  }

  /// Fixed-function blending combines the function's result with the target's pixel again.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func fixedBlendingComesAfterwards(_ test: TestDevice) throws {
    guard let device = try device(test, FetchingFunctions.multiply) else { return }
    var descriptor = RenderPipelineDescriptor(
      vertex: .fullScreen, fragment: FetchingFunctions.multiply, pixelFormats: .rgba8Unorm)
    descriptor.colorAttachments[0].isBlendingEnabled = true
    descriptor.colorAttachments[0].sourceRGBBlendFactor = .one
    descriptor.colorAttachments[0].destinationRGBBlendFactor = .one
    descriptor.colorAttachments[0].sourceAlphaBlendFactor = .zero
    descriptor.colorAttachments[0].destinationAlphaBlendFactor = .one
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let target = try device.makeTexture(Size(2, 2), .rgba8Unorm)
    try device.render(RenderPassDescriptor(texture: target, loadAction: .clear(0.2, 0.4, 0, 1)), pipeline)
    let expected = [51, 102, 0].map { UInt8($0 + $0 * 128 / 255) } + [255]
    #expect(try target.getBytes() == (0..<4).flatMap { _ in expected })
  }

  /// Integers of the second of two attachments; a pass that reads the target needs its contents whatever the load
  /// action.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func integersAreReadWhateverTheLoadAction(_ test: TestDevice) throws {
    guard let device = try device(test, FetchingFunctions.count) else { return }
    var descriptor = RenderPipelineDescriptor(vertex: .fullScreen, fragment: FetchingFunctions.count)
    for index in 0...1 { descriptor.colorAttachments[index].pixelFormat = .rgba16Uint }
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let words = (0..<16).map { UInt16($0 * 1000) }
    let textures = [
      try device.makeTexture(Size(2, 2), .rgba16Uint),
      try device.makeTexture(Size(2, 2), .rgba16Uint, bytes: words.bytes),
    ]
    let pass = RenderPassDescriptor(colorAttachments: textures.map { .init(texture: $0, loadAction: .dontCare) })
    try device.render(pass, pipeline) { $0.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4) }
    func counted(_ place: Int, _ word: UInt16) -> UInt16 { word &* 2 &+ UInt16(place % 4 + 1) }
    let once = words.enumerated().map(counted)
    #expect(try textures[0].getBytes().words(UInt16.self) == once)
    #expect(try textures[1].getBytes().words(UInt16.self) == once.enumerated().map(counted))
  }

  /// The next pass sees a kernel's stores.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func storesAreSeen(_ test: TestDevice) throws {
    guard let device = try device(test, FetchingFunctions.multiply) else { return }
    let target = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    let fill = try device.makeComputePipelineState(Self.fill)
    let pipeline = try device.makeRenderPipelineState(fullScreen: FetchingFunctions.multiply)
    try device.run {
      $0.dispatch(fill, target.size) { $0.setTexture(target, index: 0) }
      $0.render(RenderPassDescriptor(texture: target, loadAction: .dontCare), pipeline)
    }
    #expect(try target.getBytes().allSatisfy { $0 == 100 })
  }

  private static let fill = ShaderFunction(
    "fill",
    """
    #include "Common/compute.glsl"
    layout(rgba8ui, binding = 0) writeonly uniform highp uimage2D destination;
    void main() {
      if (!isOutsideGrid()) imageStore(destination, ivec2(gl_GlobalInvocationID.xy), uvec4(200));
    }
    """,
    twin: .storing(0) { _, _, _ in SIMD4(repeating: 200.0 / 255) })

  /// A capture holds the earlier contents of the target.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func capturesBringTheTargetAlong(_ test: TestDevice) throws {
    guard try device(test, FetchingFunctions.multiply) != nil else { return }
    let device = try test.openAnother()
    let target = try device.makeTexture(Size(3, 3), .rgba8Unorm, bytes: (0..<36).map { UInt8($0 * 7) })
    let pipeline = try device.makeRenderPipelineState(fullScreen: FetchingFunctions.multiply)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.render(RenderPassDescriptor(texture: target, loadAction: .dontCare), pipeline)
    let capture = try #require(device.captures(of: .commandBuffer(buffer)) { try buffer.finish() }.first)
    let outputs = try capture.replay(on: Device.open(.cpu), twins: TwinLibrary(FetchingFunctions.multiply))
    #expect(outputs.map(\.difference) == [nil])
    let halved = (0..<36).map { UInt8($0 * 7 * 128 / 255) }
    #expect(outputs.first?.expected == halved)
  }

  /// Targets that cannot be read are refused by name before anything is drawn.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func mistakesAreNamed(_ test: TestDevice) throws {
    guard let device = try device(test, FetchingFunctions.mix) else { return }
    expectError(.unsupported, remedy: .containing("resolve")) {
      try device.makeRenderPipelineState(
        DrawingFunctions.descriptor(DrawingFunctions.flat, FetchingFunctions.mix, samples: 4))
    }

    let integers = try device.makeTexture(Size(2, 2), .rgba16Uint, label: "integers")
    let floats = try device.makeRenderPipelineState(fullScreen: FetchingFunctions.multiply)
    expectError(.usage, remedy: "declare an inout uvec4") {
      try device.render(RenderPassDescriptor(texture: integers), floats)
    }
    let counting = try device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: .fullScreen, fragment: FetchingFunctions.count, pixelFormats: .rgba16Uint))
    expectError(.usage, why: .containing("reads attachment 1")) {
      try device.render(RenderPassDescriptor(texture: integers), counting)
    }

    for (text, word) in [
      ("layout(location = 0) inout highp vec4 color;", "add #extension"),
      (
        "#extension GL_EXT_shader_framebuffer_fetch_non_coherent : enable\n"
          + "layout(location = 0, noncoherent) inout highp vec4 color;", "leave noncoherent out"
      ),
    ] {
      let function = ShaderFunction(
        "wrong", text + "\nvoid main() { color *= 0.5; }", arguments: [],
        twin: ShaderTwin(fragment: { FragmentOutput($0.color(0) * 0.5) }))
      expectError(remedy: .containing(word)) { try device.makeRenderPipelineState(fullScreen: function) }
    }
  }
}
