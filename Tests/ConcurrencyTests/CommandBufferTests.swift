import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

@Suite struct CommandBufferTests {
  private let queue: CommandQueue

  init() throws { queue = try Device.open(.cpu).makeCommandQueue() }

  @Test func statusRisesInOrder() throws {
    let gate = DispatchSemaphore(value: 0)
    let first = queue.makeCommandBuffer()
    let second = queue.makeCommandBuffer()
    #expect(second.status == .notEnqueued)
    first.enqueue()
    second.enqueue()
    #expect(first.status == .enqueued)
    second.wait(for: gate)
    let atScheduled = Mutex<CommandBuffer.Status?>(nil)
    second.addScheduledHandler { buffer in atScheduled.withLock { $0 = buffer.status } }
    second.commit()
    // The one before it is not committed yet.
    #expect(second.status == .committed)
    first.commit()
    // Its commands wait for the gate: they have not been handed over.
    #expect(second.status == .committed)
    #expect(second.seconds == 0)
    gate.signal()
    try second.waitUntilCompleted()
    #expect(atScheduled.withLock { $0 } == .scheduled)
    #expect(second.status == .completed)
    #expect(second.error == nil)
    #expect(second.seconds > 0)
    let order: [CommandBuffer.Status] = [.notEnqueued, .enqueued, .committed, .scheduled, .completed, .error]
    #expect(order == order.sorted())
    #expect(order.map(\.rawValue) == Array(0..<6))
  }

  @Test func placesInTheQueueCountNotTheOrderOfCommits() throws {
    let ran = Mutex<[Int]>([])
    let buffers = (0..<5).map { number in
      let buffer = queue.makeCommandBuffer { ran.withLock { $0.append(number) } }
      buffer.enqueue()
      return buffer
    }
    for buffer in buffers.reversed() {
      #expect(ran.withLock { $0 } == [])
      buffer.commit()
    }
    for buffer in buffers { try buffer.waitUntilCompleted() }
    #expect(ran.withLock { $0 } == [0, 1, 2, 3, 4])
  }

  @Test func withoutEnqueueingTheOrderOfCommitsCounts() throws {
    let ran = Mutex<[Int]>([])
    let buffers = (0..<3).map { number in queue.makeCommandBuffer { ran.withLock { $0.append(number) } } }
    for number in [2, 0, 1] { buffers[number].commit() }
    for buffer in buffers { try buffer.waitUntilCompleted() }
    #expect(ran.withLock { $0 } == [2, 0, 1])
  }

  @Test func enqueueingTwiceTakesOnePlace() throws {
    let ran = Mutex(0)
    let buffer = queue.makeCommandBuffer { ran.withLock { $0 += 1 } }
    buffer.enqueue()
    buffer.enqueue()
    buffer.commit()
    buffer.enqueue()
    try buffer.waitUntilCompleted()
    #expect(ran.withLock { $0 } == 1)
  }

  @Test func handlersRunOnceInOrderAfterCompletion() throws {
    let seen = Mutex<[String]>([])
    let buffer = queue.makeCommandBuffer(label: "x")
    for name in ["a", "b"] {
      buffer.addCompletedHandler { done in seen.withLock { $0.append("\(name) \(done.label) \(done.status)") } }
    }
    try buffer.finish()
    #expect(seen.withLock { $0 } == ["a x completed", "b x completed"])
    // One that comes late is called at once.
    buffer.addCompletedHandler { _ in seen.withLock { $0.append("late") } }
    #expect(seen.withLock { $0.last } == "late")
    #expect(seen.withLock { $0.count } == 3)
  }

  @Test func scheduledHandlersComeBeforeCompletedOnes() throws {
    let seen = Mutex<[String]>([])
    let buffer = queue.makeCommandBuffer { seen.withLock { $0.append("work") } }
    buffer.addCompletedHandler { done in seen.withLock { $0.append("completed \(done.status)") } }
    for name in ["a", "b"] {
      buffer.addScheduledHandler { done in
        usleep(20000)
        seen.withLock { $0.append("\(name) \(done.status)") }
      }
    }
    buffer.commit()
    buffer.waitUntilScheduled()
    #expect(seen.withLock { Array($0.prefix(3)) } == ["work", "a scheduled", "b scheduled"])
    try buffer.waitUntilCompleted()
    #expect(seen.withLock { $0 } == ["work", "a scheduled", "b scheduled", "completed completed"])
    buffer.addScheduledHandler { _ in seen.withLock { $0.append("late") } }
    #expect(seen.withLock { $0.last } == "late")
  }

