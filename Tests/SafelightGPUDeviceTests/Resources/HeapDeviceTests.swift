import SafelightGPU
import SafelightImage
import TestSupport
import Testing

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
    try device.run { $0.blit { $0.copy(from: noise, to: first) } }
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
    try device.run { $0.blit { $0.copy(from: noise, to: kept) } }
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
