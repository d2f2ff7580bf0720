import Dispatch
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct ResourcePoolDeviceTests {
  private let size = Size(16, 4)
  private let noise = SyntheticImage.noise.image(Size(16, 4), channels: .rgba, depth: .bits8)

  private func statistics(
    made: Int, reused: Int, used: Int, idle: Int, mark: Int
  ) -> ResourcePool.Statistics {
    ResourcePool.Statistics(made: made, reused: reused, usedBytes: used, idleBytes: idle, highWaterMark: mark)
  }

  /// Writes noise into a texture of the pool, and releases it.
  private func dirty(_ pool: ResourcePool) throws {
    let texture = try pool.makeTexture(size, .rgba8Unorm)
    try pool.device.blit { $0.copy(from: noise, to: texture) }
    #expect(try pool.device.contents(of: texture) == noise.bytes)
  }

  @Test(arguments: TestDevice.all)
  func usedStorageBeginsAsZerosAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let pool = device.makeResourcePool(budget: 1 << 20)
    for round in 0..<5 {
      try dirty(pool)
      try device.settle()
      #expect(pool.statistics == statistics(made: 1, reused: round, used: 0, idle: 256, mark: 256))
    }
    let texture = try pool.makeTexture(size, .rgba8Unorm)
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: 256))
    #expect(pool.statistics == statistics(made: 1, reused: 5, used: 256, idle: 0, mark: 256))
  }

  @Test(arguments: TestDevice.all)
  func usedBuffersBeginAsZerosAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let pool = device.makeResourcePool(budget: 1 << 20)
    try scope {
      let buffer = try pool.makeBuffer(length: 40)
      try device.blit { $0.fill(buffer, range: 0..<40, value: 7) }
      #expect(try device.contents(of: buffer) == [UInt8](repeating: 7, count: 40))
    }
    try device.settle()
    let buffer = try pool.makeBuffer(length: 40)
    #expect(try device.contents(of: buffer) == [UInt8](repeating: 0, count: 40))
    #expect(pool.statistics == statistics(made: 1, reused: 1, used: 40, idle: 0, mark: 40))
  }

  /// Storage to be erased after its context was lost is like new: zeros, and not reported as lost.
  @Test(arguments: TestDevice.all)
  func storageOfALostContextBeginsAsZerosAgain(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let pool = device.makeResourcePool(budget: 1 << 20)
    try dirty(pool)
    try scope {
      let buffer = try pool.makeBuffer(length: 40)
      try device.blit { $0.fill(buffer, range: 0..<40, value: 7) }
    }
    try device.settle()
    device.simulateContextLoss()
    let texture = try pool.makeTexture(size, .rgba8Unorm)
    let buffer = try pool.makeBuffer(length: 40)
    #expect(pool.statistics.reused == 2)
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: 256))
    #expect(try device.contents(of: buffer) == [UInt8](repeating: 0, count: 40))
    #expect(device.statistics.rebuiltContexts == 1)
  }

  /// Memory that the process wrote is erased too, and belongs to the new buffer.
  @Test(arguments: TestDevice.all)
  func sharedMemoryBeginsAsZerosAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let pool = device.makeResourcePool(budget: 1 << 20)
    for round in 0..<3 {
      try scope {
        let buffer = try pool.makeBuffer(length: 40)
        try buffer.withContents(of: UInt8.self) { bytes in
          for index in 0..<40 {
            #expect(bytes[index] == 0, "round \(round)")
            bytes[index] = 9
          }
        }
        #expect(try device.contents(of: buffer) == [UInt8](repeating: 9, count: 40))
        try device.blit { $0.fill(buffer, range: 0..<20, value: 5) }
        try buffer.withContents(of: UInt8.self) { bytes in
          #expect((0..<40).map { bytes[$0] } == (0..<40).map { $0 < 20 ? 5 : 9 })
        }
      }
      try device.settle()
      #expect(pool.statistics == statistics(made: 1, reused: round, used: 0, idle: 40, mark: 40))
    }
  }

  @Test(arguments: TestDevice.all)
  func onlyTheSameKindIsUsedAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let pool = device.makeResourcePool(budget: 1 << 20)
    try dirty(pool)
    try device.settle()
    let others = [
      try pool.makeTexture(Size(4, 16), .rgba8Unorm), try pool.makeTexture(size, .bgra8Unorm),
      try pool.makeTexture(Size(8, 4), .rgba16Uint),
    ]
    let buffer = try pool.makeBuffer(length: 256)
    #expect(pool.statistics == statistics(made: 5, reused: 0, used: 1024, idle: 256, mark: 1024))
    #expect(others.count == 3)
    #expect(buffer.length == 256)
  }

  /// A command buffer in flight refers to its resources.
  @Test(arguments: TestDevice.all)
  func whatIsOnItsWayIsNotUsedAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let pool = device.makeResourcePool(budget: 1 << 20)
    let gate = DispatchSemaphore(value: 0)
    let queue = device.makeCommandQueue()
    try scope {
      queue.hold(gate)
      let buffer = queue.makeCommandBuffer()
      let texture = try pool.makeTexture(size, .rgba8Unorm)
      buffer.blit { $0.copy(from: noise, to: texture) }
      buffer.commit()
    }
    #expect(pool.statistics.usedBytes == 256)
    let second = try pool.makeTexture(size, .rgba8Unorm)
    #expect(pool.statistics == statistics(made: 2, reused: 0, used: 512, idle: 0, mark: 512))
    gate.signal()
    try device.settle()
    #expect(pool.statistics == statistics(made: 2, reused: 0, used: 256, idle: 256, mark: 512))
    #expect(try device.contents(of: second) == [UInt8](repeating: 0, count: 256))
    _ = try pool.makeTexture(size, .rgba8Unorm)
    #expect(pool.statistics.reused == 1)
    #expect(pool.statistics.highWaterMark == 512)
  }

  @Test(arguments: TestDevice.all)
  func aResourceBeyondTheBudgetIsRefusedWithItsFigures(_ test: TestDevice) throws {
    let pool = try test.open().makeResourcePool(budget: 600, label: "frames")
    let kept = try pool.makeTexture(size, .rgba8Unorm)
    let buffer = try pool.makeBuffer(length: 344)
    expectError(
      .limit, what: "texture 'late'", why: "it needs 1 bytes; 'frames' has 600 of 600 in use, so that 0 are left",
      remedy: .containing("larger budget")
    ) { try pool.makeTexture(Size(1, 1), .r8Unorm, label: "late") }
    expectError(what: "buffer 'huge'") { try pool.makeBuffer(length: 601, label: "huge") }
    #expect(pool.statistics == statistics(made: 2, reused: 0, used: 600, idle: 0, mark: 600))
    #expect(kept.size == size)
    #expect(buffer.length == 344)
  }

  /// Unused storage counts, and is freed when its room is needed, the oldest first.
  @Test(arguments: TestDevice.all)
  func idleStorageMakesRoom(_ test: TestDevice) throws {
    let pool = try test.open().makeResourcePool(budget: 300)
    for length in [100, 120] { _ = try pool.makeBuffer(length: length) }
    #expect(pool.statistics == statistics(made: 2, reused: 0, used: 0, idle: 220, mark: 120))
    let third = try pool.makeBuffer(length: 90)
    #expect(pool.statistics == statistics(made: 3, reused: 0, used: 90, idle: 120, mark: 120))
    _ = try pool.makeBuffer(length: 120)
    #expect(pool.statistics.reused == 1)
    _ = try pool.makeBuffer(length: 210)
    #expect(pool.statistics == statistics(made: 4, reused: 1, used: 90, idle: 210, mark: 300))
    pool.trim()
    #expect(pool.statistics == statistics(made: 4, reused: 1, used: 90, idle: 0, mark: 300))
    #expect(third.length == 90)
  }

  @Test(arguments: TestDevice.all)
  func resourcesOutliveTheirPool(_ test: TestDevice) throws {
    let device = try test.open()
    var pool: ResourcePool? = device.makeResourcePool(budget: 1 << 20)
    weak let gone = pool
    let texture = try #require(try pool?.makeTexture(size, .rgba8Unorm))
    pool = nil
    #expect(gone == nil)
    try device.blit { $0.copy(from: noise, to: texture) }
    #expect(try device.contents(of: texture) == noise.bytes)
  }

  @Test func theDevicesLimitsHoldInPoolsToo() throws {
    let pool = try TestDevice.minimum.open().makeResourcePool(budget: .max)
    expectError(why: "2049×1 was asked for; this device takes 1×1 to 2048×2048") {
      try pool.makeTexture(Size(2049, 1), .r8Unorm, label: "wide")
    }
    #expect(throws: SafelightError.self) { try pool.makeBuffer(length: 0) }
    #expect(pool.statistics.usedBytes == 0)
  }
}

