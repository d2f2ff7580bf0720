import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Textures with exported memory.
@Suite struct DMABufferExportDeviceTests {
  static let formats: [PixelFormat] = [.r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm]
  private let size = Size(37, 9)

  private func noise(_ format: PixelFormat) -> [UInt8] { .noise(size.area * format.bytesPerPixel) }

  /// Two devices see each other's drawing in the same memory.
  @Test(arguments: TestDevice.onEveryPlatform, formats)
  func aSecondDeviceSeesWhatTheFirstDrew(_ test: TestDevice, _ format: PixelFormat) throws {
    let first = try test.open()
    let texture = try first.makeSharedTexture(size, format, label: "shared")
    #expect(texture.pixelFormat == format)
    #expect(try first.contents(of: texture).allSatisfy { $0 == 0 })
    try texture.replace(region: texture.bounds, withBytes: noise(format))
    let exported = try texture.exportDMABuffer()
    #expect(exported.size == size)
    #expect(exported.identity == texture.sharedPlane?.buffer.identity)
    for second in [try test.openAnother(), try Device.open(.cpu)] {
      let other = try second.makeTexture(importing: exported)
      #expect(try second.contents(of: other) == noise(format))
      // And back.
      try second.render(RenderPassDescriptor(texture: other, loadAction: .clear(1, 1, 1, 1)))
      #expect(try first.contents(of: texture).allSatisfy { $0 == 255 })
      try texture.replace(region: texture.bounds, withBytes: noise(format))
    }
    #expect(texture.isZeroCopy == (texture.copyReason == nil))
    if first.info.isCPU { #expect(!texture.isZeroCopy) }
  }

  @Test(.enabled(if: PrimaryNode.path != nil), arguments: TestDevice.glesOnEveryPlatform)
  func memoryOfTheDevicesNodeIsPreferred(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeSharedTexture(size, .bgra8Unorm)
    #expect(texture.isZeroCopy == (device.info.node == PrimaryNode.path))
  }

  /// A texture with memory of its own is shared without a copy, or every backend refuses with the same words.
  @Test(arguments: TestDevice.onEveryPlatform)
  func aTextureOfItsOwnIsSharedOrRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(size, .rgba8Unorm, label: "own")
    try texture.replace(region: texture.bounds, withBytes: noise(.rgba8Unorm))
    let exports = device.capabilities.features.contains(.dmaBufferExport)
    if exports && !device.info.isSoftware {
      let other = try test.openAnother()
      #expect(try other.contents(of: other.makeTexture(importing: texture.exportDMABuffer())) == noise(.rgba8Unorm))
      return
    }
    expectError(
      .unsupported, what: .beginning("texture 'own'"),
      why: exports ? nil : "this device cannot share memory of its own (no EGL_MESA_image_dma_buf_export)",
      remedy: exports ? nil : .containing("makeSharedTexture")
    ) { try texture.exportDMABuffer() }
    // The texture is not affected.
    #expect(try device.contents(of: texture) == noise(.rgba8Unorm))
  }

  @Test func theCPUAndTheMinimumsShareNothingOfTheirOwn() throws {
    for device in [try Device.open(.cpu), try TestDevice.minimum.open()] {
      #expect(!device.capabilities.features.contains(.dmaBufferExport))
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func formatsThatAreNotSharedAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    expectError(
      .unsupported, what: "texture 'deep'",
      remedy: "copy it into a texture of one of these formats: r8Unorm, rg8Unorm, rgba8Unorm, bgra8Unorm"
    ) { try device.makeSharedTexture(size, .rgba16Uint, label: "deep") }
    expectError(.limit) { try device.makeSharedTexture(Size(1 << 21, 1), .r8Unorm, label: "wide") }
  }

  /// Each descriptor is closed exactly once.
  @Test(arguments: TestDevice.onEveryPlatform)
  func noDescriptorIsLeft(_ test: TestDevice) throws {
    let device = try test.open()
    var witness: Int32 = -1
    try scope {
      let texture = try device.makeSharedTexture(size, .rgba8Unorm)
      let descriptor = try #require(texture.sharedPlane?.buffer.planes.first?.descriptor)
      witness = try #require(MemoryFile.anotherDescriptor(of: descriptor))
      for _ in 0..<20 {
        let exported = try texture.exportDMABuffer()
        let again = try device.makeTexture(importing: exported)
        #expect(try device.contents(of: again).count == size.area * 4)
      }
    }
    defer { MemoryFile.close(witness) }
    try device.settle()
    _ = device.statistics
    #expect(MemoryFile.descriptorCount(of: witness) == 1)
  }
}

/// Memory shared by several devices and processes, with events in the middle of command buffers to pass it on.
@Suite struct SharedMemoryOrderDeviceTests {
  private let size = Size(8, 4)

