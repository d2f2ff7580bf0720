import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Order between queues by events.
@Suite struct EventTests {
  private let device: Device

  init() throws { device = try Device.open(.cpu) }

  @Test func aBufferWaitsForAnotherQueuesSignal() throws {
    let event = device.makeEvent()
    let ran = Mutex<[String]>([])
    let waiting = device.makeCommandQueue(label: "waiting").makeCommandBuffer { ran.withLock { $0.append("before") } }
    waiting.encodeWaitForEvent(event, value: 7)
    waiting.dispatch(SwiftFunctions.pipeline { ran.withLock { $0.append("after") } })
    waiting.commit()
    // The device's thread is not held up: other queues pass.
    let other = device.makeCommandQueue(label: "other")
    let early = other.makeCommandBuffer { ran.withLock { $0.append("other") } }
    early.encodeSignalEvent(event, value: 6)
    try early.finish()
    #expect(ran.withLock { $0 } == ["before", "other"])
    #expect(waiting.status == .committed)
    let late = other.makeCommandBuffer { ran.withLock { $0.append("signal") } }
    late.encodeSignalEvent(event, value: 8)
    try late.finish()
    try waiting.waitUntilCompleted()
    #expect(ran.withLock { $0 } == ["before", "other", "signal", "after"])
  }

  @Test func theQueueOfAWaitingBufferKeepsItsOrder() throws {
    let event = device.makeSharedEvent()
    let queue = device.makeCommandQueue()
    let ran = Mutex<[Int]>([])
    let buffers = (0..<5).map { number in
      let buffer = queue.makeCommandBuffer()
      if number % 2 == 1 { buffer.encodeWaitForEvent(event, value: UInt64(number)) }
      buffer.dispatch(SwiftFunctions.pipeline { ran.withLock { $0.append(number) } })
      buffer.commit()
      return buffer
    }
    try buffers[0].waitUntilCompleted()
    #expect(device.statistics.heldCommandBuffers == 4)
    event.signaledValue = 1
    try buffers[2].waitUntilCompleted()
    #expect(ran.withLock { $0 } == [0, 1, 2])
    #expect(device.statistics.heldCommandBuffers == 2)
    event.signaledValue = 3
    try buffers[4].waitUntilCompleted()
    #expect(ran.withLock { $0 } == [0, 1, 2, 3, 4])
    #expect(device.statistics.heldCommandBuffers == 0)
  }

  /// What would be a dead-lock on one thread: a buffer waits for what the next of its queue signals.
  @Test func aWaitThatNobodySignalsFailsWithARemedy() throws {
    let event = device.makeEvent(label: "never")
    let queue = device.makeCommandQueue()
    let waiting = queue.makeCommandBuffer(label: "frame 17")
    let line = #line + 1
    waiting.encodeWaitForEvent(event, value: 2, timeout: .milliseconds(50))
    waiting.commit()
    let signalling = queue.makeCommandBuffer()
    signalling.encodeSignalEvent(event, value: 2)
    signalling.commit()
    expectError(
      what: "'frame 17' (EventTests.swift:\(line)): event 'never'",
      why: "it did not reach the value 2 within 0.05 s; its value is 0", remedy: .containing("on another queue")
    ) { try waiting.waitUntilCompleted() }
    // The queue goes on.
    try signalling.waitUntilCompleted()
    #expect(waiting.status == .error)
  }

  @Test func closingADeviceFailsWhatStillWaits() throws {
    let queue = device.makeCommandQueue()
    let waiting = queue.makeCommandBuffer()
    waiting.encodeWaitForEvent(device.makeEvent(), value: 1)
    let behind = queue.makeCommandBuffer()
    waiting.commit()
    behind.commit()
    device.close()
    for buffer in [waiting, behind] {
      expectError(why: "it was closed") { try buffer.waitUntilCompleted() }
    }
  }

  @Test func aNumberNeverSinks() throws {
    let event = try Device.open(.cpu).makeSharedEvent(label: "count")
    #expect(event.label == "count")
    event.signaledValue = 5
    event.signaledValue = 3
    #expect(event.signaledValue == 5)
  }

