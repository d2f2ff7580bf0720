import Glibc
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A long run holds on to nothing.
@Suite struct HoldingsDeviceTests {
  /// Every kind of command, ten thousand times: what the device holds afterwards is what it held after a few.
  @Test(arguments: TestDevice.onEveryPlatform)
  func tenThousandBuffersLeaveNothing(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let queue = device.makeCommandQueue(maxCommandBufferCount: 8)
    let event = device.makeSharedEvent()
    let samples = device.makeCounterSampleBuffer(sampleCount: 1)
    let pipeline = ComputePipelineState(ComputeFunctions.scale)
    let kept = try device.makeBuffer(length: 64)
    var number = UInt64(0)
    let round = {
      number += 1
      let passing = try device.makeBuffer(length: 64)
      let buffer = queue.makeCommandBuffer(label: "one of many")
      buffer.encodeWaitForEvent(event, value: number - 1)
      buffer.blit {
        $0.fill(passing, range: 0..<64, value: 1)
        $0.sampleCounters(samples, sampleIndex: 0)
      }
      buffer.compute {
        $0.setComputePipelineState(pipeline)
        $0.setBuffer(kept, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 1, 0, 0), index: 3)
        $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(32, 1))
      }
      buffer.encodeSignalEvent(event, value: number)
      buffer.addCompletedHandler { _ in }
      buffer.commit()
      return buffer
    }
    for _ in 0..<20 { _ = try round() }
    try round().waitUntilCompleted()
    let early = settled(device)
    for _ in 0..<9_979 { _ = try round() }
    weak var last: CommandBuffer?
    try {
      let buffer = try round()
      last = buffer
      try buffer.waitUntilCompleted()
    }()
    let late = settled(device)
    #expect(late == early)
    #expect(late.queries <= 3)
    #expect(late.heldCommandBuffers == 0)
    #expect(last == nil)
    #expect(event.signaledValue == 10_001)
    let words = try device.contents(of: kept).words(UInt32.self)
    #expect(words[0] == 10_001)
  }

  /// The thread lets go of a buffer's resources just after it said that the buffer was over.
  private func settled(_ device: Device) -> DeviceStatistics {
    var last = device.statistics
    for _ in 0..<100 {
      usleep(20_000)
      let now = device.statistics
      if now == last { break }
      last = now
    }
    return last
  }
}