  private func memory() throws -> DMABuffer { try DMABufferTextureDeviceTests.Memory.file.make(size, .r8) }

  private func bytes(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: size.area) }

  private func upload(_ value: UInt8, _ texture: Texture, _ buffer: CommandBuffer) {
    buffer.blit { $0.copy(from: Image(size: size, channels: .gray, depth: .bits8, bytes: bytes(value)), to: texture) }
  }

  /// After the signal another owner has the memory: later commands of the buffer do not access it.
  @Test(arguments: TestDevice.all, [false, true])
  func whatWasHandedOverIsNotWrittenAgain(_ test: TestDevice, signalsTwice: Bool) throws {
    let device = try test.openAnother()
    let memory = try memory()
    let texture = try device.makeTexture(importing: memory)
    let other = try device.makeBuffer(length: 64)
    let event = device.makeSharedEvent()
    let seen = Mutex<[[UInt8]]>([])
    let theirs = bytes(9)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    upload(5, texture, buffer)
    buffer.encodeSignalEvent(event, value: 1)
    buffer.blit { $0.fill(other, range: 0..<64, value: 1) }
    if signalsTwice { buffer.encodeSignalEvent(event, value: 2) }
    event.notify(atValue: 1) { _, _ in
      if let contents = try? memory.contents() { seen.withLock { $0.append(contents) } }
      #expect(throws: Never.self) { try memory.replace(with: theirs) }
    }
    try buffer.finish()
    #expect(seen.withLock { $0 } == [bytes(5)])
    #expect(try memory.contents() == theirs)
    // The device sees it too.
    #expect(try device.contents(of: texture) == theirs)
  }

  /// A wait that ends at once and one that blocks the command buffer give the same result.
  @Test(arguments: TestDevice.all, [false, true])
  func whatWasWrittenBeforeAWaitIsSeenBehindIt(_ test: TestDevice, isHeld: Bool) throws {
    let device = try test.openAnother()
    let memory = try memory()
    let texture = try device.makeTexture(importing: memory)
    let words = try device.makeBuffer(bytes: bytes(1))
    let kept = try device.makeBuffer(bytes: bytes(1))
    let (asked, answered) = (device.makeSharedEvent(), device.makeSharedEvent())
    let theirs = bytes(9)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let before = buffer.blit { [$0.read(texture), $0.read(words, range: 0..<32)] }
    buffer.encodeSignalEvent(asked, value: 1)
    // Not copied out if the wait ends at once; the process's copy is older.
    buffer.blit { $0.fill(kept, range: 0..<32, value: 3) }
    buffer.encodeWaitForEvent(answered, value: 1)
    let after = buffer.blit { [$0.read(texture), $0.read(words, range: 0..<32), $0.read(kept, range: 0..<32)] }
    let write: @Sendable () -> Void = {
      #expect(throws: Never.self) {
        try memory.replace(with: theirs)
        try words.withContents(of: UInt8.self) { span in for index in 0..<32 { span[index] = 9 } }
      }
      answered.signaledValue = 1
    }
    if !isHeld { asked.notify(atValue: 1) { _, _ in write() } }
    buffer.commit()
    if isHeld {
      #expect(device.statistics.heldCommandBuffers == 1)
      write()
    }
    try buffer.waitUntilCompleted()
    #expect(try before.map { try $0.contents() } == [bytes(0), bytes(1)])
    #expect(try after.map { try $0.contents() } == [theirs, theirs, bytes(3)])
    #expect(try memory.contents() == theirs)
  }

  /// Drawing before a wait is copied out at the wait, whether it blocks or not.
  @Test(arguments: TestDevice.all)
  func whatWasDrawnBeforeAWaitThatIsOverStays(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let memory = try memory()
    let texture = try device.makeTexture(importing: memory)
    let event = device.makeSharedEvent()
    event.signaledValue = 1
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    upload(5, texture, buffer)
    buffer.encodeWaitForEvent(event, value: 1)
    let readback = buffer.blit { $0.read(texture) }
    try buffer.finish()
    #expect(try readback.contents() == bytes(5))
    #expect(try memory.contents() == bytes(5))
  }
}
