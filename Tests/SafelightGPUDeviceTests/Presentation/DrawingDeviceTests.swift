import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// The drawing modes of a view.
@Suite struct DrawingDeviceTests {
  private func view(_ test: TestDevice, _ sink: any FrameSink = CollectingFrameSink()) throws -> FrameView {
    try FrameView(device: try test.open(), size: Size(4, 2), colorPixelFormat: .rgba8Unorm, sink: sink)
  }

  /// A port of the usual Metal renderer, which differs only in names.
  final class Renderer: FrameViewDelegate {
    let queue: CommandQueue
    init(device: Device) { queue = device.makeCommandQueue() }

    func view(_ view: FrameView, drawableSizeWillChange size: Size) {}

    func draw(in view: FrameView) {
      guard let drawable = view.currentDrawable, let descriptor = view.currentRenderPassDescriptor else { return }
      let commandBuffer = queue.makeCommandBuffer()
      commandBuffer.render(descriptor)
      commandBuffer.present(drawable)
      commandBuffer.commit()
    }
  }

  @Test(arguments: TestDevice.all)
  func eachCallOfDrawMakesOnePicture(_ test: TestDevice) throws {
    let sink = CollectingFrameSink()
    let view = try view(test, sink)
    #expect(view.isPaused)
    #expect(!view.enableSetNeedsDisplay)
    view.draw()
    let renderer = Renderer(device: view.device)
    view.delegate = renderer
    for number in 0..<3 {
      view.clearColor = Painting.color(number)
      view.draw()
      try view.waitUntilPresented()
    }
    #expect(sink.frames.map(\.bytes) == (0..<3).map { Painting.bytes($0, Size(4, 2)) })
    #expect(view.delegate === renderer)
  }

  @Test(arguments: TestDevice.all)
  func aDrawThatPresentsNothingKeepsNothing(_ test: TestDevice) throws {
    let view = try view(test)
    let ids = Mutex<[Int]>([])
    let delegate = RecordingDelegate { view in
      if let drawable = view.currentDrawable { ids.withLock { $0.append(drawable.drawableID) } }
    }
    view.delegate = delegate
    for _ in 0..<10 {
      view.draw()
      #expect(view.statistics.drawablesInUse == 0)
    }
    #expect(ids.withLock { $0 } == Array(1...10))
    #expect(view.statistics.drawablesMade == 1)
  }

  @Test(arguments: TestDevice.all)
  func theDelegateIsKeptWeakly(_ test: TestDevice) throws {
    let view = try view(test)
    weak var gone: RecordingDelegate?
    scope {
      let delegate = RecordingDelegate()
      view.delegate = delegate
      gone = delegate
      #expect(view.delegate === delegate)
    }
    #expect(gone == nil)
    #expect(view.delegate == nil)
    view.draw()
  }

  @Test(arguments: TestDevice.all)
  func drawsOfTwoThreadsDoNotOverlap(_ test: TestDevice) throws {
    let view = try view(test)
    let inside = Atomic(0)
    let most = Atomic(0)
    let draws = Atomic(0)
    let delegate = RecordingDelegate { _ in
      let now = inside.add(1, ordering: .relaxed).newValue
      most.max(now, ordering: .relaxed)
      usleep(1000)
      inside.subtract(1, ordering: .relaxed)
      draws.add(1, ordering: .relaxed)
    }
    view.delegate = delegate
    DispatchQueue.concurrentPerform(iterations: 40) { _ in view.draw() }
    #expect(draws.load(ordering: .relaxed) == 40)
    #expect(most.load(ordering: .relaxed) == 1)
  }

  @Test(arguments: TestDevice.all)
  func setNeedsDisplayDrawsOnceForAllCallsBefore(_ test: TestDevice) throws {
    let view = try view(test)
    let draws = Atomic(0)
    let entered = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let delegate = RecordingDelegate { _ in
      draws.add(1, ordering: .relaxed)
      entered.signal()
      gate.wait()
    }
    view.delegate = delegate
    // Not requested, so nothing happens.
    view.setNeedsDisplay()
    view.enableSetNeedsDisplay = true
    view.setNeedsDisplay()
    entered.wait()
    // Changes during a draw need one more draw, and only one.
    for _ in 0..<10 { view.setNeedsDisplay() }
    // Enough for any number of draws.
    for _ in 0..<20 { gate.signal() }
    entered.wait()
    view.draw()
    #expect(draws.load(ordering: .relaxed) == 3)
  }

  @Test(arguments: TestDevice.all)
  func aViewThatIsNotPausedDrawsByItselfUntilItIs(_ test: TestDevice) throws {
    let view = try view(test)
    let draws = DispatchSemaphore(value: 0)
    let count = Atomic(0)
    let delegate = RecordingDelegate { _ in
      count.add(1, ordering: .relaxed)
      draws.signal()
    }
    view.delegate = delegate
    view.preferredFramesPerSecond = 1000
    view.isPaused = false
    view.isPaused = false
    for _ in 0..<5 { draws.wait() }
    view.isPaused = true
    // The draw in progress ends before this; the clock does not continue.
    view.draw()
    let before = count.load(ordering: .relaxed)
    // Long enough to notice a running clock.
    usleep(20_000)
    view.enableSetNeedsDisplay = true
    for _ in 0..<3 { view.draw() }
    #expect(count.load(ordering: .relaxed) == before + 3)
    view.isPaused = false
    draws.wait()
    view.isPaused = true
  }
}
