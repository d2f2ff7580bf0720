import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Both backends refuse impossible passes and draws of depth with the same words.
@Suite struct DepthRefusalDeviceTests {
  private func draw(
    _ device: Device, _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineDescriptor? = nil
  ) throws {
    try device.render(pass) { encoder in
      guard let pipeline else { return }
      encoder.draw(.sheet(0.5, .red), with: try device.makeRenderPipelineState(pipeline))
    }
  }

  private func pass(
    _ device: Device, _ format: PixelFormat, _ size: Size = Size(4, 4), samples: Int = 1
  ) throws -> RenderPassDescriptor {
    var pass = RenderPassDescriptor(
      texture: try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "color"), loadAction: .clear(0, 0, 0, 0))
    let shape = TextureDescriptor(samples > 1 ? .type2DMultisample : .type2D, size, format, samples: samples)
    let texture = try device.makeTexture(shape, label: "deep")
    if format.hasDepth { pass.depthAttachment = .init(texture: texture) }
    if format.hasStencil { pass.stencilAttachment = .init(texture: texture) }
    return pass
  }

  @Test(arguments: TestDevice.all)
  func aFormatThatIsNotThePipelines(_ test: TestDevice) throws {
    let device = try test.open()
    for (format, pipeline, why) in [
      (.depth32Float, .depth16Unorm, "it draws depth of depth16Unorm; the pass has 'deep' of depth32Float"),
      (.depth32Float, .rgba8Unorm, "it draws no depth; the pass has 'deep' of depth32Float"),
      (.stencil8, .depth32Float_stencil8, "it draws depth of depth32Float_stencil8; the pass has none"),
      (.stencil8, .rgba8Unorm, "it draws no stencil; the pass has 'deep' of stencil8"),
    ] as [(PixelFormat, PixelFormat, String)] {
      let remedy: Wording? = pipeline == .depth16Unorm ? .containing("depthAttachmentPixelFormat") : nil
      expectError(.usage, why: .whole(why), remedy: remedy) {
        try draw(device, pass(device, format), DepthDrawing.descriptor(pipeline))
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func aSizeThatIsNotTheColours(_ test: TestDevice) throws {
    let device = try test.open()
    expectError(
      .usage, why: "the depth attachment 'deep' has 4×5 pixels of 1 samples, but attachment 0 'color' 4×4 of 1"
    ) { try draw(device, pass(device, .depth16Unorm, Size(4, 5))) }
    expectError(
      why: "the stencil attachment 'deep' has 4×4 pixels of 4 samples, but attachment 0 'color' 4×4 of 1"
    ) { try draw(device, pass(device, .stencil8, samples: 4)) }
  }

  @Test(arguments: TestDevice.all)
  func samplesThatAreNotThePipelines(_ test: TestDevice) throws {
    let device = try test.open()
    var pass = try pass(device, .depth16Unorm, samples: 4)
    pass.colorAttachments = []
    var pipeline = DepthDrawing.descriptor(.depth16Unorm)
    pipeline.colorAttachments = []
    pipeline.fragmentFunction = nil
    expectError(.usage, why: "it draws 1 samples a pixel; 'deep' has 4") { try draw(device, pass, pipeline) }
  }

  @Test(arguments: TestDevice.all)
  func depthAndStencilApart(_ test: TestDevice) throws {
    let device = try test.open()
    var pass = try pass(device, .depth16Unorm)
    pass.stencilAttachment = .init(texture: try device.makeTexture(Size(4, 4), .stencil8, label: "marks"))
    expectError(
      .unsupported, why: "its depth lies in 'deep', its stencil in 'marks'",
      remedy: "attach one texture of depth32Float_stencil8 to both"
    ) { try draw(device, pass) }
  }

  @Test(arguments: TestDevice.all)
  func filtersAndStoresOfDepths(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(4, 4), .depth32Float, label: "deep")
    let target = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    let copying = try device.makeRenderPipelineState(fullScreen: DepthTextureDeviceTests.copying)
    let sampler = try device.makeSamplerState(
      SamplerDescriptor(filter: .linear, address: .clampToEdge), label: "smooth")
    expectError(
      .unsupported, why: "sampler 'smooth' filters texture 0 of depth32Float, but this device cannot filter that format"
    ) {
      try device.render(RenderPassDescriptor(texture: target), copying) { encoder in
        encoder.setFragmentTexture(texture, index: 0)
        encoder.setFragmentSamplerState(sampler, index: 0)
      }
    }
    expectError(.unsupported, why: "OpenGL ES 3.1 cannot store to texture 0 of depth32Float") {
      try device.dispatch(Self.storing, Size(4, 4)) { $0.setTexture(texture, index: 0) }
    }
    // A stencil is a whole number.
    let stencil = try device.makeTexture(Size(4, 4), .stencil8, label: "marks")
    expectError(why: "it is a sampler2D (floats), but 'marks' is stencil8 (stencils)") {
      try device.render(RenderPassDescriptor(texture: target), copying) { $0.setFragmentTexture(stencil, index: 0) }
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