  /// Nobody who waits for a buffer to be scheduled waits for ever.
  @Test func scheduledHandlersOfAFailedBufferRunBeforeTheOthers() async throws {
    let seen = Mutex<[String]>([])
    let buffer = queue.makeCommandBuffer { throw SwiftFunctions.Failure(description: "no") }
    buffer.addCompletedHandler { _ in seen.withLock { $0.append("completed") } }
    buffer.addScheduledHandler { done in seen.withLock { $0.append("scheduled \(done.status)") } }
    buffer.commit()
    await buffer.scheduled()
    await #expect(throws: SafelightError.self) { try await buffer.completed() }
    #expect(seen.withLock { $0 } == ["scheduled error", "completed"])
  }

  @Test func aHandlerMayCommitTheNextBuffer() async throws {
    let next = queue.makeCommandBuffer()
    let first = queue.makeCommandBuffer()
    first.addCompletedHandler { _ in next.commit() }
    first.commit()
    try await first.completed()
    try await next.completed()
    #expect(next.status == .completed)
  }

  @Test func completedReturnsAfterTheWork() async throws {
    let ran = Mutex(false)
    let buffer = queue.makeCommandBuffer { ran.withLock { $0 = true } }
    buffer.commit()
    try await buffer.completed()
    #expect(ran.withLock { $0 })
    try await buffer.completed()
  }

  @Test func aRecordingIsAValue() throws {
    let device = try Device.open(.cpu)
    let ran = Mutex(0)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "list")
    buffer.dispatch(SwiftFunctions.pipeline { ran.withLock { $0 += 1 } }, label: "one")
    let early = buffer.recording
    buffer.dispatch(SwiftFunctions.pipeline { ran.withLock { $0 += 10 } }, label: "two")
    #expect(early.label == "list")
    #expect(early.commands.map(\.label) == ["one", "one", "one"])
    #expect(buffer.recording.commands.map(\.label) == ["one", "one", "one", "two", "two", "two"])
    #expect(ran.withLock { $0 } == 0)
    _ = try device.replay(early)
    _ = try device.replay(early)
    #expect(ran.withLock { $0 } == 2)
    try buffer.finish()
    #expect(ran.withLock { $0 } == 13)
  }

  @Test func debugGroupsAreCommands() throws {
    let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer()
    buffer.pushDebugGroup("frame")
    buffer.makeBlitCommandEncoder(label: "copies").endEncoding()
    buffer.popDebugGroup()
    let groups = buffer.recording.commands.map { entry in
      switch entry.command {
      case .pushDebugGroup(let name): name
      case .popDebugGroup: "pop"
      default: "other"
      }
    }
    #expect(groups == ["frame", "copies", "pop", "pop"])
    #expect(buffer.recording.encoders == ["copies"])
    try buffer.finish()
  }

  @Test func aBufferIsNamedByThePlaceThatMadeIt() throws {
    let line = #line + 1
    #expect(queue.makeCommandBuffer().label == "ConcurrencyTests/CommandBufferTests.swift:\(line)")
    #expect(queue.makeCommandBuffer(label: "frame 17").label == "frame 17")
  }

  /// As in Metal: whoever waits comes after the handlers, slow ones included.
  @Test func waitersComeAfterHandlers() throws {
    let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer()
    let seen = Mutex(0)
    buffer.addCompletedHandler { buffer in
      usleep(50000)
      seen.withLock { $0 += 1 }
      buffer.addCompletedHandler { _ in seen.withLock { $0 += 1 } }
    }
    try buffer.finish()
    #expect(seen.withLock { $0 } == 2)
  }
}

extension CommandQueue {
  /// A buffer that runs `body`, on the CPU.
  func makeCommandBuffer(running body: @escaping @Sendable () throws -> Void) -> CommandBuffer {
    let buffer = makeCommandBuffer()
    buffer.dispatch(SwiftFunctions.pipeline { try body() })
    return buffer
  }
}
