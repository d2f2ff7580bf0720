import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Targets of several samples a pixel, and their resolves.
@Suite struct MultisampleDeviceTests {
  private func target(_ device: Device, _ size: Size) throws -> Texture {
    try device.makeTexture(TextureDescriptor(.type2DMultisample, size, .rgba8Unorm, samples: 4))
  }

  private func record(
    _ buffer: CommandBuffer, _ device: Device, _ action: RenderPassDescriptor.StoreAction, into resolved: Texture,
    _ corners: [Corner]
  ) throws {
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor(samples: 4))
    let samples = try target(device, resolved.size)
    let pass = RenderPassDescriptor(colorAttachments: [
      .init(texture: samples, loadAction: .clear(0, 0, 0, 0), storeAction: action, resolveTexture: resolved)
    ])
    buffer.render(pass) { $0.draw(corners, with: pipeline) }
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
    try buffer.finish()
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
    func draw() throws {
      try device.run {
        $0.render(RenderPassDescriptor(texture: samples)) { $0.draw(Corner.everywhere, with: pipeline) }
      }
    }
    expectError(.usage, why: .containing("it draws 1 samples a pixel")) { try draw() }
    expectError(.usage, why: .ending("has 4")) { try draw() }
    expectError(.limit) { try device.makeRenderPipelineState(DrawingFunctions.descriptor(samples: 4096)) }
  }
}
