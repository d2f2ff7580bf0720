import Dispatch
import FoundationEssentials
import Glibc
import SafelightGLES
import Synchronization
import Testing

@Suite struct ContextThreadTests {
  @Test func workOfEachPosterKeepsItsOrder() {
    let thread = ContextThread()
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

  @Test func workRunsOnOneThreadThatIsNotTheCallers() {
    let thread = ContextThread()
    #expect(!thread.isCurrent)
    let identities = (0..<5).map { _ in thread.sync { UInt(pthread_self()) } }
    #expect(Set(identities).count == 1)
    #expect(identities.first != UInt(pthread_self()))
    #expect(thread.sync { thread.isCurrent } == true)
    thread.close {}
  }

  @Test func syncReturnsTheValueAfterEarlierWork() {
    let thread = ContextThread()
    let count = Mutex(0)
    for _ in 0..<100 { thread.post { count.withLock { $0 += 1 } } }
    #expect(thread.sync { count.withLock { $0 } } == 100)
    // From the thread itself it must not wait for itself.
    #expect(thread.sync { thread.sync { "inner" } } == "inner")
    thread.close {}
  }

  @Test func closingRunsWhatWasPostedThenTheLastAndNothingAfter() {
    let thread = ContextThread()
    let seen = Mutex<[String]>([])
    for number in 0..<50 { thread.post { seen.withLock { $0.append("\(number)") } } }
    thread.close { seen.withLock { $0.append("last") } }
    #expect(seen.withLock { $0 } == (0..<50).map(String.init) + ["last"])
    #expect(!thread.post { seen.withLock { $0.append("late") } })
    #expect(thread.sync { 1 } == nil)
    thread.close { seen.withLock { $0.append("second close") } }
    #expect(seen.withLock { $0.count } == 51)
  }

  @Test func closingFromItsOwnThreadDoesNotWaitForItself() {
    let thread = ContextThread()
    let ended = DispatchSemaphore(value: 0)
    thread.post { thread.close { ended.signal() } }
    #expect(ended.wait(timeout: .now() + 30) == .success)
    #expect(!thread.post {})
  }

  /// What a driver does must be over before its libraries go, and nothing may begin.
  @Test(arguments: [false, true]) func theProcessEndsBehindWhatIsUnderWay(_ closesItself: Bool) async throws {
    let file = "/tmp/safelight-\(getpid())-\(closesItself)"
    defer { for end in ["", "-next"] { unlink(file + end) } }
    await #expect(processExitsWith: .success) { [file = file as String, closesItself = closesItself as Bool] in
      @Sendable func touch(_ name: String) { close(open(name, O_CREAT | O_WRONLY, 0o600)) }
      // Comes behind the stop: time for what should not begin.
      atexit { usleep(100_000) }
      ContextThreads.stopAtExit()
      let thread = ContextThread()
      let hasBegun = DispatchSemaphore(value: 0)
      thread.post {
        hasBegun.signal()
        usleep(300_000)
        if closesItself { thread.close { touch(file + "-next") } }
        touch(file)
      }
      if !closesItself { thread.post { touch(file + "-next") } }
      hasBegun.wait()
    }
    #expect(access(file, F_OK) == 0 && access(file + "-next", F_OK) != 0)
  }

  /// The stack of a thread that nobody waited for stays: 2 or 8 MiB of addresses.
  @Test func threadsThatClosedThemselvesLeaveNoStacks() async {
    await #expect(processExitsWith: .success) {
      func mebibytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(text.prefix { $0 != " " })) / 256
      }
      let before = try mebibytes()
      for _ in 0..<400 {
        let thread = ContextThread()
        let isEnding = DispatchSemaphore(value: 0)
        thread.post { thread.close { isEnding.signal() } }
        isEnding.wait()
      }
      let grown = try mebibytes() - before
      #expect(grown < 400, "grown by \(grown) MiB")
    }
  }

  @Test func aClosedThreadIsLetGo() {
    weak var left: ContextThread?
    let ended = DispatchSemaphore(value: 0)
    do {
      let thread = ContextThread()
      left = thread
      thread.post { _ = thread.isCurrent }
      thread.close { ended.signal() }
    }
    #expect(ended.wait(timeout: .now() + 30) == .success)
    // The thread lets go of itself just after it said that it ended.
    for _ in 0..<3000 where left != nil { usleep(10_000) }
    #expect(left == nil)
  }

  @Test func itIsTheExecutorOfAnActor() async {
    let actor = Resident()
    #expect(await actor.isAtHome)
    #expect(await actor.isAtHome)
    actor.thread.close {}
  }

  private actor Resident {
    nonisolated let thread = ContextThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    var isAtHome: Bool { thread.isCurrent }
  }
}
