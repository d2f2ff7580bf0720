import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// The bound on command buffers under way.
@Suite struct CommandQueueTests {
  @Test func theBoundIsMetals() throws {
    let device = try Device.open(.cpu)
    #expect(device.makeCommandQueue().maxCommandBufferCount == 64)
    #expect(device.makeCommandQueue(maxCommandBufferCount: 3).maxCommandBufferCount == 3)
  }

  /// Never more at once than the bound, however many threads ask.
  @Test func noMoreThanTheBoundAreUnderWay() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 3)
    let alive = Mutex((now: 0, most: 0))
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      for _ in 0..<50 {
        let buffer = queue.makeCommandBuffer()
        alive.withLock { alive in
          alive.now += 1
          alive.most = max(alive.most, alive.now)
        }
        buffer.dispatch(SwiftFunctions.pipeline { alive.withLock { $0.now -= 1 } })
        buffer.commit()
      }
    }
    #expect(alive.withLock { $0.most } <= 3)
    #expect(alive.withLock { $0.most } >= 1)
  }

  @Test func aFullQueueMakesTheNextBufferWait() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 1)
    let gate = DispatchSemaphore(value: 0)
    let made = DispatchSemaphore(value: 0)
    let first = queue.makeCommandBuffer()
    first.wait(for: gate)
    first.commit()
    let second = Mutex<CommandBuffer?>(nil)
    DispatchQueue.global().async {
      let buffer = queue.makeCommandBuffer(label: "second")
      second.withLock { $0 = buffer }
      made.signal()
    }
    #expect(made.wait(timeout: .now() + 0.2) == .timedOut)
    gate.signal()
    #expect(made.wait(timeout: .now() + 30) == .success)
    #expect(second.withLock { $0?.label } == "second")
    #expect(first.status == .completed)
  }

  @Test func theAsynchronousFormWaitsToo() async throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 1)
    let gate = DispatchSemaphore(value: 0)
    let first = queue.makeCommandBuffer()
    first.wait(for: gate)
    first.commit()
    let made = Mutex(false)
    let task = Task {
      let buffer = await queue.nextCommandBuffer(label: "second")
      made.withLock { $0 = true }
      return buffer
    }
    usleep(100_000)
    #expect(!made.withLock { $0 })
    gate.signal()
    let second = await task.value
    #expect(second.label == "second")
    second.commit()
    try await second.completed()
    let line = #line + 1
    #expect(await queue.nextCommandBuffer().label == "ConcurrencyTests/CommandQueueTests.swift:\(line)")
  }

  @Test func aBufferThatIsLetGoGivesItsPlaceBack() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 2)
    let ran = Mutex(0)
    for number in 0..<20 {
      let buffer = queue.makeCommandBuffer { ran.withLock { $0 += 1 } }
      // Those with a place in the order do not hold up the ones behind them either.
      if number % 2 == 0 { buffer.enqueue() }
    }
    let last = queue.makeCommandBuffer()
    try last.finish()
    #expect(ran.withLock { $0 } == 0)
  }

  /// A failed buffer, and one that a closed device refused, give theirs back too.
  @Test func failuresGiveTheirPlacesBack() throws {
    let device = try Device.open(.cpu)
    let queue = device.makeCommandQueue(maxCommandBufferCount: 1)
    for number in 0..<4 {
      if number == 2 { device.close() }
      let buffer = queue.makeCommandBuffer { throw SwiftFunctions.Failure(description: "no") }
      buffer.commit()
      #expect(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    }
  }

  /// In a handler its buffer is over: there is room for the next.
  @Test func aHandlerOfTheOnlyBufferMayMakeTheNext() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 1)
    let ran = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    @Sendable func step() {
      let buffer = queue.makeCommandBuffer()
      buffer.addCompletedHandler { _ in
        if ran.withLock({
          $0 += 1; return $0
        }) < 5 {
          step()
        } else {
          done.signal()
        }
      }
      buffer.commit()
    }
    step()
    #expect(done.wait(timeout: .now() + 30) == .success)
    #expect(ran.withLock { $0 } == 5)
  }

  /// What a queue and its buffers hold goes with the last reference.
  @Test func nothingIsLeftOfManyBuffers() throws {
    let device = try Device.open(.cpu)
    weak var queueLeft: CommandQueue?
    weak var lastLeft: CommandBuffer?
    weak var handlersLeft: Witness?
    do {
      let queue = device.makeCommandQueue()
      queueLeft = queue
      let witness = Witness()
      handlersLeft = witness
      for _ in 0..<1000 {
        let buffer = queue.makeCommandBuffer()
        lastLeft = buffer
        buffer.addScheduledHandler { _ in withExtendedLifetime(witness) {} }
        buffer.addCompletedHandler { _ in withExtendedLifetime(witness) {} }
        buffer.commit()
      }
      try queue.makeCommandBuffer().finish()
    }
    // The thread lets go of the last one just after it said that it was over.
    for _ in 0..<3000 where queueLeft != nil || lastLeft != nil || handlersLeft != nil { usleep(10_000) }
    #expect(lastLeft == nil)
    #expect(handlersLeft == nil)
    #expect(queueLeft == nil)
  }

  private final class Witness: Sendable {}
}
