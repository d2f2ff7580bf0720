import Safelight
import Synchronization
import Testing

@Suite struct CodecPoolTests {
  private final class Log: Sendable {
    let served = Mutex<[Int]>([])
    let isOpen = Mutex(false)
  }

  /// What is nearly done is finished before more is begun, whoever asked first.
  @Test func theOldestFrameIsServedFirst() async {
    let pool = CodecPool(jobs: 1)
    let log = Log()
    let (waiting, opened) = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // Holds the one thread until all others have asked.
      group.addTask {
        await pool.run(for: 9) {
          opened.yield()
          while !log.isOpen.withLock({ $0 }) {}
        }
      }
      for await _ in waiting { break }
      for frame in [7, 3, 5, 4] {
        group.addTask { await pool.run(for: frame) { log.served.withLock { $0.append(frame) } } }
      }
      while pool.waitingCount < 4 { await Task.yield() }
      log.isOpen.withLock { $0 = true }
      await group.waitForAll()
    }
    #expect(log.served.withLock { $0 } == [3, 4, 5, 7])
  }

  @Test func errorsComeBackAndThreadsAreGivenBack() async {
    struct Refusal: Error {}
    let pool = CodecPool(jobs: 2)
    for frame in 0..<8 {
      await #expect(throws: Refusal.self) { try await pool.run(for: frame) { throw Refusal() } }
    }
    let last = await pool.run(for: 8) { 8 }
    #expect(last == 8)
  }
}
