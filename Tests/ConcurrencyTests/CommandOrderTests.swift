import Dispatch
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Many threads and one order.
@Suite struct CommandOrderTests {
  /// Places are taken in order; recording and committing happen on all threads at once, each in an order of its own.
  @Test func buffersRunInTheOrderOfTheirPlacesWhoeverCommitsThem() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 600)
    let ran = Mutex<[Int]>([])
    let buffers = (0..<600).map { _ in queue.makeCommandBuffer() }
    for buffer in buffers { buffer.enqueue() }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in stride(from: thread, to: 600, by: 8).reversed() {
        buffers[number].dispatch(SwiftFunctions.pipeline { ran.withLock { $0.append(number) } })
        buffers[number].commit()
      }
    }
    for buffer in buffers { try buffer.waitUntilCompleted() }
    #expect(ran.withLock { $0 } == Array(0..<600))
  }

  /// Each thread's own buffers keep its order, and handlers theirs, though nobody enqueues.
  @Test func eachThreadsCommitsKeepTheirOrder() throws {
    let queue = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 16)
    let ran = Mutex<[(thread: Int, number: Int)]>([])
    let told = Mutex<[(thread: Int, number: Int)]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<100 {
        let buffer = queue.makeCommandBuffer { ran.withLock { $0.append((thread, number)) } }
        buffer.addCompletedHandler { _ in told.withLock { $0.append((thread, number)) } }
        buffer.commit()
      }
    }
    let last = queue.makeCommandBuffer()
    try last.finish()
    for seen in [ran.withLock { $0 }, told.withLock { $0 }] {
      #expect(seen.count == 800)
      for thread in 0..<8 { #expect(seen.filter { $0.thread == thread }.map(\.number) == Array(0..<100)) }
    }
  }

  /// One thread enqueues while another commits: neither may be lost between the two steps.
  @Test func enqueueingAndCommittingMayMeet() throws {
    let queue = try Device.open(.cpu).makeCommandQueue()
    for _ in 0..<300 {
      let buffer = queue.makeCommandBuffer()
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 { buffer.enqueue() } else { buffer.commit() }
      }
      try buffer.waitUntilCompleted()
    }
  }

  /// Handlers that are added while the buffer completes are called once each, none is forgotten.
  @Test func handlersAddedMeanwhileAreCalledOnce() throws {
    let queue = try Device.open(.cpu).makeCommandQueue()
    for _ in 0..<100 {
      let calls = Mutex(0)
      let buffer = queue.makeCommandBuffer()
      buffer.commit()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<5 {
          buffer.addScheduledHandler { _ in calls.withLock { $0 += 1 } }
          buffer.addCompletedHandler { _ in calls.withLock { $0 += 1 } }
        }
      }
      try buffer.waitUntilCompleted()
      #expect(calls.withLock { $0 } == 40)
    }
  }
}
