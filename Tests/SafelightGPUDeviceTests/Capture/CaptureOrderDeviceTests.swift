import Dispatch
import SafelightImage
import Synchronization
import TestSupport
import Testing

@testable import SafelightGPU

/// What a capture says a command buffer began with is what the command buffer saw, whatever other queues do meanwhile.
@Suite struct CaptureOrderDeviceTests {
  /// Two queues that fill `buffer` with ever other bytes while `body` runs.
  private func hammering(_ buffer: Buffer, on device: Device, _ body: () throws -> Void) rethrows {
    let isOver = Mutex(false)
    let workers = DispatchGroup()
    for worker in 0..<2 {
      let queue = device.makeCommandQueue(label: "hammer \(worker)", maxCommandBufferCount: 32)
      // A queue of its own has a thread of its own.
      DispatchQueue(label: "hammer \(worker)").async(group: workers) {
        var value = UInt8(worker)
        while !isOver.withLock({ $0 }) {
          let work = queue.makeCommandBuffer(label: "hammer")
          work.blit { $0.fill(buffer, range: 0..<buffer.length, value: value) }
          work.commit()
          value &+= 2
        }
      }
    }
    defer {
      isOver.withLock { $0 = true }
      workers.wait()
    }
    try body()
  }

  @Test(arguments: TestDevice.all)
  func nothingComesBetweenTheInputsAndTheCommandBuffer(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let collector = CaptureCollector()
    let shared = try device.makeBuffer(length: 64, storageMode: .private, label: "shared")
    let copy = try device.makeBuffer(length: 64, storageMode: .private, label: "copy")
    let queue = device.makeCommandQueue(label: "captured")
    try device.captureManager.startCapture(
      CaptureDescriptor(captureObject: .commandQueue(queue), destination: collector))
    try hammering(shared, on: device) {
      // Not waited for, so that other queues have the time to come between.
      for _ in 0..<400 {
        let buffer = queue.makeCommandBuffer(label: "watched")
        buffer.blit { $0.copy(from: shared, range: 0..<64, to: copy, offset: 0) }
        buffer.commit()
      }
      try device.run { _ in }
    }
    device.captureManager.stopCapture()
    #expect(collector.captures.count == 400)
    let other = try Device.open(.cpu)
    for capture in collector.captures {
      #expect(capture.manifest.inputs.map(\.resource) == ["buffer-1-shared"])
      let outputs = try CaptureReplay(capture, device: other, twins: TwinLibrary()).run()
      #expect(outputs.map(\.name) == ["buffer-2-copy"])
      for output in outputs { #expect(output.difference == nil, "the input is not what the command buffer copied") }
    }
  }
}
