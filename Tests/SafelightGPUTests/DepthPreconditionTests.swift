import SafelightGPU
import SafelightImage
import Testing

/// Programmer mistakes with depths and stencils stop the program with a remedy.
@Suite struct DepthPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  /// Begins a pass with the attachments of `body` on the CPU device.
  static func begin(
    _ format: PixelFormat, _ body: (Texture) -> RenderPassDescriptor
  ) throws {
    let device = try Device.open(.cpu)
    let pass = body(try device.makeTexture(Size(4, 4), format, label: "deep"))
    device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "pass").endEncoding()
  }

  /// Like Metal's, which are never nil.
  @Test func testsOfStencilsBeginAsOnesThatPass() {
    let descriptor = DepthStencilDescriptor()
    #expect(descriptor.frontFaceStencil == StencilDescriptor())
    #expect(descriptor.backFaceStencil == StencilDescriptor())
  }

  @Test func aDepthThatIsAColour() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.r32Float) {
        RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0))
      }
    }
    said(result, "encoder 'pass' keeps depth in 'deep' of r32Float", "depth16Unorm, depth32Float or")
  }

  @Test func aStencilThatIsADepth() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.depth16Unorm) {
        RenderPassDescriptor(colorAttachments: [], stencilAttachment: .init(texture: $0))
      }
    }
    said(result, "encoder 'pass' keeps stencil in 'deep' of depth16Unorm", "stencil8 or")
  }

  @Test func aColourThatIsADepth() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.depth32Float) { RenderPassDescriptor(texture: $0) }
    }
    said(result, "encoder 'pass' draws colors into 'deep' of depth32Float", "make it the pass's depthAttachment")
  }

  @Test func aResolveOfDepths() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.depth32Float) {
        RenderPassDescriptor(
          colorAttachments: [], depthAttachment: .init(texture: $0, storeAction: .multisampleResolve))
      }
    }
    said(result, "encoder 'pass' resolves depth of 'deep'", "color attachment, which can be resolved")
  }

  @Test func aClearBeyondOne() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.depth32Float) {
        RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0, clearDepth: 1.5))
      }
    }
    said(result, "encoder 'pass' clears depth to 1.5; use 0 to 1")
  }

  @Test func aPassThatLostItsAttachment() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DepthPreconditionTests.begin(.depth32Float) {
        var pass = RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0))
        pass.depthAttachment = nil
        return pass
      }
    }
    said(result, "encoder 'pass' has no attachment", "at least one texture")
  }

  @Test func aDepthThatIsReadWhileItIsTested() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
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
    }
    said(result, "encoder 'pass': 'deep' is read while it is drawn into")
  }

  @Test func aBiasThatIsNoNumber() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setDepthBias(.nan, slopeScale: 0, clamp: 0)
      }
    }
    said(result, "encoder 'pass' set a depth bias of nan", "use finite numbers")
  }

  @Test func bytesOfDepths() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeTexture(Size(4, 4), .depth16Unorm, label: "deep").getBytes()
    }
    said(result, "'deep' is of depth16Unorm, which OpenGL ES does not copy", "draw it into a color texture")
    let written = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let texture = try Device.open(.cpu).makeTexture(Size(1, 1), .stencil8, label: "marks")
      try texture.replace(region: texture.bounds, withBytes: [1])
    }
    said(written, "'marks' is of stencil8, which OpenGL ES does not copy")
  }

  @Test func viewsAndBlocksOfDepths() async {
    let view = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeTexture(Size(4, 4), .depth32Float, label: "deep").makeTextureView(
        pixelFormat: .r32Float)
    }
    said(view, "'deep' of depth32Float cannot be viewed as r32Float")
    let block = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var descriptor = TextureDescriptor(Size(4, 4), .depth32Float)
      descriptor.textureType = .type3D
      _ = try Device.open(.cpu).makeTexture(descriptor, label: "deep")
    }
    said(block, "texture 'deep': type3D of 4×4 cannot be of depth32Float")
    let mipmaps = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(TextureDescriptor(Size(4, 4), .depth32Float, mipmapped: true), label: "deep")
      device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder().generateMipmaps(for: texture)
    }
    said(mipmaps, "mipmaps of 'deep' of depth32Float cannot be generated")
  }
}
