import Dispatch
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// The number and size of drawables.
@Suite struct DrawableRingDeviceTests {
  private let size = Size(5, 3)

  private func view(_ test: TestDevice, count: Int = 3, _ sink: any FrameSink) throws -> FrameView {
    try FrameView(
      device: try test.open(), size: size, colorPixelFormat: .rgba8Unorm, maximumDrawableCount: count, sink: sink)
  }

  @Test(arguments: TestDevice.all, [2, 3, 5])
  func aSlowSinkKeepsDrawablesOut(_ test: TestDevice, _ count: Int) throws {
    let sink = GatedSink()
    let view = try view(test, count: count, sink)
    let queue = view.device.makeCommandQueue()
    for number in 0..<count { try view.show(number, on: queue) }
    #expect(view.currentDrawable == nil)
    #expect(view.currentRenderPassDescriptor == nil)
    #expect(try view.nextDrawable(timeout: .milliseconds(1)) == nil)
    #expect(view.statistics.drawablesInUse == count)
    sink.gate.signal()
    let next = try #require(try view.nextDrawable(timeout: .seconds(60)))
    #expect(next.drawableID == count + 1)
    #expect(view.currentDrawable == nil)
    for _ in 1..<count { sink.gate.signal() }
    try view.waitUntilPresented()
    #expect(sink.collected.frames.map(\.bytes) == (0..<count).map { Painting.bytes($0, size) })
    #expect(view.statistics.drawablesMade == count)
  }

  @Test(arguments: TestDevice.all)
  func aBusyDeviceKeepsDrawablesOut(_ test: TestDevice) throws {
    let sink = CollectingFrameSink()
    let view = try view(test, sink)
    let queue = view.device.makeCommandQueue()
    let gate = DispatchSemaphore(value: 0)
    queue.hold(gate)
    for number in 0..<3 { try view.show(number, on: queue) }
    #expect(view.currentDrawable == nil)
    #expect(sink.frames.isEmpty)
    gate.signal()
    try view.waitUntilPresented()
    #expect(view.currentDrawable != nil)
  }

