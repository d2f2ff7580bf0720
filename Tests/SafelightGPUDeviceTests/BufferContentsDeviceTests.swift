import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Memory shared by process and device, and copies from buffers to buffers and textures.
@Suite struct BufferContentsDeviceTests {
  private func add(_ device: Device, _ amount: UInt32, to buffer: Buffer) throws {
    try device.dispatch(OffsetFunctions.add, Size(buffer.length / 4, 1), group: Size(8, 1)) {
      $0.setBuffer(buffer, index: 0)
      $0.setBytes(SIMD4<UInt32>(amount, 0, 0, 0), index: 1)
    }
  }

  private func words(_ buffer: Buffer) throws -> [UInt32] { Array(try buffer.contents().bindMemory(to: UInt32.self)) }

  @Test(arguments: TestDevice.onEveryPlatform)
  func bothSidesSeeWhatTheOtherWrote(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 20 * 4)
    try device.blit { $0.fill(buffer, range: 0..<80, value: 1) }
    #expect(try words(buffer) == [UInt32](repeating: 0x0101_0101, count: 20), "what came before the first contents()")
    try buffer.withContents(of: UInt32.self) { words in
      for index in words.indices { words[index] = UInt32(index) }
    }
    try add(device, 100, to: buffer)
    #expect(try words(buffer) == (100..<120).map { UInt32($0) })
    try buffer.contents().storeBytes(of: 7, as: UInt32.self)
    try add(device, 1, to: buffer)
    #expect(try words(buffer).prefix(2) == [8, 102])
    #expect(buffer.isZeroCopy == (device.info.isCPU || device.capabilities.features.contains(.sharedMemory)))
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func managedBuffersCarryWhatIsNamed(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 16, storageMode: .managed)
    try buffer.contents().copyBytes(from: [UInt8](repeating: 9, count: 16))
    buffer.didModifyRange(4..<8)
    try device.blit { $0.fill(buffer, range: 12..<16, value: 3) }
    // A device that works in this memory sees all writes at once.
    if !buffer.isZeroCopy {
      #expect(try device.contents(of: buffer) == [0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 3, 3, 3, 3])
      #expect(Array(try buffer.contents()) == [UInt8](repeating: 9, count: 16), "nothing came back yet")
    }
    try device.blit { $0.synchronize(buffer) }
    #expect(Array(try buffer.contents().suffix(4)) == [3, 3, 3, 3])
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func memoryOfTheCallersServes(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let freed = Mutex(0)
    let page = HostMemory.pageSize
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: page, alignment: page)
    bytes.initializeMemory(as: UInt32.self, repeating: 5)
    do {
      let buffer = try device.makeBuffer(bytesNoCopy: bytes) { memory in
        memory.deallocate()
        freed.withLock { $0 += 1 }
      }
      #expect(buffer.length == page)
      #expect(try buffer.contents().baseAddress == bytes.baseAddress)
      try add(device, 2, to: buffer)
      #expect(bytes.load(as: UInt32.self) == 7 && bytes.load(fromByteOffset: page - 4, as: UInt32.self) == 7)
    }
    device.close()
    #expect(freed.withLock { $0 } == 1)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func contentsGoWithTheDevice(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let buffer = try device.makeBuffer(length: 8)
    _ = try buffer.contents()
    let other = try device.makeBuffer(length: 8)
    device.close()
    #expect(throws: SafelightError.self) { try other.contents() }
    if buffer.isZeroCopy && !device.info.isCPU {
      #expect(throws: SafelightError.self) { try buffer.contents() }
    }
  }

  @Test func alignedMemoryIsWholePages() throws {
    let memory = HostMemory(length: HostMemory.pageSize + 1)
    #expect(memory.bytes.count == 2 * HostMemory.pageSize)
    #expect(UInt(bitPattern: memory.bytes.baseAddress) % UInt(HostMemory.pageSize) == 0)
    #expect(memory.bytes.allSatisfy { $0 == 0 })
    let device = try TestDevice.onEveryPlatform[0].open()
    #expect(try device.makeBuffer(bytesNoCopy: memory).length == 2 * HostMemory.pageSize)
    let small = try device.makeBuffer(bytes: [1, 2, 3])
    #expect(try small.withContents(of: UInt8.self) { [$0[0], $0[1], $0[2]] } == [1, 2, 3])
  }

  @Test func memoryThatIsNotWholePagesIsRefusedWithTheRemedy() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 4096)
      _ = try Device.open(.cpu).makeBuffer(bytesNoCopy: UnsafeMutableRawBufferPointer(rebasing: bytes[16..<4112]))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("HostMemory(length:)"))
  }

  @Test func privateBuffersHaveNoContents() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeBuffer(length: 4, storageMode: .private, label: "secret").contents()
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("private buffer 'secret'"))
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func bytesGoFromBufferToBuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let source = try device.makeBuffer(bytes: Array(0..<32))
    let target = try device.makeBuffer(length: 16)
    try device.blit {
      $0.copy(from: source, range: 5..<12, to: target, offset: 3)
      $0.copy(from: target, range: 3..<5, to: target, offset: 14)
    }
    #expect(try device.contents(of: target) == [0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 5, 6])
  }

  @Test(
    arguments: TestDevice.onEveryPlatform,
    [PixelFormat.r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm, .rgba16Uint, .r32Uint])
  func pixelsGoBetweenBuffersAndTextures(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let pixel = format.bytesPerPixel
    let bytes = (0..<8 * 6 * pixel).map { UInt8(truncatingIfNeeded: $0 * 29) }
    let source = try device.makeBuffer(bytes: bytes)
    let texture = try device.makeTexture(Size(7, 5), format)
    let target = try device.makeBuffer(bytes: [UInt8](repeating: 0xA5, count: 8 * 5 * pixel))
    let region = Region(x: 2, y: 1, width: 4, height: 3)
    try device.blit {
      $0.copy(from: source, offset: 9 * pixel, bytesPerRow: 8 * pixel, to: texture, region: region)
      $0.copy(from: texture, region: region, to: target, offset: pixel, bytesPerRow: 6 * pixel)
    }
    var expected = [UInt8](repeating: 0xA5, count: 8 * 5 * pixel)
    for y in 0..<3 {
      for byte in 0..<4 * pixel { expected[(1 + 6 * y) * pixel + byte] = bytes[(9 + 8 * y) * pixel + byte] }
    }
    #expect(try device.contents(of: target) == expected)
    #expect(Array(try texture.getBytes().prefix(9 * pixel)) == [UInt8](repeating: 0, count: 9 * pixel))
  }

  /// After the first frames nothing is allocated: readbacks and staging are reused.
  @Test(arguments: TestDevice.onEveryPlatform)
  func framesUseTheirMemoryAgain(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let queue = device.makeCommandQueue()
    let texture = try device.makeTexture(Size(64, 32), .bgra8Unorm)
    let readback = Readback(texture.size, .bgra8Unorm)
    var counts: [Int] = []
    for frame in 0..<20 {
      let pixels = [UInt8](repeating: UInt8(frame), count: 64 * 32 * 4)
      let buffer = queue.makeCommandBuffer()
      buffer.blit {
        $0.write(pixels, to: texture)
        $0.read(texture, into: readback, ofSize: texture.size, at: texture.bounds)
      }
      try buffer.finish()
      #expect(try readback.contents() == pixels)
      counts.append(device.statistics.transferAllocations)
    }
    #expect(counts[1...].allSatisfy { $0 == counts[1] } && counts[1] <= 2, "\(counts)")
    #expect(device.statistics.textures == 1)
  }
}

