import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Memory shared by several devices and processes, with events in the middle of command buffers to pass it on.
@Suite struct SharedMemoryOrderDeviceTests {
  private let size = Size(8, 4)

  private func memory() throws -> DMABuffer { try DMABufferTextureDeviceTests.Memory.file.make(size, .r8) }

  private func bytes(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: size.area) }

  private func upload(_ value: UInt8, _ texture: Texture, _ buffer: CommandBuffer) {
    buffer.blit { $0.copy(from: Image(size: size, channels: .gray, depth: .bits8, bytes: bytes(value)), to: texture) }
  }

  /// After the signal another owner has the memory: later commands of the buffer do not touch it.
  @Test(arguments: TestDevice.all, [false, true])
  func whatWasHandedOverIsNotWrittenAgain(_ test: TestDevice, signalsTwice: Bool) throws {
    let device = try test.openAnother()
    defer { device.close() }
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
    defer { device.close() }
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
    let after = buffer.blit {
      [$0.read(texture), $0.read(words, range: 0..<32), $0.read(kept, range: 0..<32)]
    }
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
    defer { device.close() }
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
