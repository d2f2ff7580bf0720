import SafelightFrames
import SafelightImage
import Testing

@Suite struct HandoverTests {
  @Test func everythingComesInOrder() async throws {
    let handover = Handover<Int>(capacity: 2)
    let maker = Task {
      for number in 0..<1000 { guard await handover.send(number) else { return false } }
      handover.finish()
      return true
    }
    var next = 0
    while let number = try await handover.next() {
      #expect(number == next)
      next += 1
    }
    #expect(next == 1000)
    #expect(await maker.value)
    #expect(try await handover.next() == nil)
  }

  @Test func whatIsThereComesBeforeTheFailure() async throws {
    let handover = Handover<Int>(capacity: 2)
    #expect(await handover.send(7))
    handover.finish(SafelightError(.transfer, "source", why: "it died"))
    #expect(try await handover.next() == 7)
    await expectError(.transfer, mentioning: "it died") { _ = try await handover.next() }
    #expect(try await handover.next() == nil)
    #expect(await handover.send(8) == false)
  }

  /// No more than the capacity is taken in while nobody asks.
  @Test func theMakerWaits() async throws {
    let handover = Handover<Int>(capacity: 3)
    let sent = Counter()
    let maker = Task {
      for number in 0..<10 where await handover.send(number) { sent.increment() }
    }
    await sent.wait(until: 3)
    for _ in 0..<100 { await Task.yield() }
    #expect(sent.value == 3)
    #expect(try await handover.next() == 0)
    await sent.wait(until: 4)
    #expect(handover.close() == [1, 2, 3])
    await maker.value
    #expect(sent.value == 4)
  }

  @Test func cancellingTheTakerEndsBoth() async throws {
    let handover = Handover<Int>(capacity: 1)
    let taker = Task { try await handover.next() }
    taker.cancel()
    #expect(try await taker.value == nil)
    #expect(await handover.send(1) == false)
  }

  @Test func memoryIsUsedAgain() {
    let memory = FrameMemory(byteCounts: [4, 2], limit: 1)
    var planes = memory.take()
    #expect(planes.map(\.isEmpty) == [true, true])
    #expect(planes[0].capacity >= 4)
    planes[0] = [1, 2, 3, 4]
    var lease: FrameLease? = memory.lease(planes)
    planes = memory.take()
    #expect(memory.allocations == 2)
    let second = memory.lease(planes)
    #expect(lease != nil)
    lease = nil
    #expect(memory.take().map(\.isEmpty) == [true, true])
    #expect(memory.allocations == 2)
    withExtendedLifetime(second) {}
  }
}
