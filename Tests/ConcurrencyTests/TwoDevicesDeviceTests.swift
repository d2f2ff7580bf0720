import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import SafelightKernels
import Synchronization
import TestSupport
import Testing

/// Devices of one process that share a driver, each on its own thread.
@Suite struct TwoDevicesDeviceTests {
  /// Draws and readbacks at once, on which Mesa 22.3 may crash without the workaround "one llvmpipe context at a time".
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func theyDrawAtOnce(_ test: TestDevice) async throws {
    let devices = [try test.openAnother(), try test.openAnother(), try test.openAnother()]
    let image = SyntheticImage.noise.image(Size(67, 31), channels: .rgba, depth: .bits8)
    let outcomes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for device in devices {
        group.addTask {
          let queue = device.makeCommandQueue()
          let kernel = ImageSaturation(device: device, amount: 2)
          var last: [UInt8] = []
          let source = try device.makeTexture(image.size, image.pixelFormat)
          let targets = try (0..<20).map { _ in try device.makeTexture(image.size, image.pixelFormat) }
          for _ in 0..<100 {
            let buffer = queue.makeCommandBuffer(label: "two devices")
            buffer.blit { $0.copy(from: image, to: source) }
            for target in targets { kernel.encode(to: buffer, source: source, destination: target, pipeline: .render) }
            let read = buffer.makeBlitCommandEncoder()
            let readbacks = targets.map { read.read($0) }
            read.endEncoding()
            buffer.commit()
            try await buffer.completed()
            last = try readbacks.flatMap { try $0.contents() }
          }
          return last
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(outcomes).count == 1)
  }

  /// Whatever a context of llvmpipe does waits until no other is in a call.
  ///
  /// Nothing is awaited while the turn is held: tests that wait for it may have all threads of the pool.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func contextsOfLlvmpipeTakeTurns(_ test: TestDevice) throws {
    let device = try test.openAnother()
    guard device.info.name.contains("llvmpipe") else { return }
    let texture = try device.makeTexture(Size(8, 8), .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "in turn")
    buffer.blit { $0.copy(from: SyntheticImage.noise.image(Size(8, 8), channels: .rgba, depth: .bits8), to: texture) }
    let isFree = Mutex(false)
    let wasFree = Mutex(false)
    let isDone = DispatchSemaphore(value: 0)
    buffer.addCompletedHandler { _ in
      let free = isFree.withLock { $0 }
      wasFree.withLock { $0 = free }
      isDone.signal()
    }
    let turn = ContextTurn.ofThisProcess
    turn.wait()
    buffer.commit()
    // Long enough for a command that does not wait.
    usleep(100_000)
    isFree.withLock { $0 = true }
    turn.signal()
    isDone.wait()
    #expect(wasFree.withLock { $0 })
  }
}
