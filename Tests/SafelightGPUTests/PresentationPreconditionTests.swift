import Dispatch
import SafelightGPU
import SafelightImage
import Testing

/// Programmer mistakes with views and heaps stop the program with the right call.
@Suite struct PresentationPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  @Test func presentingTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let view = try FrameView.onCPU()
      let drawable = try #require(view.currentDrawable)
      let buffer = view.device.makeCommandQueue().makeCommandBuffer()
      buffer.present(drawable)
      buffer.present(drawable)
    }
    said(result, "drawable 1 was presented twice", "take the view's next drawable")
  }

  @Test func presentingAfterCommit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let view = try FrameView.onCPU()
      let buffer = view.device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.commit()
      buffer.present(try #require(view.currentDrawable))
    }
    said(result, "drawable 1 was presented after command buffer 'frame 17' was committed", "present it before")
  }

  @Test func presentingADrawableOfAnotherDevice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let view = try FrameView.onCPU()
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.present(try #require(view.currentDrawable))
    }
    said(result, "drawable 1 belongs to", "command buffer 'frame 17' to", "of its own device")
  }

  @Test func aSizeBeyondTheDevice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try FrameView.onCPU().drawableSize = Size(1 << 21, 1)
    }
    said(result, "2097152×1 was asked for", "call resize(to:)")
  }

  @Test func oneDrawable() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try FrameView(
        device: .open(.cpu), size: Size(1, 1), maximumDrawableCount: 1, sink: CollectingFrameSink())
    }
    said(result, "a view of 1 drawables", "2 or more")
  }

  @Test func drawingWhileDrawing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let view = try FrameView.onCPU()
      let delegate = Redrawing()
      view.delegate = delegate
      view.draw()
    }
    said(result, "draw() of 'view' was called while it draws", "setNeedsDisplay()")
  }

  @Test func waitingForADrawableInTheSink() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let sink = GreedySink { _ = try $0.nextDrawable() }
      try sink.show()
    }
    said(result, "nextDrawable() was called by the sink", "call it on another thread")
  }

  @Test func waitingForFramesInTheSink() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let sink = GreedySink { try $0.waitUntilPresented() }
      try sink.show()
    }
    said(result, "waitUntilPresented() was called by the sink", "wait on another thread")
  }

  @Test func aliasingWhatIsNotTheHeaps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let heap = device.makeHeap(HeapDescriptor(size: 100, label: "blur"))
      heap.makeAliasable(try device.makeBuffer(length: 4, label: "bins"))
    }
    said(result, "buffer 'bins' is already aliasable or was not made by 'blur'")
  }

  @Test func aPoolOfNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeResourcePool(budget: 0)
    }
    said(result, "a pool of 0 bytes holds nothing")
  }

  @Test func anAlignmentThatIsNone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeHeap(HeapDescriptor(size: 100)).maxAvailableSize(alignment: 3)
    }
    said(result, "an alignment is a power of two, not 3")
  }

  @Test func collectingNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CollectingFrameSink(limit: 0)
    }
    said(result, "a sink that keeps 0 frames", "pass a limit above 0")
  }

  @Test func drawingNeverASecond() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try FrameView.onCPU().preferredFramesPerSecond = 0
    }
    said(result, "a view draws 1 frame a second or more, not 0", "isPaused")
  }

  @Test func planesInABufferOfAnotherDevice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cache = TextureCache(device: try Device.open(.cpu), label: "camera")
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      _ = try cache.makeTexture(from: PixelPlane(size: Size(1, 1), pixelFormat: .r8Unorm, bytes: [1]), in: buffer)
    }
    said(result, "texture cache 'camera' belongs to", "command buffer 'frame 17' to", "make a cache for each device")
  }

  private final class Redrawing: FrameViewDelegate {
    func view(_ view: FrameView, drawableSizeWillChange size: Size) {}
    func draw(in view: FrameView) { view.draw() }
  }
}

extension FrameView {
  static func onCPU(sink: any FrameSink = CollectingFrameSink()) throws -> FrameView {
    try FrameView(device: .open(.cpu), size: Size(4, 4), sink: sink)
  }
}

/// A sink that misuses its view.
private final class GreedySink: FrameSink {
  private let body: @Sendable (FrameView) throws -> Void
  private let views = DispatchQueue(label: "views")

  init(_ body: @escaping @Sendable (FrameView) throws -> Void) { self.body = body }

  func show() throws {
    let view = try FrameView.onCPU(sink: self)
    let drawable = try view.nextDrawable()
    drawable?.addPresentedHandler { [body] _ in try? body(view) }
    drawable?.present()
    try view.waitUntilPresented()
    // The handler ends the process; returning from here would end it early, and successfully.
    Thread.rest()
  }

  func consume(_ frame: PresentedFrame) {}
  func lose(_ frame: LostFrame) {}
}

private enum Thread {
  static func rest() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60) }
}
