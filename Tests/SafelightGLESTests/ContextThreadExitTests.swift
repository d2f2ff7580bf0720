import Dispatch
import FoundationEssentials
import Glibc
import SafelightGLES
import Testing

/// Threads of devices at the end of a process, each in a process of its own.
@Suite struct ContextThreadExitTests {
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
}