  @Test(arguments: TestDevice.all)
  func whatIsNeverPresentedComesBack(_ test: TestDevice) throws {
    let view = try view(test, CollectingFrameSink())
    for round in 0..<10 {
      let drawables = try (0..<3).map { _ in try #require(try view.nextDrawable()) }
      // Kept to the end: the optimizer releases a value after its last use, and the drawable would return early.
      withExtendedLifetime(drawables) {
        #expect(drawables.map(\.drawableID) == (1...3).map { round * 3 + $0 })
        #expect(Set(drawables.map { ObjectIdentifier($0.texture) }).count == 3)
        #expect(view.currentDrawable == nil)
      }
    }
    #expect(view.statistics == FrameView.Statistics(presented: 0, lost: 0, drawablesMade: 3, drawablesInUse: 0))
    // A buffer that is never committed presents nothing, and no wait includes it.
    for _ in 0..<5 {
      let buffer = view.device.makeCommandQueue().makeCommandBuffer()
      buffer.present(try #require(try view.nextDrawable()))
    }
    try view.waitUntilPresented()
    #expect(view.statistics.drawablesInUse == 0)
  }

  @Test(arguments: TestDevice.all)
  func theCurrentDrawableIsOneUntilItIsPresented(_ test: TestDevice) throws {
    let view = try view(test, CollectingFrameSink())
    let first = try #require(view.currentDrawable)
    #expect(view.currentDrawable === first)
    #expect(view.currentRenderPassDescriptor?.texture === first.texture)
    #expect(try view.nextDrawable() !== first)
    let buffer = view.device.makeCommandQueue().makeCommandBuffer()
    buffer.present(first)
    #expect(view.currentDrawable !== first)
    buffer.commit()
    try view.waitUntilPresented()
  }

  @Test(arguments: TestDevice.all)
  func aViewChangesItsSizeWhileFramesAreOnTheWay(_ test: TestDevice) throws {
    let sink = GatedSink()
    let view = try view(test, sink)
    let delegate = RecordingDelegate()
    view.delegate = delegate
    let queue = view.device.makeCommandQueue()
    for number in 0..<2 { try view.show(number, on: queue) }
    let taken = try #require(view.currentDrawable)
    let larger = Size(9, 4)
    view.drawableSize = larger
    view.drawableSize = larger
    #expect(delegate.changes == [[larger, size]])
    #expect(view.drawableSize == larger)
    // All three are in use, with the old size.
    #expect(view.currentDrawable == nil)
    #expect(taken.texture.size == size)
    queue.paint(2, taken)
    for _ in 0..<6 { sink.gate.signal() }
    for number in 3..<6 { try view.show(number, on: queue) }
    try view.waitUntilPresented()
    #expect(sink.collected.frames.map(\.size) == [size, size, size, larger, larger, larger])
    #expect(sink.collected.frames.map(\.bytes) == (0..<6).map { Painting.bytes($0, $0 < 3 ? size : larger) })
    #expect(view.statistics.drawablesMade <= 6)
    #expect(view.statistics.drawablesInUse == 0)
  }

  @Test(arguments: TestDevice.all)
  func idleDrawablesOfTheOldSizeAreLetGo(_ test: TestDevice) throws {
    let view = try view(test, CollectingFrameSink())
    weak var old: Texture?
    try scope {
      old = try #require(view.currentDrawable).texture
      #expect(old != nil)
    }
    try view.resize(to: Size(2, 2))
    #expect(old == nil)
    #expect(view.currentDrawable?.texture.size == Size(2, 2))
    view.colorPixelFormat = .rgba16Uint
    #expect(view.currentDrawable?.texture.pixelFormat == .rgba16Uint)
    view.framebufferOnly = false
    #expect(view.currentDrawable?.texture.isFramebufferOnly == false)
    #expect(view.statistics.drawablesMade == 4)
  }

  @Test(arguments: TestDevice.all)
  func theSizeOfTheViewIsFollowedUnlessToldOtherwise(_ test: TestDevice) throws {
    let view = try view(test, CollectingFrameSink())
    #expect(view.autoResizeDrawable)
    view.size = Size(6, 6)
    #expect(view.drawableSize == Size(6, 6))
    view.autoResizeDrawable = false
    view.size = Size(7, 7)
    #expect(view.drawableSize == Size(6, 6))
    #expect(view.size == Size(7, 7))
  }

  @Test func aSizeBeyondTheDeviceIsRefusedAndChangesNothing() throws {
    let device = try TestDevice.minimum.open()
    let sink = CollectingFrameSink()
    for size in [Size(2049, 1), Size(0, 4)] {
      expectError(.limit) { try FrameView(device: device, size: size, sink: sink) }
      let view = try FrameView(device: device, size: Size(4, 4), sink: sink, label: "preview")
      let delegate = RecordingDelegate()
      view.delegate = delegate
      expectError(what: "drawables of 'preview'", why: "\(size) was asked for; this device takes 1×1 to 2048×2048") {
        try view.resize(to: size)
      }
      #expect(view.drawableSize == Size(4, 4))
      #expect(delegate.changes.isEmpty)
    }
  }

  @Test(arguments: TestDevice.all)
  func whoWaitsGetsWhatComesBack(_ test: TestDevice) async throws {
    let view = try view(test, count: 2, CollectingFrameSink())
    let queue = view.device.makeCommandQueue()
    try view.warmUp()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          let drawable = try await view.nextDrawable()
          queue.paint(number, drawable)
          return drawable.drawableID
        }
      }
      let ids = try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      #expect(ids == Set(3...22))
    }
    try await view.presented()
    #expect(view.statistics == FrameView.Statistics(presented: 20, lost: 0, drawablesMade: 2, drawablesInUse: 0))
  }

  @Test(arguments: TestDevice.all)
  func aCancelledTaskWaitsForNoDrawable(_ test: TestDevice) async throws {
    let view = try view(test, count: 2, CollectingFrameSink())
    let held = [try await view.nextDrawable(), try await view.nextDrawable()]
    let task = Task { _ = try await view.nextDrawable() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await view.nextDrawable()
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    withExtendedLifetime(held) { #expect(view.statistics.drawablesInUse == 2) }
  }
}
