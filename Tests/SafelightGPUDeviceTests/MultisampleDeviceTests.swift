import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Targets of several samples a pixel, and their resolves.
@Suite struct MultisampleDeviceTests {
  private func target(_ device: Device, _ size: Size) throws -> Texture {
    var descriptor = TextureDescriptor(size, .rgba8Unorm)
    descriptor.textureType = .type2DMultisample
    descriptor.sampleCount = 4
    return try device.makeTexture(descriptor)
  }

  private func record(
    _ buffer: CommandBuffer, _ device: Device, _ action: RenderPassDescriptor.StoreAction, into resolved: Texture,
    _ corners: [Corner]
  ) throws {
    var descriptor = DrawingFunctions.descriptor()
    descriptor.rasterSampleCount = 4
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let samples = try target(device, resolved.size)
    let pass = RenderPassDescriptor(colorAttachments: [
      .init(texture: samples, loadAction: .clear(0, 0, 0, 0), storeAction: action, resolveTexture: resolved)
    ])
    let encoder = buffer.makeRenderCommandEncoder(pass)
    encoder.setRenderPipelineState(pipeline)
    encoder.setVertexBytes(corners, index: 0)
    encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: corners.count)
    encoder.endEncoding()
  }

  /// Edges are quarters of the color; the twins cover the same samples as the driver.
  @Test(arguments: TestDevice.all, [RenderPassDescriptor.StoreAction.multisampleResolve, .storeAndMultisampleResolve])
  func edgesBecomeSmooth(_ test: TestDevice, _ action: RenderPassDescriptor.StoreAction) throws {
    let device = try test.open()
    let size = Size(41, 29)
    var dice = Dice(40)
    let corners = (0..<15).map { _ in Corner(dice.next(-1.3...1.3), dice.next(-1.3...1.3), SIMD4(200, 200, 200, 200)) }
    let resolved = try device.makeTexture(size, .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    try record(buffer, device, action, into: resolved, corners)
    let readback = buffer.blit { $0.read(resolved) }
    buffer.commit()
    try buffer.waitUntilCompleted()
    let painted = try readback.contents()
    #expect(Set(painted) == [0, 50, 100, 150, 200])
    #expect(try Device.open(.cpu).replay(buffer.recording).contents(of: readback) == painted)
  }

  /// A pass that clears and draws nothing resolves too.
  @Test(arguments: TestDevice.all)
  func aClearIsResolved(_ test: TestDevice) throws {
    let device = try test.open()
    let resolved = try device.makeTexture(Size(3, 3), .rgba8Unorm)
    let samples = try target(device, Size(3, 3))
    let pass = RenderPassDescriptor(colorAttachments: [
      .init(
        texture: samples, loadAction: .clear(0.2, 0.4, 0.6, 1), storeAction: .multisampleResolve,
        resolveTexture: resolved)
    ])
    try device.run { $0.render(pass, nil) }
    #expect(try device.contents(of: resolved) == (0..<9).flatMap { _ in [51, 102, 153, 255] as [UInt8] })
  }

  @Test(arguments: TestDevice.all)
  func aPipelineOfAnotherSampleCountIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let samples = try target(device, Size(3, 3))
    let error = try #require(throws: SafelightError.self) {
      try device.run {
        let encoder = $0.makeRenderCommandEncoder(RenderPassDescriptor(texture: samples))
        encoder.setRenderPipelineState(pipeline)
        encoder.setVertexBytes([Corner(-1, -1), Corner(3, -1), Corner(-1, 3)], index: 0)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
        encoder.endEncoding()
      }
    }
    #expect(error.kind == .usage)
    #expect(error.why.contains("it draws 1 samples a pixel"))
    #expect(error.why.hasSuffix("has 4"))
    var descriptor = DrawingFunctions.descriptor()
    descriptor.rasterSampleCount = 4096
    expectError(.limit) { try device.makeRenderPipelineState(descriptor) }
  }
}