  @Test func notificationsComeOnceWhenTheValueIsReached() throws {
    let event = device.makeSharedEvent()
    let seen = Mutex<[String]>([])
    event.notify(atValue: 2) { _, value in seen.withLock { $0.append("two at \(value)") } }
    event.notify(atValue: 4) { _, value in seen.withLock { $0.append("four at \(value)") } }
    for value in UInt64(1)...3 {
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      buffer.encodeSignalEvent(event, value: value)
      try buffer.finish()
    }
    #expect(seen.withLock { $0 } == ["two at 2"])
    event.signaledValue = 9
    event.notify(atValue: 9) { _, value in seen.withLock { $0.append("at once at \(value)") } }
    #expect(seen.withLock { $0 } == ["two at 2", "four at 9", "at once at 9"])
  }

  @Test func theCPUWaitsWithALimit() throws {
    let event = device.makeSharedEvent()
    #expect(!event.wait(untilSignaledValue: 1, timeout: .milliseconds(20)))
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.encodeSignalEvent(event, value: 1)
    buffer.commit()
    #expect(event.wait(untilSignaledValue: 1, timeout: .seconds(30)))
    #expect(event.wait(untilSignaledValue: 1, timeout: .zero))
  }

  @Test func theCPUSignalsADevice() throws {
    let event = device.makeSharedEvent()
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.encodeWaitForEvent(event, value: 1)
    buffer.commit()
    #expect(device.statistics.heldCommandBuffers == 1)
    event.signaledValue = 1
    try buffer.waitUntilCompleted()
  }

  /// Two queues that wait for each other in turn, over and over: nobody is woken too early or never.
  @Test func queuesTakeTurns() throws {
    let event = device.makeEvent()
    let ran = Mutex<[Int]>([])
    let queues = [device.makeCommandQueue(), device.makeCommandQueue()]
    let buffers = (0..<100).reversed().map { number in
      (number, queues[number % 2].makeCommandBuffer())
    }
    for (_, buffer) in buffers.reversed() { buffer.enqueue() }
    for (number, buffer) in buffers {
      buffer.encodeWaitForEvent(event, value: UInt64(number))
      buffer.dispatch(SwiftFunctions.pipeline { ran.withLock { $0.append(number) } })
      buffer.encodeSignalEvent(event, value: UInt64(number + 1))
      buffer.commit()
    }
    for (_, buffer) in buffers { try buffer.waitUntilCompleted() }
    #expect(ran.withLock { $0 } == Array(0..<100))
  }

  /// Those who gave up are forgotten: a notification that stays would be a leak.
  @Test func nothingIsLeftOfAWait() throws {
    let event = device.makeSharedEvent()
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.encodeWaitForEvent(event, value: 1, timeout: .milliseconds(200))
    buffer.commit()
    #expect(device.statistics.heldCommandBuffers == 1)
    #expect(event.event.waiterCount == 1)
    #expect(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(!event.wait(untilSignaledValue: 1, timeout: .milliseconds(1)))
    #expect(event.event.waiterCount == 0)
    #expect(device.statistics.heldCommandBuffers == 0)
  }

  /// On the device's own thread a replay runs at once; one that has to wait is refused instead of hanging the device.
  @Test func aReplayInAHandlerRunsOrIsRefused() throws {
    let event = device.makeSharedEvent(label: "later")
    let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
    let waiting = device.makeCommandQueue().makeCommandBuffer(label: "waiting")
    waiting.encodeWaitForEvent(event, value: 1, timeout: .milliseconds(10))
    let recording = waiting.recording
    let seen = Mutex<(bytes: [UInt8]?, error: SafelightError?)>((nil, nil))
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.addCompletedHandler { _ in
      let bytes = try? texture.getBytes()
      do throws(SafelightError) {
        _ = try device.replay(recording)
      } catch {
        seen.withLock { $0 = (bytes, error) }
      }
    }
    try buffer.finish()
    #expect(seen.withLock { $0.bytes } == [0, 0, 0, 0])
    #expect(seen.withLock { $0.error?.why.contains("device's own thread") } == true)
    #expect(throws: SafelightError.self) { try device.replay(recording) }
    event.signaledValue = 1
    _ = try device.replay(recording)
  }
}
