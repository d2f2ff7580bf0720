import SafelightGPU
import SafelightImage
import Synchronization
import Testing

@Suite struct DrawableRingTests {
  private let configuration = DrawableConfiguration(size: Size(2, 2), pixelFormat: .rgba8Unorm, framebufferOnly: true)

  private func ring(limits: Capabilities? = nil, capacity: Int) throws -> DrawableRing {
    DrawableRing(
      device: try Device.open(.cpu, options: DeviceOptions(limits: limits)), capacity: capacity,
      configuration: configuration, label: "ring")
  }

  @Test func thoseWhoWaitAreServedInTurnAndBeforeNewcomers() throws {
    let ring = try ring(capacity: 1)
    let held = try #require(try ring.take())
    let served = Mutex<[String]>([])
    let slots = Mutex<[DrawableSlot]>([])
    func wait(_ name: String) -> Int {
      ring.wait { outcome in
        served.withLock { $0.append(name) }
        if let turn = try? outcome.get() { slots.withLock { $0.append(turn.slot) } }
      }
    }
    _ = wait("a")
    let second = wait("b")
    _ = wait("c")
    #expect(try ring.take() == nil)
    ring.giveUp(second)
    #expect(served.withLock { $0 } == ["b"])
    #expect(slots.withLock { $0.isEmpty })
    ring.giveUp(second)
    ring.giveBack(held.slot)
    #expect(served.withLock { $0 } == ["b", "a"])
    #expect(try ring.take() == nil)
    ring.giveBack(held.slot)
    #expect(served.withLock { $0 } == ["b", "a", "c"])
    #expect(slots.withLock { $0.allSatisfy { $0 === held.slot } })
    ring.giveBack(held.slot)
    #expect(try ring.take()?.id == 4)
    #expect(ring.made == 1)
    #expect(ring.inUse == 1)
  }

  @Test func aSlotThatCannotBeMadeIsAnErrorForAll() throws {
    let ring = try ring(limits: .minimum, capacity: 2)
    let held = try #require(try ring.take())
    let other = try #require(try ring.take())
    let heard = Mutex<[SafelightError?]>([])
    let listen: @Sendable (DrawableRing.Outcome) -> Void = { outcome in
      heard.withLock { heard in
        if case .failure(let error) = outcome { heard.append(error) } else { heard.append(nil) }
      }
    }
    _ = ring.wait(listen)
    ring.configure(DrawableConfiguration(size: Size(4096, 1), pixelFormat: .rgba8Unorm, framebufferOnly: true))
    ring.giveBack(held.slot)
    #expect(heard.withLock { $0.first??.kind } == .limit)
    #expect(throws: SafelightError.self) { try ring.take() }
    _ = ring.wait(listen)
    #expect(heard.withLock { $0.count } == 2)
    // All waiters get the error: no slot will be given back later to serve them.
    ring.configure(configuration)
    let third = try #require(try ring.take())
    for _ in 0..<3 { _ = ring.wait(listen) }
    #expect(heard.withLock { $0.count } == 2)
    ring.configure(DrawableConfiguration(size: Size(4096, 1), pixelFormat: .rgba8Unorm, framebufferOnly: true))
    ring.giveBack(third.slot)
    #expect(heard.withLock { $0.map { $0?.kind } } == [.limit, .limit, .limit, .limit, .limit])
    // A failure takes no slot.
    ring.configure(configuration)
    #expect(try ring.take() != nil)
    #expect(try ring.take() == nil)
    ring.giveBack(other.slot)
    #expect(try ring.take()?.slot === other.slot)
  }
}

@Suite struct FrameViewErrorTests {
  @Test func whoeverWaitsHearsWhyADelegateCouldNotDraw() async throws {
    let view = try FrameView(device: Device.open(.cpu), size: Size(4, 2), sink: CollectingFrameSink())
    let first = SafelightError(.unsupported, "layer", why: "it has two channels")
    view.note(first)
    view.note(SafelightError(.unsupported, "layer", why: "another"))
    #expect(throws: first) { try view.waitUntilPresented() }
    try await view.presented()
  }
}