@Suite struct BufferDeviceTests {
  @Test(arguments: TestDevice.all, [1, 3, 4, 1000])
  func aNewBufferIsZero(_ test: TestDevice, _ length: Int) throws {
    let device = try test.open()
    #expect(try device.contents(of: try device.makeBuffer(length: length)) == [UInt8](repeating: 0, count: length))
  }

  @Test(arguments: TestDevice.all)
  func fillsAndWritesTouchTheirBytesAlone(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 40)
    let bytes = (0..<7).map { UInt8(100 + $0) }
    try device.blit {
      $0.fill(buffer, range: 0..<40, value: 0xA5)
      $0.fill(buffer, range: 3..<9, value: 7)
      $0.write(bytes, to: buffer, offset: 33)
      $0.write([1, 2], to: buffer)
      $0.fill(buffer, range: 20..<20, value: 9)
      $0.write([], to: buffer, offset: 40)
    }
    var expected = [UInt8](repeating: 0xA5, count: 40)
    expected.replaceSubrange(3..<9, with: [7, 7, 7, 7, 7, 7])
    expected.replaceSubrange(33..<40, with: bytes)
    expected.replaceSubrange(0..<2, with: [1, 2])
    #expect(try device.contents(of: buffer) == expected)
  }

  @Test(arguments: TestDevice.all)
  func readsSeeTheirRangeAsItWasAtTheirPlace(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 64)
    let all = (0..<64).map { UInt8($0) }
    let (before, part, empty, after) = try device.blit { blit in
      let before = blit.read(buffer, range: 0..<4)
      blit.write(all, to: buffer)
      let part = blit.read(buffer, range: 13..<29)
      let empty = blit.read(buffer, range: 64..<64)
      blit.fill(buffer, range: 0..<64, value: 255)
      return (before, part, empty, blit.read(buffer, range: 63..<64))
    }
    #expect(try before.contents() == [0, 0, 0, 0])
    #expect(try part.contents() == Array(all[13..<29]))
    #expect(try empty.contents() == [])
    #expect(try after.contents() == [255])
  }

  @Test(arguments: TestDevice.all, [0, -1, Int.max])
  func aLengthBeyondTheLimitIsRefused(_ test: TestDevice, _ length: Int) throws {
    let device = try test.open()
    expectError(.limit, what: "buffer 'counts'", why: .containing("\(device.capabilities.maximumBufferLength)")) {
      try device.makeBuffer(length: length, label: "counts")
    }
  }
}
