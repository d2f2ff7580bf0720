import Safelight
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// What becomes of work when the GPU is reset.
@Suite struct ContextLossDeviceTests {
  private let image = SyntheticImage.noise.image(Size(13, 7), channels: .rgba, depth: .bits8)

  private func upload(_ device: Device, label: String = "kept") throws -> Texture {
    let texture = try device.makeTexture(image.size, image.pixelFormat, label: label)
    try device.run { $0.blit { $0.copy(from: image, to: texture) } }
    return texture
  }

  /// Work that contains all it needs is done again on a new context, and nobody notices.
  @Test(arguments: TestDevice.onEveryPlatform)
  func selfContainedWorkIsTriedAgain(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let numbers = try device.makeBuffer(length: 400)
    let texture = try upload(device)
    let pipeline = ComputePipelineState(ComputeFunctions.scale)
    device.simulateContextLoss()
    let calls = Mutex<[String]>([])
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.addScheduledHandler { _ in calls.withLock { $0.append("scheduled") } }
    buffer.addCompletedHandler { _ in calls.withLock { $0.append("completed") } }
    buffer.blit {
      $0.copy(from: image, to: texture)
      $0.fill(numbers, range: 0..<400, value: 0)
    }
    buffer.compute {
      $0.setComputePipelineState(pipeline)
      $0.setBuffer(numbers, index: 0)
      $0.setBytes(SIMD4<UInt32>(1, 5, 0, 0), index: 3)
      $0.dispatchThreads(Size(100, 1), threadsPerThreadgroup: Size(32, 1))
    }
    let readbacks = buffer.blit { [$0.read(texture), $0.read(numbers, range: 0..<400)] }
    try buffer.finish()
    #expect(buffer.status == .completed)
    #expect(try readbacks[0].contents() == image.bytes)
    #expect(try readbacks[1].contents().words(UInt32.self) == [UInt32](repeating: 5, count: 100))
    // Handlers are called once, not once a try.
    #expect(calls.withLock { $0 } == ["scheduled", "completed"])
    #expect(device.statistics.rebuiltContexts == 1)
    // The new context keeps working and what was written there is there.
    #expect(try device.contents(of: texture) == image.bytes)
    #expect(device.statistics.rebuiltContexts == 1)
  }

  /// What was never used before is zero before and after, so nothing was lost.
  @Test(arguments: TestDevice.onEveryPlatform)
  func freshResourcesLoseNothing(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    device.simulateContextLoss()
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: image.bytes.count))
    #expect(device.statistics.rebuiltContexts == 1)
  }

  /// Work that needs what was lost fails and says so, once; the next runs on the new context, where it is zero.
  @Test(arguments: TestDevice.onEveryPlatform)
  func workOnLostContentsFails(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let texture = try upload(device)
    device.simulateContextLoss()
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
    let readback = buffer.blit { $0.read(texture) }
    buffer.commit()
    expectError(
      .driver, what: "'frame 17': 'kept'", why: .containing("contents that this work needs were lost"),
      remedy: .containing("write them again")
    ) { try buffer.waitUntilCompleted() }
    #expect(throws: SafelightError.self) { try readback.contents() }
    #expect(buffer.encoderInfos.map(\.state) == [.affected])
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: image.bytes.count))
    #expect(try device.contents(of: upload(device)) == image.bytes)
    #expect(device.statistics.rebuiltContexts == 1)
  }

  /// The buffer that met the reset may need nothing; the first one that does is told, however late.
  @Test(arguments: TestDevice.onEveryPlatform)
  func aLaterBufferIsToldOfItsLoss(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let lost = try upload(device, label: "table")
    let written = try upload(device, label: "written again")
    device.simulateContextLoss()
    for _ in 0..<3 { #expect(try device.contents(of: upload(device)) == image.bytes) }
    try device.run { $0.blit { $0.copy(from: image, to: written) } }
    #expect(try device.contents(of: written) == image.bytes)
    expectError(what: "'test': 'table'") { try device.contents(of: lost) }
  }

  /// A buffer that waits for an event begins anew, with the part that it had done already.
  @Test(arguments: TestDevice.onEveryPlatform)
  func aHeldBufferBeginsAnew(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let event = device.makeSharedEvent()
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    let held = device.makeCommandQueue().makeCommandBuffer()
    held.blit { $0.copy(from: image, to: texture) }
    held.encodeWaitForEvent(event, value: 1)
    let readback = held.blit { $0.read(texture) }
    held.commit()
    #expect(device.statistics.heldCommandBuffers == 1)
    device.simulateContextLoss()
    _ = try upload(device)
    #expect(device.statistics.rebuiltContexts == 1)
    event.signaledValue = 1
    try held.waitUntilCompleted()
    #expect(try readback.contents() == image.bytes)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func resetsMayRepeat(_ test: TestDevice) throws {
    let device = try test.openAnother()
    for round in 1...5 {
      device.simulateContextLoss()
      #expect(try device.contents(of: device.makeTexture(Size(2, 2), .rgba8Unorm)) == [UInt8](repeating: 0, count: 16))
      #expect(device.statistics.rebuiltContexts == round)
    }
    #expect(device.statistics.textures <= 1)
  }

  /// Filters keep the memory of tables, numbers and temporaries, but need nothing of an earlier frame in it.
  @Test(arguments: TestDevice.onEveryPlatform, ["box=15", "blur=2", "sobel", "stretch", "clahe", "ycbcr", "median=5"])
  func framesAfterALossAreMade(_ test: TestDevice, _ chain: String) async throws {
    let device = try test.openAnother()
    defer { device.close() }
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: chain, device: device))
    let first = try await processor.process(image)
    device.simulateContextLoss()
    #expect(try await processor.process(image) == first)
    #expect(device.statistics.rebuiltContexts == 1)
    // A picture larger than a texture is made in parts.
    let large = SyntheticImage.noise.image(Size(2100, 9), channels: .gray, depth: .bits8)
    let whole = try await processor.process(large)
    device.simulateContextLoss()
    #expect(try await processor.process(large) == whole)
  }
}

