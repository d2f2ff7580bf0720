import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Frames in the memory of a decoder or camera.
@Suite struct DMABufferFrameDeviceTests {
  typealias Memory = DMABufferTextureDeviceTests.Memory

  private let size = Size(23, 11)

  private func fill(_ buffer: DMABuffer, seed: Int) throws {
    for index in 0..<buffer.format.planeCount {
      let extent = buffer.format.size(ofPlane: index, in: buffer.size)
      let count = extent.area * buffer.format.pixelFormat(ofPlane: index).bytesPerPixel
      try buffer.replace(plane: index, with: .noise(count, seed: seed * 7 + index))
    }
  }

  private func frame(
    _ index: Int, _ buffer: DMABuffer, onRelease: (@Sendable () -> Void)? = nil
  ) throws -> VideoFrame {
    try VideoFrame(
      index: index, memory: buffer, presentationTime: MediaTime(value: Int64(index), timescale: 30),
      onRelease: onRelease)
  }

  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func planesBecomeTexturesOverTheMemory(_ test: TestDevice, _ memory: Memory) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    for format in DRMFormat.allCases where format != .gr88 {
      let buffer = try memory.make(size, format)
      try fill(buffer, seed: 3)
      let frame = try frame(5, buffer)
      #expect(frame.size == size)
      #expect(frame.layout == buffer.layout)
      let planes = try frame.copied().planes
      for textures in [
        try cache.makeTextures(from: frame), try device.run { try cache.makeTextures(from: frame, in: $0) },
      ] {
        #expect(textures.map(\.size) == planes.map(\.size))
        #expect(textures.map(\.pixelFormat) == planes.map(\.pixelFormat))
        for (texture, plane) in zip(textures, planes) {
          #expect(try device.contents(of: texture) == plane.bytes, "\(format)")
          // The texture tells which it is.
          #expect(texture.isZeroCopy == (texture.copyReason == nil))
          // llvmpipe of Mesa 25 imports files too.
          let copies = device.info.isCPU || memory == .file && device.info.driver.contains("Mesa 22")
          if copies { #expect(texture.copyReason != nil) }
        }
      }
    }
  }

  @Test(.enabled(if: PrimaryNode.path != nil), arguments: TestDevice.glesOnEveryPlatform)
  func aDeviceThatImportsCopiesNoFrame(_ test: TestDevice) throws {
    let device = try test.open()
    let textures = try TextureCache(device: device).makeTextures(from: frame(0, Memory.node.make(size, .nv12)))
    #expect(textures.map(\.isZeroCopy) == Array(repeating: device.info.node == PrimaryNode.path, count: 2))
  }

  /// A source cycles through few buffers, perhaps with new descriptors each time.
  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func buffersThatComeAgainFindTheirTextures(_ test: TestDevice, _ memory: Memory) throws {
    let device = try test.openAnother()
    let cache = TextureCache(device: device)
    let buffers = try (0..<3).map { _ in try memory.make(size, .nv12) }
    for index in 0..<30 {
      let buffer = buffers[index % 3]
      try fill(buffer, seed: index)
      try scope {
        let again = try DMABuffer(sharing: buffer.planes, format: .nv12, size: size, modifier: buffer.modifier)
        let textures = try cache.makeTextures(from: frame(index, again))
        #expect(textures[1].label == "frame \(index), plane 1")
        #expect(try device.contents(of: textures[1]) == buffer.contents(ofPlane: 1))
      }
    }
    #expect(cache.statistics.made == 6)
    #expect(cache.statistics.reused == 54)
    // The CPU makes storage only for textures that are read.
    #expect(device.statistics.textures == (device.info.isCPU ? 3 : 6))
  }

  /// The same memory with another format is another texture.
  @Test(arguments: TestDevice.onEveryPlatform)
  func anotherLayoutIsAnotherTexture(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    let descriptor = try MemoryFile.make(length: 4096, value: 9)
    defer { MemoryFile.close(descriptor) }
    for (format, size, offset) in [
      (DRMFormat.r8, Size(8, 8), 0), (.argb8888, Size(8, 8), 0), (.r8, Size(9, 8), 0), (.r8, Size(8, 8), 8),
    ] {
      let planes = [DMABuffer.Plane(descriptor: descriptor, offset: offset, stride: 64)]
      let texture = try #require(
        cache.makeTextures(from: frame(0, DMABuffer(sharing: planes, format: format, size: size))).first)
      #expect(texture.size == size)
      #expect(try device.contents(of: texture).allSatisfy { $0 == 9 })
    }
    #expect(cache.statistics.made == 4)
    #expect(cache.statistics.reused == 0)
  }

  /// The source must not write the next frame into memory that a command buffer in flight reads.
  @Test(arguments: TestDevice.onEveryPlatform)
  func theSourceWaitsUntilTheDeviceIsDone(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    let queue = device.makeCommandQueue()
    let gate = DispatchSemaphore(value: 0)
    let isFree = Mutex(false)
    let buffer = try Memory.file.make(size, .r8)
    try fill(buffer, seed: 1)
    let expected = try buffer.contents()
    // New memory waits for the device.
    _ = try cache.makeTextures(from: frame(0, buffer))
    let readback = try {
      queue.hold(gate)
      let commands = queue.makeCommandBuffer()
      let textures = try cache.makeTextures(from: frame(1, buffer) { isFree.withLock { $0 = true } })
      let readback = commands.blit { $0.read(textures[0]) }
      commands.commit()
      return readback
    }()
    #expect(isFree.withLock { $0 } == false)
    gate.signal()
    try device.settle()
    #expect(try readback.contents() == expected)
    #expect(isFree.withLock { $0 })
  }

  /// Memory of an earlier source is released.
  enum Reason: CaseIterable {
    case age, budget, flush
  }

  @Test(arguments: TestDevice.onEveryPlatform, Reason.allCases)
  func memoryOfAPastSourceIsLetGo(_ test: TestDevice, _ reason: Reason) throws {
    let device = try test.open()
    let cache = TextureCache(device: device, budget: reason == .budget ? 1 : .max)
    let descriptor = try MemoryFile.make(length: 4096)
    let witness = try #require(MemoryFile.anotherDescriptor(of: descriptor))
    defer { MemoryFile.close(witness) }
    try scope {
      let planes = [DMABuffer.Plane(descriptor: descriptor, stride: 64)]
      let past = try DMABuffer(adopting: planes, format: .r8, size: size)
      _ = try cache.makeTextures(from: frame(0, past))
    }
    #expect(MemoryFile.isSame(descriptor, witness))
    let present = try Memory.file.make(size, .r8)
    switch reason {
    case .age: for index in 0..<200 { _ = try cache.makeTextures(from: frame(index, present)) }
    case .budget: _ = try cache.makeTextures(from: frame(1, present))
    case .flush: cache.flush()
    }
    try device.settle()
    #expect(!MemoryFile.isSame(descriptor, witness))
  }

  @Test func chromaAloneIsNoFrame() throws {
    let buffer = try Memory.file.make(size, .gr88)
    expectError(.unsupported, what: "frame 7", remedy: .containing("makeTexture(importing:)")) { try frame(7, buffer) }
  }

}
