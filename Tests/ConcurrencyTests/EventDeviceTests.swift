import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Order between queues and between devices.
@Suite struct EventDeviceTests {
  private func upload(_ value: UInt8, _ texture: Texture, _ buffer: CommandBuffer) {
    let image = Image(
      size: texture.size, channels: .rgba, depth: .bits8,
      bytes: [UInt8](repeating: value, count: texture.size.area * 4))
    buffer.blit { $0.copy(from: image, to: texture) }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func oneQueueReadsWhatAnotherWroteAfterItsSignal(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let event = device.makeEvent()
    let texture = try device.makeTexture(Size(9, 5), .rgba8Unorm)
    let reader = device.makeCommandQueue(label: "reader").makeCommandBuffer()
    upload(1, texture, reader)
    reader.pushDebugGroup("around the wait")
    reader.encodeWaitForEvent(event, value: 1)
    let readback = reader.blit { $0.read(texture) }
    reader.popDebugGroup()
    reader.commit()
    #expect(device.statistics.heldCommandBuffers == 1)
    let writer = device.makeCommandQueue(label: "writer").makeCommandBuffer()
    upload(2, texture, writer)
    writer.encodeSignalEvent(event, value: 1)
    writer.commit()
    try reader.waitUntilCompleted()
    #expect(try readback.contents() == [UInt8](repeating: 2, count: 9 * 5 * 4))
    #expect(try readback.contents().count == 180)
    #expect(device.statistics.heldCommandBuffers == 0)
  }

  /// The device and the CPU take turns over one shared event.
  @Test(arguments: TestDevice.onEveryPlatform)
  func twoDevicesTakeTurns(_ test: TestDevice) throws {
    let devices = [try test.open(), try Device.open(.cpu)]
    let event = devices[0].makeSharedEvent()
    let seen = Mutex<[Int]>([])
    var buffers: [CommandBuffer] = []
    for step in 0..<20 {
      let device = devices[step % 2]
      let texture = try device.makeTexture(Size(8, 8), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "step \(step)")
      buffer.encodeWaitForEvent(event, value: UInt64(step))
      upload(UInt8(step), texture, buffer)
      let readback = buffer.blit { $0.read(texture) }
      buffer.encodeSignalEvent(event, value: UInt64(step + 1))
      event.notify(atValue: UInt64(step + 1)) { _, _ in seen.withLock { $0.append(step) } }
      buffer.addCompletedHandler { _ in
        #expect((try? readback.contents()) == [UInt8](repeating: UInt8(step), count: 256))
      }
      buffers.append(buffer)
    }
    for buffer in buffers.reversed() { buffer.commit() }
    for buffer in buffers { try buffer.waitUntilCompleted() }
    #expect(seen.withLock { $0 } == Array(0..<20))
    #expect(event.signaledValue == 20)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func aWaitThatNobodySignalsEndsAndTheDeviceGoesOn(_ test: TestDevice) throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    let texture = try device.makeTexture(Size(3, 3), .rgba8Unorm)
    let waiting = queue.makeCommandBuffer()
    upload(1, texture, waiting)
    waiting.encodeWaitForEvent(device.makeEvent(label: "never"), value: 1, timeout: .milliseconds(30))
    upload(2, texture, waiting)
    waiting.commit()
    expectError(.limit, what: .containing("event 'never'")) { try waiting.waitUntilCompleted() }
    #expect(waiting.encoderInfos.map(\.state) == [.completed, .pending])
    #expect(try device.contents(of: texture) == [UInt8](repeating: 1, count: 36))
  }

  /// Fences order nothing that the device does not order already; Metal code that uses them gives the same bytes.
  @Test(arguments: TestDevice.onEveryPlatform)
  func encodersWithFencesRunInOrder(_ test: TestDevice) throws {
    let device = try test.open()
    let fence = device.makeFence()
    let bytes = try device.makeBuffer(length: 64)
    let contents = try device.run { buffer in
      buffer.blit {
        $0.fill(bytes, range: 0..<64, value: 7)
        $0.updateFence(fence)
      }
      return buffer.blit {
        $0.waitForFence(fence)
        return $0.read(bytes, range: 0..<64)
      }
    }
    #expect(try contents.contents() == [UInt8](repeating: 7, count: 64))
  }
}
