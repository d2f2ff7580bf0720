import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Metal's residency calls, and others without effect here: accepted, counted, and without a command.
@Suite struct ResidencySetDeviceTests {
  @Test(arguments: TestDevice.all)
  func membersAreCountedOnceCommitted(_ test: TestDevice) throws {
    let device = try test.open()
    let set = device.makeResidencySet(label: "frames")
    let texture = try device.makeTexture(TextureDescriptor(Size(4, 4), .rgba8Unorm, mipmapped: true))
    let buffer = try device.makeBuffer(length: 100)
    set.addAllocation(texture)
    set.addAllocation(texture.makeTextureView(levels: 0..<1))
    set.addAllocation(buffer)
    #expect(set.allocationCount == 2)
    #expect(set.allocatedSize == 0)
    set.commit()
    set.requestResidency()
    #expect(set.allocatedSize == (16 + 4 + 1) * 4 + 100)
    set.removeAllocation(texture)
    #expect(!set.containsAllocation(texture))
    #expect(set.containsAllocation(buffer))
    #expect(set.allocatedSize == 84 + 100)
    set.commit()
    #expect(set.allocatedSize == 100)
    set.removeAllAllocations()
    set.commit()
    set.endResidency()
    #expect(set.allocatedSize == 0)
  }

  /// A committed set and its only member.
  private static func setOfOne(_ device: Device) throws -> (ResidencySet, Buffer) {
    let set = device.makeResidencySet()
    let buffer = try device.makeBuffer(length: 4)
    set.addAllocation(buffer)
    set.commit()
    return (set, buffer)
  }

  /// A set keeps its committed members, and a queue keeps the set.
  @Test(arguments: TestDevice.all)
  func membersStayAsLongAsTheSet(_ test: TestDevice) throws {
    let device = try test.open()
    weak var kept: Buffer?
    let queue = device.makeCommandQueue()
    try scope {
      let (set, member) = try Self.setOfOne(device)
      kept = member
      queue.addResidencySet(set)
    }
    #expect(kept != nil)
  }

  @Test(arguments: TestDevice.all)
  func aCommandBufferKeepsTheSetsItUses(_ test: TestDevice) throws {
    let device = try test.open()
    weak var kept: Buffer?
    let commands = device.makeCommandQueue().makeCommandBuffer()
    try scope {
      let (set, member) = try Self.setOfOne(device)
      kept = member
      commands.useResidencySet(set)
    }
    #expect(kept != nil)
    commands.commit()
    try commands.waitUntilCompleted()
  }

  @Test(arguments: TestDevice.all)
  func aSetThatIsRemovedLetsGo(_ test: TestDevice) throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    weak var kept: Buffer?
    try scope {
      let (set, member) = try Self.setOfOne(device)
      kept = member
      queue.addResidencySet(set)
      queue.removeResidencySet(set)
    }
    #expect(kept == nil)
  }

  @Test(arguments: TestDevice.all)
  func hintsRecordNothing(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
    let commands = device.makeCommandQueue().makeCommandBuffer()
    commands.blit { $0.optimizeContents(of: texture) }
    let groups = commands.recording.commands.filter { entry in
      switch entry.command {
      case .pushDebugGroup, .popDebugGroup: false
      default: true
      }
    }
    #expect(groups.isEmpty)
  }
}
