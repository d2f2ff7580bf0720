import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures over buffers: each shows writes to the other, in the order of the commands.
@Suite struct LinearTextureDeviceTests {
  /// Three rows of two pixels, rows 12 bytes apart, from byte 4 on.
  private static let offset = 4
  private static let stride = 12
  private static let length = 4 + 3 * 12

  private func make(_ device: Device) throws -> (Buffer, Texture) {
    let buffer = try device.makeBuffer(length: Self.length, label: "bytes")
    let texture = try device.makeTexture(
      TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, offset: Self.offset, bytesPerRow: Self.stride,
      label: "picture")
    return (buffer, texture)
  }

  /// The bytes of the buffer that belong to pixels.
  private func pixels(_ bytes: [UInt8]) -> [UInt8] {
    (0..<3).flatMap { bytes[(Self.offset + $0 * Self.stride)...].prefix(8) }
  }

  /// The bytes of the buffer between rows.
  private func padding(_ bytes: [UInt8]) -> [UInt8] {
    bytes.prefix(Self.offset) + (0..<3).flatMap { bytes[(Self.offset + $0 * Self.stride + 8)...].prefix(4) }
  }

  @Test(arguments: TestDevice.all)
  func theTextureShowsTheBuffersBytes(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    #expect(device.minimumLinearTextureAlignment(for: .rgba8Unorm) == 4)
    let bytes = (0..<Self.length).map { UInt8($0) }
    try buffer.contents().copyBytes(from: bytes)
    #expect(try device.contents(of: texture) == pixels(bytes))
    try buffer.contents().storeBytes(of: 200, toByteOffset: Self.offset, as: UInt8.self)
    #expect(try texture.getBytes(from: Region(x: 0, y: 0, width: 1, height: 1)) == [200, 5, 6, 7])
  }

