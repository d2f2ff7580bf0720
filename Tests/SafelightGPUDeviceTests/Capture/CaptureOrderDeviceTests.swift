import Dispatch
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// The inputs of a capture are the contents that the command buffer saw, whatever other queues do meanwhile.
@Suite struct CaptureOrderDeviceTests {
  /// Runs `body` while two queues fill `buffer` with changing bytes.
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

  /// The results of another queue before an event are inputs of the command buffer that waits for it.
  @Test(arguments: TestDevice.all)
  func inputsAreReadBehindTheWaitsBeforeAllElse(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let collector = CaptureCollector(labels: "consumer")
    try device.captureManager.startCapture(CaptureDescriptor(destination: collector))
    let shared = try device.makeBuffer(length: 64, storageMode: .private, label: "shared")
    let copy = try device.makeBuffer(length: 64, storageMode: .private, label: "copy")
    let event = device.makeEvent(label: "made")
    let consumer = device.makeCommandQueue().makeCommandBuffer(label: "consumer")
    consumer.pushDebugGroup("frame")
    consumer.encodeWaitForEvent(event, value: 1)
    consumer.blit { $0.copy(from: shared, range: 0..<64, to: copy, offset: 0) }
    consumer.popDebugGroup()
    consumer.commit()
    let producer = device.makeCommandQueue().makeCommandBuffer(label: "producer")
    producer.blit { $0.fill(shared, range: 0..<64, value: 5) }
    producer.encodeSignalEvent(event, value: 1)
    producer.commit()
    try consumer.waitUntilCompleted()
    let capture = try #require(collector.captures.first)
    let outputs = try CaptureReplay(capture, device: device, twins: TwinLibrary()).run()
    #expect(outputs.map(\.expected) == [[UInt8](repeating: 5, count: 64)])
    #expect(outputs.allSatisfy { $0.difference == nil })
  }

  /// A shared event is described by its label and values, and a replay does not use it.
  @Test(arguments: TestDevice.all)
  func sharedEventsAreToldAndLeftAlone(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let collector = CaptureCollector()
    try device.captureManager.startCapture(CaptureDescriptor(destination: collector))
    let event = device.makeSharedEvent(label: "both sides")
    let bytes = try device.makeBuffer(length: 16, label: "bytes")
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "watched")
    buffer.encodeSignalEvent(event, value: 1)
    buffer.encodeWaitForEvent(event, value: 2)
    buffer.blit { $0.fill(bytes, range: 0..<16, value: 8) }
    buffer.encodeSignalEvent(event, value: 3)
    event.notify(atValue: 1) { event, _ in event.signaledValue = 2 }
    try buffer.finish()
    #expect(event.signaledValue == 3)
    let capture = try #require(collector.captures.first)
    let told = capture.manifest.commands.compactMap { $0.signalEvent ?? $0.waitForEvent }
    #expect(told.map(\.event) == ["both sides", "both sides", "both sides"] && told.map(\.value) == [1, 2, 3])
    event.signaledValue = 9
    let outputs = try CaptureReplay(capture, device: device, twins: TwinLibrary()).run()
    #expect(outputs.count == 1 && outputs[0].difference == nil && event.signaledValue == 9)
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
      // No wait, so that other queues have time to come between.
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
