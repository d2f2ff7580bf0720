import Dispatch
import FoundationEssentials
import Glibc
import SafelightGLES
import Testing

/// Context threads at the end of a process, each test in a process of its own.
@Suite struct ContextThreadExitTests {
  /// Work of a driver must end before its libraries are unloaded, and no more may start.
  @Test(arguments: [false, true]) func theProcessEndsBehindWhatIsUnderWay(_ closesItself: Bool) async throws {
    let file = "/tmp/safelight-\(getpid())-\(closesItself)"
    defer { for end in ["", "-next"] { unlink(file + end) } }
    await #expect(processExitsWith: .success) { [file = file as String, closesItself = closesItself as Bool] in
      @Sendable func touch(_ name: String) { close(open(name, O_CREAT | O_WRONLY, 0o600)) }
      // Runs after the stop, to leave time for work that should not start.
      atexit { usleep(100_000) }
      ContextThreads.stopAtExit()
      let thread = try ContextThread()
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

  /// The stack of a thread that nobody joined would stay: 2 or 8 MiB of addresses.
  @Test func threadsThatClosedThemselvesLeaveNoStacks() async {
    await #expect(processExitsWith: .success) {
      // The writable addresses: malloc's arenas reserve 64 MiB each, more of them on a busy machine (proc(5), statm).
      func mebibytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(fields.count > 5 ? Int(fields[5]) : nil) / 256
      }
      let before = try mebibytes()
      for _ in 0..<400 {
        let thread = try ContextThread()
        let isEnding = DispatchSemaphore(value: 0)
        thread.post { thread.close { isEnding.signal() } }
        isEnding.wait()
      }
      let grown = try mebibytes() - before
      #expect(grown < 400, "grown by \(grown) MiB")
    }
  }

  /// A handler may wait forever, and every context registers a stop.
  @Test func aThreadIsWaitedForOnce() async {
    let file = "/tmp/safelight-\(getpid())-again"
    defer { unlink(file) }
    await #expect(processExitsWith: .success) { [file = file as String] in
      // Runs last; the first thread's stop runs first, and waits in vain.
      ContextThreads.stopAtExit()
      atexit { ContextThreadExitTests.isStopped.signal() }
      let thread = try ContextThread()
      let hasBegun = DispatchSemaphore(value: 0)
      thread.post {
        hasBegun.signal()
        ContextThreadExitTests.isStopped.wait()
        sleep(5)
        close(open(file, O_CREAT | O_WRONLY, 0o600))
      }
      hasBegun.wait()
    }
    #expect(access(file, F_OK) != 0)
  }

  private static let isStopped = DispatchSemaphore(value: 0)

  /// A fork has none of its parent's threads, and may start its own.
  @Test func aForkWaitsForItsOwnThreads() async {
    let file = "/tmp/safelight-\(getpid())-fork"
    defer { unlink(file) }
    await #expect(processExitsWith: .success) { [file = file as String] in
      // Swift does not import `fork`.
      let fork = try unsafe unsafeBitCast(#require(unsafe dlsym(nil, "fork")), to: (@convention(c) () -> pid_t).self)
      let alone = try ContextThread()
      let isClosed = DispatchSemaphore(value: 0)
      alone.post { alone.close { isClosed.signal() } }
      isClosed.wait()
      let busy = try ContextThread()
      let hasBegun = DispatchSemaphore(value: 0)
      let goOn = DispatchSemaphore(value: 0)
      busy.post {
        hasBegun.signal()
        goOn.wait()
      }
      hasBegun.wait()
      let child = fork()
      if child == 0 {
        // Less than the 10 s for which a busy thread is waited; threads of Dispatch block signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        alarm(9)
        let own = try ContextThread()
        let isBusy = DispatchSemaphore(value: 0)
        own.post {
          isBusy.signal()
          usleep(300_000)
          close(open(file, O_CREAT | O_WRONLY, 0o600))
        }
        isBusy.wait()
        exit(0)
      }
      var status: Int32 = -1
      #expect(waitpid(child, &status, 0) == child && status == 0, "status \(status)")
      goOn.signal()
    }
    #expect(access(file, F_OK) == 0)
  }
}