  @Test(arguments: TestDevice.all)
  func theBufferShowsTheTexturesPixels(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    try device.blit { $0.fill(buffer, range: 0..<Self.length, value: 9) }
    let pixel: [UInt8] = [1, 2, 3, 4]
    try texture.replace(region: Region(x: 1, y: 2, width: 1, height: 1), withBytes: pixel)
    var expected = [UInt8](repeating: 9, count: Self.length)
    expected.replaceSubrange((Self.offset + 2 * Self.stride + 4)..<(Self.offset + 2 * Self.stride + 8), with: pixel)
    #expect(Array(try buffer.contents()) == expected)
    // A render pass writes every pixel and no byte between rows.
    try device.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 1, 0, 1)))
    #expect(pixels(Array(try buffer.contents())) == [UInt8](repeating: 0, count: 6).flatMap { _ in [0, 255, 0, 255] })
    #expect(padding(Array(try buffer.contents())) == [UInt8](repeating: 9, count: 16))
  }

  /// In one command buffer, one encoder and across encoders.
  @Test(arguments: TestDevice.all)
  func commandsSeeEachOther(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    let copies = try (0..<4).map { try device.makeTexture(Size(2, 3), .rgba8Unorm, label: "copy \($0)") }
    try device.run { commands in
      commands.blit {
        $0.fill(buffer, range: 0..<Self.length, value: 1)
        $0.copy(from: texture, to: copies[0])
        $0.fill(buffer, range: 0..<Self.length, value: 2)
        $0.copy(from: texture, to: copies[1])
        $0.write([UInt8](repeating: 3, count: 24), to: texture)
        $0.copy(from: buffer, range: Self.offset..<Self.offset + 4, to: buffer, offset: Self.offset + 4)
        $0.copy(from: texture, to: copies[2])
      }
      commands.blit { $0.fill(buffer, range: 0..<Self.length, value: 4) }
      commands.blit { $0.copy(from: texture, to: copies[3]) }
    }
    for (number, copy) in copies.enumerated() {
      #expect(try device.contents(of: copy) == [UInt8](repeating: UInt8(number + 1), count: 24), "copy \(number)")
    }
  }

  /// While a command buffer waits, others may write the bytes.
  @Test(arguments: TestDevice.all)
  func aWaitMayChangeEverything(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    let copies = try (0..<2).map { try device.makeTexture(Size(2, 3), .rgba8Unorm, label: "copy \($0)") }
    let event = device.makeEvent()
    let waiting = device.makeCommandQueue().makeCommandBuffer()
    waiting.blit { $0.copy(from: texture, to: copies[0]) }
    waiting.encodeWaitForEvent(event, value: 1)
    waiting.blit { $0.copy(from: texture, to: copies[1]) }
    waiting.commit()
    try device.run { other in
      other.blit { $0.fill(buffer, range: 0..<Self.length, value: 8) }
      other.encodeSignalEvent(event, value: 1)
    }
    try waiting.waitUntilCompleted()
    #expect(try device.contents(of: copies[0]) == [UInt8](repeating: 0, count: 24))
    #expect(try device.contents(of: copies[1]) == [UInt8](repeating: 8, count: 24))
  }

  @Test(arguments: TestDevice.all)
  func twoTexturesOfOneBufferSeeEachOther(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, first) = try make(device)
    let second = try device.makeTexture(
      TextureDescriptor(Size(12, 3), .r8Unorm), over: buffer, offset: Self.offset, bytesPerRow: Self.stride)
    let copy = try device.makeTexture(Size(12, 3), .r8Unorm)
    try device.blit {
      $0.copy(from: second, to: copy)
      $0.write([UInt8](repeating: 7, count: 24), to: first)
      $0.copy(from: second, to: copy)
    }
    let row = [UInt8](repeating: 7, count: 8) + [0, 0, 0, 0]
    #expect(try device.contents(of: copy) == row + row + row)
  }

  /// Drawing of a pass shows in another texture of the same buffer that was current before.
  @Test(arguments: TestDevice.all)
  func aPassIsSeenByTheOtherTexture(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, first) = try make(device)
    let second = try device.makeTexture(
      TextureDescriptor(Size(8, 1), .r8Unorm), over: buffer, offset: Self.offset, bytesPerRow: Self.stride)
    let copy = try device.makeTexture(Size(8, 1), .r8Unorm)
    try device.run { commands in
      commands.blit { $0.copy(from: second, to: copy) }
      commands.render(RenderPassDescriptor(texture: first, loadAction: .clear(0, 1, 0, 1)))
      commands.blit { $0.copy(from: second, to: copy) }
    }
    #expect(try device.contents(of: copy) == [0, 255, 0, 255, 0, 255, 0, 255])
  }

  /// The source of a copy is outdated if the copy wrote to bytes that it shows.
  @Test(arguments: TestDevice.all)
  func aCopyBetweenTexturesThatOverlap(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(bytes: [1, 2, 3])
    let pair = TextureDescriptor(Size(2, 1), .r8Unorm)
    let first = try device.makeTexture(pair, over: buffer, bytesPerRow: 2)
    let second = try device.makeTexture(pair, over: buffer, offset: 1, bytesPerRow: 2)
    let copy = try device.makeTexture(Size(2, 1), .r8Unorm)
    try device.blit {
      $0.copy(from: second, to: first)
      $0.copy(from: second, to: copy)
    }
    #expect(Array(try buffer.contents()) == [2, 3, 3])
    #expect(try device.contents(of: copy) == [3, 3])
  }

  /// A kernel stores to some pixels; the others keep what the buffer held.
  @Test(arguments: TestDevice.all)
  func kernelsStoreThroughTheTexture(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    let pipeline = try device.makeComputePipelineState(Self.corner, threadsPerThreadgroup: Size(1, 1))
    try device.run {
      $0.blit { $0.fill(buffer, range: 0..<Self.length, value: 5) }
      $0.dispatch(pipeline, Size(1, 1), group: Size(1, 1)) { $0.setTexture(texture, index: 0) }
    }
    var expected = [UInt8](repeating: 5, count: Self.length)
    expected.replaceSubrange(Self.offset..<Self.offset + 4, with: [10, 20, 30, 40])
    #expect(Array(try buffer.contents()) == expected)
  }

  private static let corner = ShaderFunction(
    "corner",
    """
    #include "Common/compute.glsl"
    layout(binding = 0, rgba8ui) writeonly uniform highp uimage2D destination;
    void main() {
      if (!isOutsideGrid()) imageStore(destination, ivec2(0), uvec4(10u, 20u, 30u, 40u));
    }
    """, arguments: [.storageTexture(0)],
    twin: ShaderTwin { arguments in
      arguments.texture(0).withMutableSamples(of: UInt8.self) { samples in
        for channel in 0..<4 { samples[channel] = UInt8(10 * (channel + 1)) }
      }
    })

  /// Draws three triangles over the whole of `texture`, each in its own shade, from the buffers of `corners`.
  private func drawThree(_ device: Device, _ corners: [Buffer], into texture: Texture) throws -> CommandBuffer {
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let commands = device.makeCommandQueue().makeCommandBuffer(label: "pass")
    commands.render(RenderPassDescriptor(texture: texture, loadAction: .clear(1, 0, 0, 1)), with: pipeline) { encoder in
      for corners in corners {
        encoder.setVertexBuffer(corners, index: 0)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    }
    return commands
  }

  /// Copies may wait in some drivers, so there is one for a pass, not one for a draw.
  @Test(arguments: TestDevice.all)
  func aPassIsCopiedOnce(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, texture) = try make(device)
    let corners = try (1...3).map { shade in
      try device.makeBuffer(bytes: Corner.covering(SIMD4(UInt8(shade), 7, 8, 255)).bytes)
    }
    let commands = try drawThree(device, corners, into: texture)
    #expect(kinds(commands) == ["draw", "draw", "draw", "out"])
    try commands.finish()
    #expect(pixels(Array(try buffer.contents())) == [UInt8](repeating: 0, count: 6).flatMap { _ in [3, 7, 8, 255] })
  }

  /// A draw that reads the buffer sees the draws before it.
  @Test func aDrawThatReadsTheBufferHasItCopiedBefore() throws {
    let device = try Device.open(.cpu)
    let (buffer, texture) = try make(device)
    let corners = try device.makeBuffer(length: 48)
    let commands = try drawThree(device, [corners, buffer, corners], into: texture)
    #expect(kinds(commands) == ["draw", "out", "draw", "draw", "out"])
  }

  private func kinds(_ commands: CommandBuffer) -> [String] {
    commands.recording.commands.compactMap { entry in
      switch entry.command {
      case .upload: "upload"
      case .draw: "draw"
      case .copyTextureToBuffer: "out"
      case .copyBufferToTexture: "in"
      default: nil
      }
    }
  }

  /// A capture lists the copies as commands, and replays without linear textures.
  @Test(arguments: TestDevice.all)
  func aRecordingHoldsTheCopies(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let (buffer, texture) = try make(device)
    let commands = device.makeCommandQueue().makeCommandBuffer(label: "copies")
    commands.blit {
      $0.write([UInt8](repeating: 6, count: 24), to: texture)
      $0.write([UInt8](repeating: 7, count: 24), to: texture)
    }
    #expect(kinds(commands) == ["upload", "out", "upload", "out"])
    try commands.finish()
    #expect(pixels(Array(try buffer.contents())) == [UInt8](repeating: 7, count: 24))
  }
}
