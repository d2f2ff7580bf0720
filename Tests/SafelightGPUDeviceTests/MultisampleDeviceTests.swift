import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Targets of several samples a pixel, and their resolves.
@Suite struct MultisampleDeviceTests {
  private func target(_ device: Device, _ size: Size) throws -> Texture {
    try device.makeTexture(TextureDescriptor(.type2DMultisample, size, .rgba8Unorm, samples: 4))
  }

  /// Edges are quarters of the color; the twins cover the same samples as the driver.
  @Test(arguments: TestDevice.all, [RenderPassDescriptor.StoreAction.multisampleResolve, .storeAndMultisampleResolve])
  func edgesBecomeSmooth(_ test: TestDevice, _ action: RenderPassDescriptor.StoreAction) throws {
    let device = try test.open()
    let size = Size(41, 29)
    var dice = Dice(40)
    let corners = (0..<15).map { _ in Corner(dice.next(-1.3...1.3), dice.next(-1.3...1.3), SIMD4(200, 200, 200, 200)) }
    let (samples, resolved) = (try target(device, size), try device.makeTexture(size, .rgba8Unorm))
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor(samples: 4))
    let pass = RenderPassDescriptor(colorAttachments: [
      .init(texture: samples, loadAction: .clear(0, 0, 0, 0), storeAction: action, resolveTexture: resolved)
    ])
    let (painted, twin) = try device.replayed { buffer in
      buffer.render(pass) { $0.draw(corners, with: pipeline) }
      return buffer.blit { $0.read(resolved) }
    }
    #expect(Set(painted) == [0, 50, 100, 150, 200])
    #expect(twin == painted)
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
    try device.render(pass)
    #expect(try device.contents(of: resolved) == (0..<9).flatMap { _ in [51, 102, 153, 255] as [UInt8] })
  }

  @Test(arguments: TestDevice.all)
  func aPipelineOfAnotherSampleCountIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let samples = try target(device, Size(3, 3))
    expectError(.usage, why: .ends("it draws 1 samples a pixel", "has 4")) {
      try device.render(RenderPassDescriptor(texture: samples)) { $0.draw(Corner.everywhere, with: pipeline) }
    }
    expectError(.limit) { try device.makeRenderPipelineState(DrawingFunctions.descriptor(samples: 4096)) }
  }
}

/// Arrays of images with several samples a pixel, and the formats that support them.
@Suite struct MultisampleArrayDeviceTests {
  private func array(_ size: Size, _ type: TextureDescriptor.TextureType, samples: Int = 1) -> TextureDescriptor {
    TextureDescriptor(type, size, .rgba8Unorm, length: 3, samples: samples)
  }

  /// A pass into a slice, which may be resolved to the same slice of another texture.
  private func pass(
    _ slice: Int, of texture: Texture, _ load: RenderPassDescriptor.LoadAction,
    _ store: RenderPassDescriptor.StoreAction = .store, to resolved: Texture? = nil
  ) -> RenderPassDescriptor {
    var attachment = RenderPassDescriptor.ColorAttachment(
      texture: texture, loadAction: load, storeAction: store, resolveTexture: resolved)
    (attachment.image.slice, attachment.resolveImage.slice) = (slice, slice)
    return RenderPassDescriptor(colorAttachments: [attachment])
  }

