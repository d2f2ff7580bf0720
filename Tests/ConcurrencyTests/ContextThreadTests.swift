import Dispatch
import Glibc
import SafelightGLES
import Synchronization
import Testing

@Suite struct ContextThreadTests {
  @Test func workOfEachPosterKeepsItsOrder() throws {
    let thread = try ContextThread()
    let seen = Mutex<[(poster: Int, number: Int)]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { poster in
      for number in 0..<200 { thread.post { seen.withLock { $0.append((poster, number)) } } }
    }
    thread.close {}
    let all = seen.withLock { $0 }
    #expect(all.count == 1600)
    for poster in 0..<8 {
      #expect(all.filter { $0.poster == poster }.map(\.number) == Array(0..<200))
    }
  }

  @Test func workRunsOnOneThreadThatIsNotTheCallers() throws {
    let thread = try ContextThread()
    #expect(!thread.isCurrent)
    let identities = (0..<5).map { _ in thread.sync { UInt(pthread_self()) } }
    #expect(Set(identities).count == 1)
    #expect(identities.first != UInt(pthread_self()))
    #expect(thread.sync { thread.isCurrent } == true)
    thread.close {}
  }

  @Test func syncReturnsTheValueAfterEarlierWork() throws {
    let thread = try ContextThread()
    let count = Mutex(0)
    for _ in 0..<100 { thread.post { count.withLock { $0 += 1 } } }
    #expect(thread.sync { count.withLock { $0 } } == 100)
    // From the thread itself it must not wait for itself.
    #expect(thread.sync { thread.sync { "inner" } } == "inner")
    thread.close {}
  }

  @Test func closingRunsWhatWasPostedThenTheLastAndNothingAfter() throws {
    let thread = try ContextThread()
    let seen = Mutex<[String]>([])
    for number in 0..<50 { thread.post { seen.withLock { $0.append("\(number)") } } }
    thread.close { seen.withLock { $0.append("last") } }
    #expect(seen.withLock { $0 } == (0..<50).map(String.init) + ["last"])
    #expect(!thread.post { seen.withLock { $0.append("late") } })
    #expect(thread.sync { 1 } == nil)
    thread.close { seen.withLock { $0.append("second close") } }
    #expect(seen.withLock { $0.count } == 51)
  }

  @Test func closingFromItsOwnThreadDoesNotWaitForItself() throws {
    let thread = try ContextThread()
    let ended = DispatchSemaphore(value: 0)
    thread.post { thread.close { ended.signal() } }
    #expect(ended.wait(timeout: .now() + 30) == .success)
    #expect(!thread.post {})
  }

  @Test func aClosedThreadIsLetGo() throws {
    weak var left: ContextThread?
    let ended = DispatchSemaphore(value: 0)
    do {
      let thread = try ContextThread()
      left = thread
      thread.post { _ = thread.isCurrent }
      thread.close { ended.signal() }
    }
    #expect(ended.wait(timeout: .now() + 30) == .success)
    // The thread lets go of itself just after it said that it ended.
    for _ in 0..<3000 where left != nil { usleep(10_000) }
    #expect(left == nil)
  }

  @Test func itIsTheExecutorOfAnActor() async throws {
    let actor = Resident(try ContextThread())
    #expect(await actor.isAtHome)
    #expect(await actor.isAtHome)
    actor.thread.close {}
  }

  private actor Resident {
    nonisolated let thread: ContextThread
    init(_ thread: ContextThread) { self.thread = thread }
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    var isAtHome: Bool { thread.isCurrent }
  }
}
