import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Both backends refuse impossible passes and draws of depth with the same words.
@Suite struct DepthRefusalDeviceTests {
  private func refusal(
    _ device: Device, _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineDescriptor? = nil
  ) throws -> SafelightError {
    try #require(throws: SafelightError.self) {
      try device.run { buffer in
        let encoder = buffer.makeRenderCommandEncoder(pass)
        defer { encoder.endEncoding() }
        guard let pipeline else { return }
        encoder.setRenderPipelineState(try device.makeRenderPipelineState(pipeline))
        encoder.draw(.sheet(0.5, .red))
      }
    }
  }

  private func pass(
    _ device: Device, _ format: PixelFormat, _ size: Size = Size(4, 4), samples: Int = 1
  ) throws -> RenderPassDescriptor {
    var pass = RenderPassDescriptor(
      texture: try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "color"), loadAction: .clear(0, 0, 0, 0))
    var shape = TextureDescriptor(size, format)
    shape.sampleCount = samples
    if samples > 1 { shape.textureType = .type2DMultisample }
    let texture = try device.makeTexture(shape, label: "deep")
    if format.hasDepth { pass.depthAttachment = .init(texture: texture) }
    if format.hasStencil { pass.stencilAttachment = .init(texture: texture) }
    return pass
  }

  @Test(arguments: TestDevice.all)
  func aFormatThatIsNotThePipelines(_ test: TestDevice) throws {
    let device = try test.open()
    let other = try refusal(device, pass(device, .depth32Float), DepthDrawing.descriptor(.depth16Unorm))
    #expect(other.kind == .usage)
    #expect(other.why == "it draws depth of depth16Unorm; the pass has 'deep' of depth32Float")
    #expect(other.remedy?.contains("depthAttachmentPixelFormat") == true)
    let none = try refusal(device, pass(device, .depth32Float), DepthDrawing.descriptor(.rgba8Unorm))
    #expect(none.why == "it draws no depth; the pass has 'deep' of depth32Float")
    let missing = try refusal(device, pass(device, .stencil8), DepthDrawing.descriptor(.depth32Float_stencil8))
    #expect(missing.why == "it draws depth of depth32Float_stencil8; the pass has none")
    let stencil = try refusal(device, pass(device, .stencil8), DepthDrawing.descriptor(.rgba8Unorm))
    #expect(stencil.why == "it draws no stencil; the pass has 'deep' of stencil8")
  }

  @Test(arguments: TestDevice.all)
  func aSizeThatIsNotTheColours(_ test: TestDevice) throws {
    let device = try test.open()
    let error = try refusal(device, pass(device, .depth16Unorm, Size(4, 5)))
    #expect(error.kind == .usage)
    #expect(
      error.why == "the depth attachment 'deep' has 4×5 pixels of 1 samples, but attachment 0 'color' 4×4 of 1")
    let samples = try refusal(device, pass(device, .stencil8, samples: 4))
    #expect(
      samples.why == "the stencil attachment 'deep' has 4×4 pixels of 4 samples, but attachment 0 'color' 4×4 of 1")
  }

  @Test(arguments: TestDevice.all)
  func samplesThatAreNotThePipelines(_ test: TestDevice) throws {
    let device = try test.open()
    var pass = try pass(device, .depth16Unorm, samples: 4)
    pass.colorAttachments = []
    var pipeline = DepthDrawing.descriptor(.depth16Unorm)
    pipeline.colorAttachments = []
    pipeline.fragmentFunction = nil
    let error = try refusal(device, pass, pipeline)
    #expect(error.kind == .usage)
    #expect(error.why == "it draws 1 samples a pixel; 'deep' has 4")
  }

  @Test(arguments: TestDevice.all)
  func depthAndStencilApart(_ test: TestDevice) throws {
    let device = try test.open()
    var pass = try pass(device, .depth16Unorm)
    pass.stencilAttachment = .init(texture: try device.makeTexture(Size(4, 4), .stencil8, label: "marks"))
    let error = try refusal(device, pass)
    #expect(error.kind == .unsupported)
    #expect(error.why == "its depth lies in 'deep', its stencil in 'marks'")
    #expect(error.remedy == "attach one texture of depth32Float_stencil8 to both")
  }

  @Test(arguments: TestDevice.all)
  func filtersAndStoresOfDepths(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(4, 4), .depth32Float, label: "deep")
    let target = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    let sampler = try device.makeSamplerState(
      SamplerDescriptor(filter: .linear, address: .clampToEdge), label: "smooth")
    expectError(
      .unsupported, why: "sampler 'smooth' filters texture 0 of depth32Float, but this device cannot filter that format"
    ) {
      try device.run { buffer in
        let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: target))
        defer { encoder.endEncoding() }
        encoder.setRenderPipelineState(
          try device.makeRenderPipelineState(fullScreen: DepthTextureDeviceTests.copying))
        encoder.setFragmentTexture(texture, index: 0)
        encoder.setFragmentSamplerState(sampler, index: 0)
        encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      }
    }
    expectError(.unsupported, why: "OpenGL ES 3.1 cannot store to texture 0 of depth32Float") {
      try device.run { buffer in
        try buffer.compute { encoder in
          encoder.setComputePipelineState(try device.makeComputePipelineState(Self.storing))
          encoder.setTexture(texture, index: 0)
          encoder.dispatchThreads(Size(4, 4), threadsPerThreadgroup: Size(8, 8))
        }
      }
    }
    // A stencil is a whole number.
    let stencil = try device.makeTexture(Size(4, 4), .stencil8, label: "marks")
    expectError(why: "it is a sampler2D (floats), but 'marks' is stencil8 (stencils)") {
      try device.run { buffer in
        let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: target))
        defer { encoder.endEncoding() }
        encoder.setRenderPipelineState(
          try device.makeRenderPipelineState(fullScreen: DepthTextureDeviceTests.copying))
        encoder.setFragmentTexture(stencil, index: 0)
        encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      }
    }
  }

  private static let storing = ShaderFunction(
    "storing",
    """
    #include "Common/compute.glsl"
    layout(r32f, binding = 0) writeonly uniform highp image2D target;
    void main() { if (!isOutsideGrid()) imageStore(target, ivec2(gl_GlobalInvocationID.xy), vec4(1.0)); }
    """, arguments: [.storageTexture(0)], twin: ShaderTwin { _ in })
}