@Suite struct HeapDeviceTests {
  private let size = Size(16, 4)

  @Test(arguments: TestDevice.all)
  func sizesAreThoseOfItsResources(_ test: TestDevice) throws {
    let device = try test.open()
    let heap = device.makeHeap(HeapDescriptor(size: 1000, label: "blur"))
    #expect(heap.device === device)
    #expect(heap.label == "blur")
    #expect(heap.size == 1000)
    #expect(heap.maxAvailableSize(alignment: 256) == 1000)
    let texture = try heap.makeTexture(size, .rgba8Unorm)
    try scope {
      let buffer = try heap.makeBuffer(length: 500)
      #expect(heap.usedSize == 756)
      #expect(buffer.length == 500)
      expectError(why: "it needs 245 bytes; 'blur' has 756 of 1000 in use, so that 244 are left") {
        try heap.makeBuffer(length: 245, label: "more")
      }
    }
    #expect(heap.usedSize == 256)
    #expect(heap.currentAllocatedSize == 756)
    #expect(heap.maxAvailableSize(alignment: 1) == 744)
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: 256))
  }

  @Test(arguments: TestDevice.all)
  func anAliasableResourceGivesItsPlaceAway(_ test: TestDevice) throws {
    let device = try test.open()
    let heap = device.makeHeap(HeapDescriptor(size: 256))
    let noise = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits8)
    let first = try heap.makeTexture(size, .rgba8Unorm)
    try device.blit { $0.copy(from: noise, to: first) }
    #expect(throws: SafelightError.self) { try heap.makeTexture(size, .rgba8Unorm) }
    heap.makeAliasable(first)
    #expect(heap.usedSize == 0)
    let second = try heap.makeTexture(size, .rgba8Unorm)
    #expect(heap.usedSize == 256)
    #expect(try device.contents(of: second) == [UInt8](repeating: 0, count: 256))
    #expect(try device.contents(of: first) == noise.bytes)
    try scope {
      heap.makeAliasable(second)
      let buffer = try heap.makeBuffer(length: 200)
      heap.makeAliasable(buffer)
    }
    #expect(heap.usedSize == 0)
    // An aliased resource does not return to the heap.
    #expect(heap.currentAllocatedSize == 0)
  }

  @Test(arguments: TestDevice.all)
  func purgingFreesWhatNobodyRefersTo(_ test: TestDevice) throws {
    let device = try test.open()
    let heap = device.makeHeap(HeapDescriptor(size: 1000))
    let noise = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits8)
    let kept = try heap.makeTexture(size, .rgba8Unorm)
    try device.blit { $0.copy(from: noise, to: kept) }
    for (state, isFreed) in [
      (PurgeableState.keepCurrent, false), (.nonVolatile, false), (.volatile, true), (.empty, true),
    ] {
      _ = try heap.makeBuffer(length: 100)
      #expect(heap.currentAllocatedSize == 356)
      heap.setPurgeableState(state)
      #expect(heap.currentAllocatedSize == (isFreed ? 256 : 356))
    }
    #expect(heap.setPurgeableState(.keepCurrent) == .empty)
    #expect(heap.setPurgeableState(.nonVolatile) == .empty)
    #expect(heap.setPurgeableState(.keepCurrent) == .nonVolatile)
    #expect(try device.contents(of: kept) == noise.bytes)
  }
}
