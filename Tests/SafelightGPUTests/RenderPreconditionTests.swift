import SafelightGPU
import SafelightImage
import SafelightShaders
import Testing

/// Programmer mistakes in a render pass stop the program with the right call.
@Suite struct RenderPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  static func function(_ name: String, _ arguments: [ShaderArgument] = []) -> ShaderFunction {
    ShaderFunction(name: name, assembly: ShaderAssembly(texts: []), arguments: arguments)
  }

  /// Runs `body` with an encoder on the CPU device.
  static func encode(
    size: Size = Size(8, 4), _ body: (RenderCommandEncoder, Device) throws -> Void
  ) throws {
    let device = try Device.open(.cpu)
    let texture = try device.makeTexture(size, .rgba8Unorm, label: "canvas")
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: texture), label: "pass")
    try body(encoder, device)
    encoder.endEncoding()
  }

  @Test func aScissorOutsideTheTarget() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in encoder.setScissorRect(Region(x: 1, y: 0, width: 8, height: 4))
      }
    }
    said(
      result, "encoder 'pass' set a scissor of 8×4 at (1, 0), outside its target of 8×4", "clip it to the target first")
  }

  @Test func aViewportOfHalfPixels() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setViewport(Viewport(originX: 0.5, originY: 0, width: 4, height: 4))
      }
    }
    said(result, "a viewport of 4.0×4.0 at (0.5, 0.0)", "whole numbers")
  }

  @Test func aViewportBeyond31Bits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setViewport(Viewport(originX: 0, originY: 0, width: 2_147_483_648, height: 4))
      }
    }
    said(result, "a viewport of 2147483648.0×4.0", "whole numbers below 2147483648")
  }

  @Test func aViewportOfDepthsBeyondOne() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setViewport(Viewport(originX: 0, originY: 0, width: 4, height: 4, znear: -0.5, zfar: 1))
      }
    }
    said(result, "encoder 'pass' set a viewport of depths from -0.5 to 1.0", "from 0 to 1")
  }

  @Test func aViewportOfNoDepth() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setViewport(Viewport(originX: 0, originY: 0, width: 4, height: 4, znear: 0, zfar: .nan))
      }
    }
    said(result, "set a viewport of depths from 0.0 to nan", "from 0 to 1")
  }

  @Test func aScissorBeyondAllNumbers() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.setScissorRect(Region(x: .max, y: 0, width: 8, height: 4))
      }
    }
    said(result, "outside its target of 8×4", "clip it to the target first")
  }

  @Test func moreCornersThan31Bits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.drawPrimitives(.triangle, vertexStart: 2, vertexCount: 2_147_483_646)
      }
    }
    said(result, "encoder 'pass' drew 2147483646 vertices from 2", "up to number 2147483646")
  }

  @Test func moreIndicesThanAnyNumber() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, device in
        let indices = try device.makeBuffer(length: 16, label: "order")
        encoder.drawIndexedPrimitives(.triangle, indexCount: .max, indexType: .uint32, indexBuffer: indices)
      }
    }
    said(result, "drew 9223372036854775807 indices", "draw 1 to 2147483647")
  }

  @Test func aBaseVertexBeyond31Bits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, device in
        let indices = try device.makeBuffer(length: 16, label: "order")
        encoder.drawIndexedPrimitives(
          .triangle, indexCount: 3, indexType: .uint32, indexBuffer: indices, baseVertex: .min)
      }
    }
    said(result, "drew 3 indices with base vertex -9223372036854775808", "of at most as much")
  }

  @Test func moreInstancesThan31Bits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.drawPrimitives(
          .triangle, vertexStart: 0, vertexCount: 3, instanceCount: 1, baseInstance: 2_147_483_647)
      }
    }
    said(result, "drew 1 instances from 2147483647", "draw at least one")
  }

  @Test func anUnboundVertexBuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        var descriptor = RenderPipelineDescriptor(
          vertex: RenderPreconditionTests.function("v"), fragment: RenderPreconditionTests.function("f"),
          pixelFormats: .rgba8Unorm)
        descriptor.vertexDescriptor.layouts[3] = VertexDescriptor.Layout(stride: 8)
        encoder.setRenderPipelineState(try RenderPipelineState(descriptor))
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    }
    said(result, "vertex buffer 3 of 'f' is not bound", "setVertexBuffer(_:offset:index: 3)")
  }

  @Test func anAttributeWithoutALayout() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var descriptor = RenderPipelineDescriptor(
        vertex: RenderPreconditionTests.function("v"), fragment: RenderPreconditionTests.function("f"),
        pixelFormats: .rgba8Unorm)
      descriptor.vertexDescriptor.attributes[1] = VertexDescriptor.Attribute(format: .float2, bufferIndex: 2)
      _ = try RenderPipelineState(descriptor)
    }
    said(result, "attribute 1 of 'f' lies in buffer 2, which has no layout", "set layouts[2]")
  }

  @Test func anIndexBufferTooShort() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, device in
        let indices = try device.makeBuffer(length: 10, label: "order")
        encoder.drawIndexedPrimitives(
          .triangle, indexCount: 5, indexType: .uint16, indexBuffer: indices, indexBufferOffset: 2)
      }
    }
    said(result, "drew 5 indices from byte 2 of 'order': 12 bytes are needed, 10 were given")
  }

  @Test func argumentsBeyondTheirBuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, device in
        let arguments = try device.makeBuffer(length: 16, label: "arguments")
        encoder.drawPrimitives(.triangle, indirectBuffer: arguments, indirectBufferOffset: 4)
      }
    }
    said(result, "arguments from byte 4 of 'arguments': it needs", "a buffer of 20 bytes; 16 were given")
  }

  @Test func drawingWithoutFunctions() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    }
    said(result, "encoder 'pass' drew without functions", "setRenderPipelineState(_:)")
  }

  @Test func oneIndexForTwoThings() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in
        let descriptor = RenderPipelineDescriptor(
          vertex: RenderPreconditionTests.function("v", [.bytes(1)]),
          fragment: RenderPreconditionTests.function("f", [.bytes(1)]), pixelFormats: .rgba8Unorm)
        encoder.setRenderPipelineState(try RenderPipelineState(descriptor))
        encoder.setVertexBytes(SIMD4<Float>(), index: 1)
        encoder.setFragmentBytes(SIMD4<Float>(1, 1, 1, 1), index: 1)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    }
    said(result, "'v' and 'f' both use bytes(1), bound to different things", "give one of them another index")
  }

  @Test func aVertexTextureThatIsTheTarget() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "canvas")
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(
        RenderPassDescriptor(texture: texture), label: "pass")
      let descriptor = RenderPipelineDescriptor(
        vertex: RenderPreconditionTests.function("v", [.sampledTexture(0)]),
        fragment: RenderPreconditionTests.function("f"), pixelFormats: .rgba8Unorm)
      encoder.setRenderPipelineState(try RenderPipelineState(descriptor))
      encoder.setVertexTexture(texture, index: 0)
      encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      encoder.endEncoding()
    }
    said(result, "encoder 'pass': 'canvas' is read while it is drawn into")
  }

  @Test func resolvingToNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "canvas")
      let pass = RenderPassDescriptor(colorAttachments: [.init(texture: texture, storeAction: .multisampleResolve)])
      device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "pass").endEncoding()
    }
    said(result, "encoder 'pass' resolves 'canvas' to nothing", "set resolveTexture")
  }

  @Test func aLevelThatIsNotThere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "canvas")
      var pass = RenderPassDescriptor(texture: texture)
      pass.colorAttachments[0].image.level = 1
      device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "pass").endEncoding()
    }
    said(result, "encoder 'pass' draws into level 1 of slice 0, which 'canvas' does not have")
  }

  @Test func visibilityWithoutABuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RenderPreconditionTests.encode { encoder, _ in encoder.setVisibilityResultMode(.boolean, offset: 0) }
    }
    said(result, "encoder 'pass' tests visibility without a buffer for the results", "visibilityResultBuffer")
  }
}