/// Memory that the process shares outlives a context; what was done with it does not.
@Suite struct SharedMemoryLossDeviceTests {
  private let pipeline = ComputePipelineState(ComputeFunctions.scale)

  /// Multiplies each word by 3 and adds 1.
  private func scale(_ numbers: Buffer, _ buffer: CommandBuffer) {
    buffer.compute {
      $0.setComputePipelineState(pipeline)
      $0.setBuffer(numbers, index: 0)
      $0.setBytes(SIMD4<UInt32>(3, 1, 0, 0), index: 3)
      $0.dispatchThreads(Size(numbers.length / 4, 1), threadsPerThreadgroup: Size(32, 1))
    }
  }

  private func words(_ numbers: Buffer) throws -> [UInt32] {
    try numbers.withContents(of: UInt32.self) { span in (0..<span.count).map { span[$0] } }
  }

  /// What the process wrote, or saw on completion, is brought over to the new context.
  @Test(arguments: TestDevice.onEveryPlatform, [StorageMode.shared, .managed])
  func whatTheProcessWroteIsNotLost(_ test: TestDevice, _ mode: StorageMode) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let numbers = try device.makeBuffer(length: 64, storageMode: mode)
    try numbers.withContents(of: UInt32.self) { span in
      for index in 0..<16 { span[index] = 5 }
    }
    numbers.didModifyRange(0..<64)
    // Where the device works in that very memory, what it did before it was reset is there.
    let isChanged = numbers.isZeroCopy && !device.info.isCPU
    device.simulateContextLoss()
    let run = {
      try device.run {
        self.scale(numbers, $0)
        if mode == .managed { $0.blit { $0.synchronize(numbers) } }
      }
    }
    guard !isChanged else {
      expectError(why: .containing("were lost")) { try run() }
      #expect(device.statistics.rebuiltContexts == 1)
      return
    }
    try run()
    #expect(try words(numbers) == [UInt32](repeating: 16, count: 16))
    #expect(device.statistics.rebuiltContexts == 1)
    guard mode == .shared else { return }
    device.simulateContextLoss()
    try run()
    #expect(try words(numbers) == [UInt32](repeating: 49, count: 16))
  }

  /// Counters that are cleared first, as a histogram's: read before and after, by the same address.
  @Test(arguments: TestDevice.onEveryPlatform)
  func anAddressOutlivesItsContext(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let numbers = try device.makeBuffer(length: 64)
    let address = try numbers.contents()
    for round in 1...3 {
      device.simulateContextLoss()
      try device.run {
        $0.blit { $0.fill(numbers, range: 0..<64, value: 0) }
        for _ in 0..<round { scale(numbers, $0) }
      }
      #expect(device.statistics.rebuiltContexts == round)
      let expected = UInt32([1, 4, 13][round - 1])
      #expect(try words(numbers) == [UInt32](repeating: expected, count: 16))
      #expect(address.loadUnaligned(as: UInt32.self) == expected)
      #expect(try numbers.contents().baseAddress == address.baseAddress)
    }
  }

  /// Once the process may have seen a part of the work, doing it again would do it twice.
  @Test(arguments: TestDevice.onEveryPlatform)
  func whatWasSeenIsNotDoneTwice(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let numbers = try device.makeBuffer(bytes: [UInt8](repeating: 0, count: 64), label: "numbers")
    let event = device.makeSharedEvent()
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
    scale(numbers, buffer)
    buffer.encodeWaitForEvent(event, value: 1)
    scale(numbers, buffer)
    buffer.commit()
    #expect(device.statistics.heldCommandBuffers == 1)
    #expect(try words(numbers) == [UInt32](repeating: 1, count: 16))
    device.simulateContextLoss()
    event.signaledValue = 1
    expectError(what: "'frame 17': 'numbers'") { try buffer.waitUntilCompleted() }
    #expect(try words(numbers) == [UInt32](repeating: 1, count: 16))
  }
}
