import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Programmer mistakes in a render pass stop the program with the right call.
@Suite struct RenderPreconditionTests {
  static func function(_ name: String, _ arguments: [ShaderArgument] = []) -> ShaderFunction {
    ShaderFunction(name, arguments: arguments)
  }

  private static func pipeline(
    vertex: [ShaderArgument] = [], fragment: [ShaderArgument] = []
  ) -> RenderPipelineDescriptor {
    RenderPipelineDescriptor(
      vertex: function("v", vertex), fragment: function("f", fragment), pixelFormats: .rgba8Unorm)
  }

  /// Runs `body` with an encoder on the CPU device, and its target.
  static func encode(_ body: (RenderCommandEncoder, Texture) throws -> Void) throws {
    let device = try Device.open(.cpu)
    let canvas = try device.makeTexture(Size(8, 4), .rgba8Unorm, label: "canvas")
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: canvas), label: "pass")
    try body(encoder, canvas)
    encoder.endEncoding()
  }

  /// The same with a buffer of `length` bytes.
  private static func encode(
    _ length: Int, label: String = "order", _ body: (RenderCommandEncoder, Buffer) throws -> Void
  ) throws {
    let buffer = try Device.open(.cpu).makeBuffer(length: length, label: label)
    try encode { encoder, _ in try body(encoder, buffer) }
  }

  private static func setViewport(_ viewport: Viewport) throws {
    try encode { encoder, _ in encoder.setViewport(viewport) }
  }

  @Test(arguments: mistakes) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake(
      "a scissor outside the target", says: "encoder 'pass' set a scissor of 8×4 at (1, 0), outside its target of 8×4",
      "clip it to the target first"
    ) { try encode { encoder, _ in encoder.setScissorRect(Region(x: 1, y: 0, width: 8, height: 4)) } },
    Mistake("a viewport of half pixels", says: "a viewport of 4.0×4.0 at (0.5, 0.0)", "whole numbers") {
      try setViewport(Viewport(originX: 0.5, originY: 0, width: 4, height: 4))
    },
    Mistake(
      "a viewport beyond 31 bits", says: "a viewport of 2147483648.0×4.0", "whole numbers below 2147483648"
    ) { try setViewport(Viewport(originX: 0, originY: 0, width: 2_147_483_648, height: 4)) },
    Mistake(
      "a viewport of depths beyond one", says: "encoder 'pass' set a viewport of depths from -0.5 to 1.0",
      "from 0 to 1"
    ) { try setViewport(Viewport(originX: 0, originY: 0, width: 4, height: 4, znear: -0.5, zfar: 1)) },
    Mistake("a viewport of no depth", says: "set a viewport of depths from 0.0 to nan", "from 0 to 1") {
      try setViewport(Viewport(originX: 0, originY: 0, width: 4, height: 4, znear: 0, zfar: .nan))
    },
    Mistake("a scissor beyond all numbers", says: "outside its target of 8×4", "clip it to the target first") {
      try encode { encoder, _ in encoder.setScissorRect(Region(x: .max, y: 0, width: 8, height: 4)) }
    },
    Mistake(
      "more corners than 31 bits", says: "encoder 'pass' drew 2147483646 vertices from 2",
      "up to number 2147483646"
    ) { try encode { encoder, _ in encoder.drawPrimitives(.triangle, vertexStart: 2, vertexCount: 2_147_483_646) } },
    Mistake("more indices than any number", says: "drew 9223372036854775807 indices", "draw 1 to 2147483647") {
      try encode(16) { encoder, indices in
        encoder.drawIndexedPrimitives(.triangle, indexCount: .max, indexType: .uint32, indexBuffer: indices)
      }
    },
    Mistake(
      "a base vertex beyond 31 bits", says: "drew 3 indices with base vertex -9223372036854775808",
      "of at most as much"
    ) {
      try encode(16) { encoder, indices in
        encoder.drawIndexedPrimitives(
          .triangle, indexCount: 3, indexType: .uint32, indexBuffer: indices, baseVertex: .min)
      }
    },
    Mistake("more instances than 31 bits", says: "drew 1 instances from 2147483647", "draw at least one") {
      try encode { encoder, _ in
        encoder.drawPrimitives(
          .triangle, vertexStart: 0, vertexCount: 3, instanceCount: 1, baseInstance: 2_147_483_647)
      }
    },
    Mistake(
      "an unbound vertex buffer", says: "vertex buffer 3 of 'f' is not bound", "setVertexBuffer(_:offset:index: 3)"
    ) {
      try encode { encoder, _ in
        var descriptor = pipeline()
        descriptor.vertexDescriptor.layouts[3] = VertexDescriptor.Layout(stride: 8)
        encoder.setRenderPipelineState(try RenderPipelineState(descriptor))
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    },
    Mistake(
      "an attribute without a layout", says: "attribute 1 of 'f' lies in buffer 2, which has no stride",
      "set layouts[2].stride"
    ) {
      var descriptor = pipeline()
      descriptor.vertexDescriptor.attributes[1] = VertexDescriptor.Attribute(format: .float2, bufferIndex: 2)
      _ = try RenderPipelineState(descriptor)
    },
    Mistake(
      "an attribute without a format", says: "attribute 2 of 'f' has no format", "set attributes[2].format"
    ) {
      var descriptor = pipeline()
      descriptor.vertexDescriptor.attributes[2].offset = 4
      _ = try RenderPipelineState(descriptor)
    },
    Mistake("a part beyond all", says: "part 31 of a descriptor was set", "run from 0 to 30") {
      var descriptor = pipeline()
      descriptor.colorAttachments[31].pixelFormat = .rgba8Unorm
    },
    Mistake(
      "an index buffer too short", says: "drew 5 indices from byte 2 of 'order': 12 bytes are needed, 10 were given"
    ) {
      try encode(10) { encoder, indices in
        encoder.drawIndexedPrimitives(
          .triangle, indexCount: 5, indexType: .uint16, indexBuffer: indices, indexBufferOffset: 2)
      }
    },
    Mistake(
      "arguments beyond their buffer", says: "arguments from byte 4 of 'arguments': it needs",
      "a buffer of 20 bytes; 16 were given"
    ) {
      try encode(16, label: "arguments") { encoder, arguments in
        encoder.drawPrimitives(.triangle, indirectBuffer: arguments, indirectBufferOffset: 4)
      }
    },
    Mistake(
      "drawing without functions", says: "encoder 'pass' drew without functions", "setRenderPipelineState(_:)"
    ) { try encode { encoder, _ in encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3) } },
    Mistake(
      "one index for two things", says: "'v' and 'f' both use bytes(1), bound to different things",
      "give one of them another index"
    ) {
      try encode { encoder, _ in
        encoder.setRenderPipelineState(try RenderPipelineState(pipeline(vertex: [.bytes(1)], fragment: [.bytes(1)])))
        encoder.setVertexBytes(SIMD4<Float>(), index: 1)
        encoder.setFragmentBytes(SIMD4<Float>(1, 1, 1, 1), index: 1)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    },
    Mistake("vertex bytes in place of a buffer", says: "buffer 1 of 'v' is not bound", "call setBuffer(_:index: 1)") {
      try encode(16) { encoder, words in
        encoder.setRenderPipelineState(try RenderPipelineState(pipeline(vertex: [.readBuffer(1)])))
        encoder.setVertexBuffer(words, index: 1)
        encoder.setVertexBytes([Float](), index: 1)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    },
    Mistake(
      "a vertex texture that is the target", says: "encoder 'pass': 'canvas' is read while it is drawn into"
    ) {
      try encode { encoder, canvas in
        encoder.setRenderPipelineState(try RenderPipelineState(pipeline(vertex: [.sampledTexture(0)])))
        encoder.setVertexTexture(canvas, index: 0)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    },
    Mistake("resolving to nothing", says: "encoder 'pass' resolves 'canvas' to nothing", "set resolveTexture") {
      try DepthPreconditionTests.begin(.rgba8Unorm, "canvas") {
        RenderPassDescriptor(colorAttachments: [.init(texture: $0, storeAction: .multisampleResolve)])
      }
    },
    Mistake(
      "a level that is not there",
      says: "encoder 'pass' draws into level 1 of slice 0, which 'canvas' does not have"
    ) {
      try DepthPreconditionTests.begin(.rgba8Unorm, "canvas") {
        var pass = RenderPassDescriptor(texture: $0)
        pass.colorAttachments[0].image.level = 1
        return pass
      }
    },
    Mistake(
      "visibility without a buffer", says: "encoder 'pass' tests visibility without a buffer for the results",
      "visibilityResultBuffer"
    ) { try encode { encoder, _ in encoder.setVisibilityResultMode(.boolean, offset: 0) } },
  ]
}

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
    Mistake(
      "an attachment without a texture", says: "color attachment 1 of encoder 'pass' has no texture",
      "set colorAttachments[1].texture"
    ) {
      try begin(.rgba8Unorm) {
        var pass = RenderPassDescriptor(texture: $0)
        pass.colorAttachments[1].loadAction = .load
        return pass
      }
    },
    Mistake("an empty pass", says: "encoder 'pass' has no attachment", "give its pass at least one texture") {
      try begin(.rgba8Unorm) { _ in RenderPassDescriptor() }
    },
    Mistake("a pass that lost its attachment", says: "encoder 'pass' has no attachment", "at least one texture") {
      try begin(.depth32Float) {
        var pass = RenderPassDescriptor(colorAttachments: [], depthAttachment: .init(texture: $0))
        pass.depthAttachment.texture = nil
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