  /// Each slice is drawn and resolved separately; the twins cover the same samples.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func everySliceIsDrawnAndResolved(_ test: TestDevice) throws {
    let device = try test.open()
    let size = Size(23, 17)
    let samples = array(size, .type2DMultisampleArray, samples: 4)
    guard device.capabilities.features.contains(.multisampleArrays) else {
      return expectError(.unsupported, remedy: .containing("one texture")) { try device.makeTexture(samples) }
    }
    let source = try device.makeTexture(samples)
    let resolved = try device.makeTexture(array(size, .type2DArray))
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor(samples: 4))
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    var dice = Dice(7)
    for slice in [2, 0, 1] {
      let shade = UInt8(40 * (slice + 1))
      let corners = (0..<9).map { _ in
        Corner(dice.next(-1.3...1.3), dice.next(-1.3...1.3), SIMD4(repeating: shade))
      }
      buffer.render(pass(slice, of: source, .clear(0, 0, 0, 0))) { $0.draw(corners, with: pipeline) }
    }
    // Resolved after all are drawn, so that no slice can pass for another.
    for slice in 0..<3 {
      buffer.render(pass(slice, of: source, .load, .multisampleResolve, to: resolved))
    }
    let readbacks = buffer.blit { blit in (0..<3).map { blit.read(resolved, image: TextureImage(slice: $0)) } }
    try buffer.finish()
    let twin = try Device.open(.cpu).replay(buffer.recording)
    for (slice, readback) in readbacks.enumerated() {
      let bytes = try readback.contents()
      #expect(Set(bytes) == Set((0...4).map { UInt8(10 * (slice + 1) * $0) }))
      #expect(twin.contents(of: readback) == bytes)
    }
  }

  /// Slices are initially zero, and a view of one is a plain multisample texture on devices with views.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func aSliceIsATexture(_ test: TestDevice) throws {
    let device = try test.open()
    let features = device.capabilities.features
    let descriptor = array(Size(2, 2), .type2DMultisampleArray, samples: 4)
    guard features.contains(.multisampleArrays) else {
      return expectError(.unsupported) { try device.makeTexture(descriptor) }
    }
    let source = try device.makeTexture(descriptor)
    let resolved = try device.makeTexture(array(Size(2, 2), .type2DArray))
    let view = source.makeTextureView(textureType: .type2DMultisample, slices: 1..<2)
    func clear() throws {
      try device.render(RenderPassDescriptor(texture: view, loadAction: .clear(1, 1, 1, 1)))
    }
    guard features.contains(.textureViews) else {
      return expectError(.unsupported, why: .containing("GL_EXT_texture_view")) { try clear() }
    }
    try clear()
    for slice in 0..<3 {
      let pass = pass(slice, of: source, .load, .storeAndMultisampleResolve, to: resolved)
      try device.render(pass)
      #expect(try resolved.getBytes(slice: slice).allSatisfy { $0 == (slice == 1 ? 255 : 0) })
    }
  }

  /// Integer formats have as many samples as the device reports; a resolve takes one of them.
  @Test(arguments: TestDevice.allAndMinimumCPU)
  func integersHaveTheirOwnLimit(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = TextureDescriptor(.type2DMultisample, Size(2, 2), .rgba16Uint, samples: 4)
    let limit = device.capabilities.render.integerSamples
    guard limit >= 4 else {
      return expectError(.limit, why: .ending("rgba16Uint exceed this device's limit of \(limit)")) {
        try device.makeTexture(descriptor)
      }
    }
    let samples = try device.makeTexture(descriptor)
    let resolved = try device.makeTexture(Size(2, 2), .rgba16Uint)
    let color = RenderPassDescriptor.ClearColor(red: 1, green: 500, blue: 60000, alpha: 4)
    let pass = RenderPassDescriptor(colorAttachments: [
      .init(
        texture: samples, loadAction: .clearColor(color), storeAction: .multisampleResolve, resolveTexture: resolved)
    ])
    try device.render(pass)
    #expect(try resolved.getBytes().words(UInt16.self) == (0..<4).flatMap { _ in [1, 500, 60000, 4] as [UInt16] })
  }

  /// Depths and stencils have as many samples as the device reports.
  @Test func depthsHaveTheirOwnLimit() throws {
    var limits = Capabilities.minimum
    limits.render.depthSamples = 1
    let device = try Device.open(.cpu, options: DeviceOptions(limits: limits))
    _ = try DepthDrawing.texture(device, Size(2, 2), .rgba8Unorm, samples: 4)
    for format in [PixelFormat.depth16Unorm, .stencil8] {
      expectError(.limit, why: .ending("exceed this device's limit of 1")) {
        try DepthDrawing.texture(device, Size(2, 2), format, samples: 4)
      }
    }
  }

  /// A recording that another device made is refused where it is replayed.
  @Test func aReplayIsRefusedAsTheTextureWouldBe() throws {
    let maker = try Device.open(.cpu)
    let source = try maker.makeTexture(array(Size(2, 2), .type2DMultisampleArray, samples: 4), label: "array")
    let buffer = maker.makeCommandQueue().makeCommandBuffer()
    buffer.render(RenderPassDescriptor(texture: source, loadAction: .clear(0, 0, 0, 0)), nil)
    let errors = try TestDevice.atMinimumLimits.map { test in
      let device = try test.open()
      return #expect(throws: SafelightError.self) { _ = try device.replay(buffer.recording) }
    }
    #expect(errors[0]?.kind == .unsupported && errors[0]?.what.contains("'array'") == true && errors[0] == errors[1])
  }
}
