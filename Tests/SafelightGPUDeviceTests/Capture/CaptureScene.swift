import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A command buffer to capture, with resources that already have contents.
struct CaptureScene: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The least number of outputs.
  let outputs: Int
  var leavesZeros = false
  let body: @Sendable (Device, CommandBuffer) throws -> Void

  func record(_ device: Device) throws -> CommandBuffer {
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: testDescription)
    try body(device, buffer)
    return buffer
  }

  static let all = [copies, images, dispatches, passes, draws, depths]

  static let twins = TwinLibrary(OffsetFunctions.add, fetch, DrawingFunctions.flat, DrawingFunctions.flatColor)

  /// Copies in every direction between buffers of every storage mode and a texture.
  static let copies = CaptureScene(testDescription: "copies", outputs: 7) { device, buffer in
    let shared = try device.makeBuffer(bytes: .noise(256, seed: 1), label: "shared")
    let managed = try device.makeBuffer(length: 256, storageMode: .managed, label: "managed")
    try managed.contents().copyBytes(from: [UInt8].noise(256, seed: 2))
    managed.didModifyRange(0..<256)
    let hidden = try device.makeBuffer(length: 128, storageMode: .private, label: "hidden/private buffer")
    try device.blit { $0.write(.noise(128, seed: 3), to: hidden) }
    let texture = try device.makeTexture(Size(9, 5), .rgba8Unorm, bytes: .noise(180, seed: 4), label: "texture")
    let order = try device.makeTexture(Size(3, 2), .bgra8Unorm, label: "other order")
    buffer.pushDebugGroup("copies")
    buffer.blit { blit in
      blit.copy(from: shared, range: 8..<40, to: hidden, offset: 64)
      blit.fill(managed, range: 16..<32, value: 9)
      blit.write([1, 2, 3, 4, 5, 6, 7, 8], to: managed, offset: 40)
      blit.write(.noise(100, seed: 5), to: hidden, offset: 4)
      blit.write([7, 7, 7], to: hidden, offset: 1)
      blit.copy(from: shared, offset: 16, bytesPerRow: 40, to: texture, region: Region(x: 1, y: 1, width: 4, height: 3))
      blit.copy(from: texture, region: Region(x: 2, y: 0, width: 3, height: 2), to: hidden, offset: 8, bytesPerRow: 16)
      let picture = SyntheticImage.noise.image(Size(6, 4), channels: .rgba, depth: .bits8)
      blit.copy(from: picture, region: Region(x: 1, y: 1, width: 3, height: 2), to: order)
      blit.copy(from: picture, region: Region(x: 0, y: 2, width: 2, height: 2), to: texture, x: 7, y: 3)
      _ = blit.read(texture, as: .bgra8Unorm)
      blit.read(
        order, into: Readback(Size(5, 4), .bgra8Unorm), ofSize: Size(5, 4),
        at: Region(x: 1, y: 1, width: 3, height: 2))
      _ = blit.read(hidden, range: 3..<90)
      blit.synchronize(managed)
    }
    buffer.popDebugGroup()
  }

  /// Levels, slices, views and formats that PNG cannot hold.
  static let images = CaptureScene(testDescription: "images", outputs: 14, leavesZeros: true) { device, buffer in
    let array = try device.makeTexture(
      TextureDescriptor(.type2DArray, Size(8, 6), .rgba8Unorm, length: 2, levels: 4), label: "array")
    let flat = try device.makeTexture(TextureDescriptor(Size(8, 4), .rgba8Unorm, mipmapped: true), label: "flat")
    let lower = flat.makeTextureView(levels: 1..<3, label: "lower")
    let words = try device.makeTexture(Size(3, 3), .r32Uint, label: "words")
    let deep = try device.makeTexture(Size(3, 3), .rgba16Uint, label: "deep")
    buffer.blit { blit in
      // One color, as the mean of four equal ones is exact on every driver.
      blit.write([UInt8](repeating: 90, count: 128), to: flat)
      blit.generateMipmaps(for: flat)
      blit.write(
        .noise(8, seed: 6), to: lower, image: TextureImage(level: 0), region: Region(x: 1, y: 1, width: 2, height: 1))
      blit.copy(
        from: flat, sourceImage: TextureImage(level: 1), to: array, destinationImage: TextureImage(level: 1, slice: 1))
      blit.write(.noise(36, seed: 7), to: words)
      blit.write(.noise(72, seed: 8), to: deep)
      _ = blit.read(deep)
      _ = blit.read(lower)
    }
  }

  /// Offsets, indirect grids, bytes and blocks of buffers.
  static let dispatches = CaptureScene(testDescription: "dispatches", outputs: 2) { device, buffer in
    let numbers = try device.makeBuffer(bytes: .noise(400, seed: 9), label: "numbers")
    let grid = try device.makeBuffer(bytes: ([3, 1, 1] as [UInt32]).bytes, label: "grid")
    let amount = try device.makeBuffer(bytes: .noise(16, seed: 10), label: "amount")
    let pipeline = try device.makeComputePipelineState(OffsetFunctions.add, threadsPerThreadgroup: Size(8, 1))
    buffer.compute { encoder in
      encoder.setComputePipelineState(pipeline)
      encoder.setBuffer(numbers, offset: 20, index: 0)
      encoder.add(5, toWords: 13)
      encoder.setBuffer(numbers, index: 0)
      encoder.dispatchThreadgroups(indirectBuffer: grid, threadsPerThreadgroup: Size(8, 1))
    }
    buffer.compute { encoder in
      encoder.setComputePipelineState(pipeline)
      encoder.setBuffer(numbers, offset: 260, index: 0)
      encoder.setBuffer(amount, index: 1)
      encoder.dispatchThreadgroups(Size(1, 1), threadsPerThreadgroup: Size(8, 1))
    }
    _ = buffer.blit { $0.read(numbers, range: 0..<400) }
  }

  /// Draws and clears.
  static let passes = CaptureScene(testDescription: "passes", outputs: 4) { device, buffer in
    let source = try device.makeTexture(Size(7, 5), .rgba8Unorm, bytes: .noise(140, seed: 11), label: "source")
    let target = try device.makeTexture(Size(7, 5), .rgba8Unorm, label: "target")
    let cleared = try device.makeTexture(Size(2, 2), .rgba8Unorm, label: "cleared")
    let kept = try device.makeTexture(Size(2, 2), .r8Unorm, bytes: [4, 3, 2, 1], label: "kept")
    let sampler = try device.makeSamplerState(SamplerDescriptor(filter: .linear, address: .repeat), label: "smooth")
    let pipeline = try device.makeRenderPipelineState(fullScreen: fetch)
    buffer.render(RenderPassDescriptor(texture: target), pipeline) {
      $0.setFragmentTexture(source, index: 0)
      $0.bindings.samplers[0] = sampler
    }
    buffer.render(RenderPassDescriptor(texture: cleared, loadAction: .clear(1, 0, 0.2, 1)))
    buffer.render(RenderPassDescriptor(texture: kept, loadAction: .load))
    _ = buffer.blit { [$0.read(target), $0.read(kept)] }
  }

  /// Corners from buffers and bytes, indices, instances, indirect arguments, blending, scissors, several samples a
  /// pixel.
  static let draws = CaptureScene(testDescription: "draws", outputs: 4) { device, buffer in
    let corners = [
      Corner(-1, -1, .red), Corner(1, -1, .green), Corner(-1, 1, SIMD4(90, 80, 70, 255)),
      Corner(1, 1, SIMD4(9, 8, 7, 255)),
    ]
    let data = try device.makeBuffer(bytes: corners.bytes, label: "corners")
    let indices = try device.makeBuffer(bytes: [0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 3, 0], label: "indices")
    let arguments = try device.makeBuffer(bytes: ([3, 1, 0, 0] as [UInt32]).bytes, label: "arguments")
    let seen = try device.makeBuffer(length: 16, label: "seen")
    let target = try device.makeTexture(Size(16, 12), .rgba8Unorm, label: "target")
    var descriptor = DrawingFunctions.descriptor()
    let plain = try device.makeRenderPipelineState(descriptor)
    descriptor.colorAttachments[0].isBlendingEnabled = true
    descriptor.colorAttachments[0].destinationRGBBlendFactor = .one
    descriptor.colorAttachments[0].writeMask = [.red, .alpha]
    let added = try device.makeRenderPipelineState(descriptor)
    var pass = RenderPassDescriptor(texture: target, loadAction: .clear(0, 0, 0.2, 1))
    pass.visibilityResultBuffer = seen
    let encoder = buffer.makeRenderCommandEncoder(pass, label: "draws")
    encoder.setRenderPipelineState(plain)
    encoder.setVertexBuffer(data, index: 0)
    encoder.setVisibilityResultMode(.boolean, offset: 8)
    encoder.setScissorRect(Region(x: 1, y: 1, width: 13, height: 9))
    encoder.drawIndexedPrimitives(.triangle, indexCount: 6, indexType: .uint16, indexBuffer: indices)
    encoder.setVisibilityResultMode(.disabled, offset: 0)
    encoder.setViewport(Viewport(originX: 4, originY: 2, width: 8, height: 8))
    encoder.setCullMode(.none)
    encoder.drawPrimitives(.triangle, indirectBuffer: arguments)
    encoder.setRenderPipelineState(added)
    encoder.setVertexBytes(corners, index: 0)
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    encoder.endEncoding()
    try resolve(device, buffer, data)
    _ = buffer.blit { $0.read(target) }
  }

  /// Draws several samples a pixel, if the device has them, and resolves them; the edges lie between pixels.
  private static func resolve(_ device: Device, _ buffer: CommandBuffer, _ data: Buffer) throws {
    let resolved = try device.makeTexture(Size(8, 8), .rgba8Unorm, label: "resolved")
    let shape = TextureDescriptor(.type2DMultisample, Size(8, 8), .rgba8Unorm, samples: 4)
    let attachment = RenderPassDescriptor.ColorAttachment(
      texture: try device.makeTexture(shape, label: "samples"),
      loadAction: .clearColor(RenderPassDescriptor.ClearColor(red: 1, green: 1, blue: 0, alpha: 1)),
      storeAction: .multisampleResolve, resolveTexture: resolved)
    buffer.render(RenderPassDescriptor(colorAttachments: [attachment]))
    _ = buffer.blit { $0.read(resolved) }
  }

  /// Depths and stencils of two passes: the first writes only depths, the second loads them.
  static let depths = CaptureScene(testDescription: "depths", outputs: 1) { device, buffer in
    let format = PixelFormat.depth32Float_stencil8
    let texture = try device.makeTexture(Size(4, 4), format, label: "deep")
    let target = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "target")
    var alone = DepthDrawing.descriptor(format)
    alone.colorAttachments = []
    alone.fragmentFunction = nil
    let first = buffer.makeRenderCommandEncoder(
      RenderPassDescriptor(
        colorAttachments: [], depthAttachment: .init(texture: texture, storeAction: .store, clearDepth: 0.5),
        stencilAttachment: .init(texture: texture, storeAction: .store, clearStencil: 200)), label: "depth alone")
    first.setRenderPipelineState(try device.makeRenderPipelineState(alone))
    first.testNearer(device)
    first.setScissorRect(Region(x: 0, y: 0, width: 2, height: 4))
    first.draw(.sheet(0.25, .red))
    first.endEncoding()
    let pass = RenderPassDescriptor(
      colorAttachments: [.init(texture: target, loadAction: .clear(0, 0, 0, 1))],
      depthAttachment: .init(texture: texture, loadAction: .load),
      stencilAttachment: .init(texture: texture, loadAction: .load))
    let second = buffer.makeRenderCommandEncoder(pass, label: "both")
    second.setRenderPipelineState(try device.makeRenderPipelineState(DepthDrawing.descriptor(format)))
    second.test(device) {
      $0.frontFaceStencil.stencilCompareFunction = .equal
      $0.frontFaceStencil.readMask = 0xf0
      $0.frontFaceStencil.depthStencilPassOperation = .incrementWrap
      $0.depthCompareFunction = .less
    }
    second.setStencilReferenceValues(front: 0xc1, back: 3)
    second.setDepthBias(-8, slopeScale: 0, clamp: 0)
    second.draw(.sheet(0.375, .green))
    second.endEncoding()
    _ = buffer.blit { $0.read(target) }
  }

  /// Fetches each pixel of texture 0.
  static let fetch = ShaderFunction(
    "fetch",
    """
    layout(binding = 0) uniform sampler2D source;
    layout(location = 0) out vec4 color;
    void main() { color = texelFetch(source, ivec2(gl_FragCoord.xy), 0); }
    """, arguments: [.sampledTexture(0)],
    twin: ShaderTwin { arguments in
      guard let target = arguments.colorAttachment else { return }
      arguments.texture(0).withSamples(of: UInt8.self) { source in
        target.withMutableSamples(of: UInt8.self) { _ = $0.update(fromContentsOf: source) }
      }
    })
}
