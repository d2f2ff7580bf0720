import Dispatch
import SafelightGPU
import SafelightImage
import Testing

/// Programmer mistakes with views and heaps stop the program with the right call.
@Suite struct PresentationPreconditionTests {
  @Test(arguments: mistakes) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake("presenting twice", says: "drawable 1 was presented twice", "take the view's next drawable") {
      let view = try FrameView.onCPU()
      let drawable = try #require(view.currentDrawable)
      let buffer = view.device.makeCommandQueue().makeCommandBuffer()
      buffer.present(drawable)
      buffer.present(drawable)
    },
    Mistake(
      "presenting after commit", says: "drawable 1 was presented after command buffer 'frame 17' was committed",
      "present it before"
    ) {
      let view = try FrameView.onCPU()
      let buffer = view.device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.commit()
      buffer.present(try #require(view.currentDrawable))
    },
    Mistake(
      "presenting a drawable of another device", says: "drawable 1 belongs to", "command buffer 'frame 17' to",
      "of its own device"
    ) {
      let view = try FrameView.onCPU()
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.present(try #require(view.currentDrawable))
    },
    Mistake("a size beyond the device", says: "2097152×1 was asked for", "call resize(to:)") {
      try FrameView.onCPU().drawableSize = Size(1 << 21, 1)
    },
    Mistake("one drawable", says: "a view of 1 drawables", "2 or more") {
      _ = try FrameView(device: .open(.cpu), size: Size(1, 1), maximumDrawableCount: 1, sink: CollectingFrameSink())
    },
    Mistake("drawing while drawing", says: "draw() of 'view' was called while it draws", "setNeedsDisplay()") {
      let view = try FrameView.onCPU()
      let delegate = Redrawing()
      view.delegate = delegate
      view.draw()
    },
    Mistake(
      "waiting for a drawable in the sink", says: "nextDrawable() was called by the sink",
      "call it on another thread"
    ) { try GreedySink { _ = try $0.nextDrawable() }.show() },
    Mistake(
      "waiting for frames in the sink", says: "waitUntilPresented() was called by the sink",
      "wait on another thread"
    ) { try GreedySink { try $0.waitUntilPresented() }.show() },
    Mistake("aliasing what is not the heap's", says: "buffer 'bins' is already aliasable or was not made by 'blur'") {
      let device = try Device.open(.cpu)
      let heap = device.makeHeap(HeapDescriptor(size: 100, label: "blur"))
      heap.makeAliasable(try device.makeBuffer(length: 4, label: "bins"))
    },
    Mistake("a pool of nothing", says: "a pool of 0 bytes holds nothing") {
      _ = try Device.open(.cpu).makeResourcePool(budget: 0)
    },
    Mistake("an alignment of 3", says: "an alignment is a power of two, not 3") {
      _ = try Device.open(.cpu).makeHeap(HeapDescriptor(size: 100)).maxAvailableSize(alignment: 3)
    },
    Mistake("collecting nothing", says: "a sink that keeps 0 frames", "pass a limit above 0") {
      _ = CollectingFrameSink(limit: 0)
    },
    Mistake("drawing never a second", says: "a view draws 1 frame a second or more, not 0", "isPaused") {
      try FrameView.onCPU().preferredFramesPerSecond = 0
    },
    Mistake(
      "planes in a buffer of another device", says: "texture cache 'camera' belongs to",
      "command buffer 'frame 17' to", "make a cache for each device"
    ) {
      let cache = TextureCache(device: try Device.open(.cpu), label: "camera")
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      _ = try cache.makeTexture(from: PixelPlane(size: Size(1, 1), pixelFormat: .r8Unorm, bytes: [1]), in: buffer)
    },
  ]

  private final class Redrawing: FrameViewDelegate {
    func view(_ view: FrameView, drawableSizeWillChange size: Size) {}
    func draw(in view: FrameView) { view.draw() }
  }
}

extension FrameView {
  fileprivate static func onCPU(sink: any FrameSink = CollectingFrameSink()) throws -> FrameView {
    try FrameView(device: .open(.cpu), size: Size(4, 4), sink: sink)
  }
}

/// A sink that misuses its view.
private final class GreedySink: FrameSink {
  private let body: @Sendable (FrameView) throws -> Void

  init(_ body: @escaping @Sendable (FrameView) throws -> Void) { self.body = body }

  func show() throws {
    let view = try FrameView.onCPU(sink: self)
    let drawable = try view.nextDrawable()
    drawable?.addPresentedHandler { [body] _ in try? body(view) }
    drawable?.present()
    try view.waitUntilPresented()
    // The handler ends the process; returning from here would end it early, and successfully.
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60)
  }

  func consume(_ frame: PresentedFrame) {}
  func lose(_ frame: LostFrame) {}
}
