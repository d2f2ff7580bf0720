import SafelightGPU
import SafelightImage
import Testing

/// Programmer mistakes with depths and stencils stop the program with a remedy.
@Suite struct DepthPreconditionTests {
  /// Begins a pass with the attachments of `body` on the CPU device.
  static func begin(
    _ format: PixelFormat, _ label: String = "deep", _ body: (Texture) -> RenderPassDescriptor
  ) throws {
    let device = try Device.open(.cpu)
    let pass = body(try device.makeTexture(Size(4, 4), format, label: label))
    device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "pass").endEncoding()
  }

  private static func makeTexture(_ size: Size, _ format: PixelFormat, _ label: String = "deep") throws -> Texture {
    try Device.open(.cpu).makeTexture(size, format, label: label)
  }

  /// Like Metal's, which are never nil.
  @Test func testsOfStencilsBeginAsOnesThatPass() {
    let descriptor = DepthStencilDescriptor()
    #expect(descriptor.frontFaceStencil == StencilDescriptor())
    #expect(descriptor.backFaceStencil == StencilDescriptor())
  }

  @Test(arguments: mistakes) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake(
      "a depth that is a color", says: "encoder 'pass' keeps depth in 'deep' of r32Float",
      "depth16Unorm, depth32Float or"
    ) { try begin(.r32Float) { RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0)) } },
    Mistake(
      "a stencil that is a depth", says: "encoder 'pass' keeps stencil in 'deep' of depth16Unorm", "stencil8 or"
    ) {
      try begin(.depth16Unorm) { RenderPassDescriptor(colorAttachments: [], stencilAttachment: .init(texture: $0)) }
    },
    Mistake(
      "a color that is a depth", says: "encoder 'pass' draws colors into 'deep' of depth32Float",
      "make it the pass's depthAttachment"
    ) { try begin(.depth32Float) { RenderPassDescriptor(texture: $0) } },
    Mistake(
      "a resolve of depths", says: "encoder 'pass' resolves depth of 'deep'",
      "color attachment, which can be resolved"
    ) {
      try begin(.depth32Float) {
        RenderPassDescriptor(
          colorAttachments: [], depthAttachment: .init(texture: $0, storeAction: .multisampleResolve))
      }
    },
    Mistake("a clear beyond one", says: "encoder 'pass' clears depth to 1.5; use 0 to 1") {
      try begin(.depth32Float) {
        RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0, clearDepth: 1.5))
      }
    },
    Mistake("a pass that lost its attachment", says: "encoder 'pass' has no attachment", "at least one texture") {
      try begin(.depth32Float) {
        var pass = RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0))
        pass.depthAttachment = nil
        return pass
      }
    },
    Mistake(
      "a depth that is read while it is tested", says: "encoder 'pass': 'deep' is read while it is drawn into"
    ) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(4, 4), .depth32Float, label: "deep")
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(
        RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: texture)), label: "pass")
      encoder.setRenderPipelineState(
        try RenderPipelineState(
          RenderPipelineDescriptor(
            vertex: RenderPreconditionTests.function("v"),
            fragment: RenderPreconditionTests.function("f", [.sampledTexture(0)]))))
      encoder.setFragmentTexture(texture, index: 0)
      encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
    },
    Mistake("a bias that is no number", says: "encoder 'pass' set a depth bias of nan", "use finite numbers") {
      try RenderPreconditionTests.encode { encoder, _ in encoder.setDepthBias(.nan, slopeScale: 0, clamp: 0) }
    },
    Mistake(
      "bytes of depths", says: "'deep' is of depth16Unorm, which OpenGL ES does not copy",
      "draw it into a color texture"
    ) { _ = try makeTexture(Size(4, 4), .depth16Unorm).getBytes() },
    Mistake("bytes written to stencils", says: "'marks' is of stencil8, which OpenGL ES does not copy") {
      let texture = try makeTexture(Size(1, 1), .stencil8, "marks")
      try texture.replace(region: texture.bounds, withBytes: [1])
    },
    Mistake("a view of depths", says: "'deep' of depth32Float cannot be viewed as r32Float") {
      _ = try makeTexture(Size(4, 4), .depth32Float).makeTextureView(pixelFormat: .r32Float)
    },
    Mistake("a block of depths", says: "texture 'deep': type3D of 4×4 cannot be of depth32Float") {
      var descriptor = TextureDescriptor(Size(4, 4), .depth32Float)
      descriptor.textureType = .type3D
      _ = try Device.open(.cpu).makeTexture(descriptor, label: "deep")
    },
    Mistake("mipmaps of depths", says: "mipmaps of 'deep' of depth32Float cannot be generated") {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(TextureDescriptor(Size(4, 4), .depth32Float, mipmapped: true), label: "deep")
      device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder().generateMipmaps(for: texture)
    },
  ]
}
