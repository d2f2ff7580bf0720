import Dispatch
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport

/// Paints drawables in one color.
enum Painting {
  /// The color of picture `number`: its number in red, then 2, 3 and 255.
  static func color(_ number: Int) -> RenderPassDescriptor.ClearColor {
    RenderPassDescriptor.ClearColor(red: Double(number % 256) / 255, green: 2 / 255, blue: 3 / 255, alpha: 1)
  }

  /// Its bytes in a drawable of `rgba8Unorm`.
  static func bytes(_ number: Int, _ size: Size) -> [UInt8] {
    (0..<size.area).flatMap { _ in [UInt8(number % 256), 2, 3, 255] }
  }
}

extension CommandBuffer {
  /// Fills `texture` with the color of picture `number`.
  func paint(_ number: Int, _ texture: Texture) {
    let color = Painting.color(number)
    render(
      RenderPassDescriptor(
        texture: texture,
        loadAction: .clear(Float(color.red), Float(color.green), Float(color.blue), Float(color.alpha))), nil)
  }

}

extension CommandQueue {
  /// Paints picture `number` into `drawable`, presents and commits.
  func paint(_ number: Int, _ drawable: Drawable) {
    let buffer = makeCommandBuffer()
    buffer.paint(number, drawable.texture)
    buffer.present(drawable)
    buffer.commit()
  }

  /// Blocks the device until `gate` opens.
  func hold(_ gate: DispatchSemaphore) {
    let busy = makeCommandBuffer()
    busy.addCompletedHandler { _ in gate.wait() }
    busy.commit()
  }
}

extension FrameView {
  /// Takes every drawable once, so that all are made.
  func warmUp() throws {
    for drawable in try (0..<maximumDrawableCount).map({ _ in try nextDrawable() }) where drawable == nil {
      throw NoDrawable()
    }
  }

  /// Waits for a drawable, paints picture `number` into it, presents and commits.
  func show(_ number: Int, on queue: CommandQueue) throws {
    guard let drawable = try nextDrawable(timeout: .seconds(60)) else { throw NoDrawable() }
    let buffer = queue.makeCommandBuffer(label: "picture \(number)")
    buffer.paint(number, drawable.texture)
    buffer.present(drawable, atTime: MediaTime(value: Int64(number), timescale: 30))
    buffer.commit()
  }

  struct NoDrawable: Error {}
}

extension Device {
  /// Waits until all committed work is done and released.
  func settle() throws { try run { _ in } }
}

/// A sink that consumes one frame for each signal.
final class GatedSink: FrameSink {
  let gate = DispatchSemaphore(value: 0)
  let collected = CollectingFrameSink()

  func consume(_ frame: PresentedFrame) {
    gate.wait()
    collected.consume(frame)
  }

  func lose(_ frame: LostFrame) { collected.lose(frame) }
}

/// A delegate that draws with a closure and records changes of size.
final class RecordingDelegate: FrameViewDelegate {
  private let onDraw: @Sendable (FrameView) -> Void
  private let told = Mutex<[(new: Size, old: Size)]>([])

  init(_ onDraw: @escaping @Sendable (FrameView) -> Void = { _ in }) { self.onDraw = onDraw }

  /// Each new size, with the view's size at the call.
  var changes: [[Size]] { told.withLock { $0.map { [$0.new, $0.old] } } }

  func view(_ view: FrameView, drawableSizeWillChange size: Size) {
    let old = view.drawableSize
    told.withLock { $0.append((size, old)) }
  }

  func draw(in view: FrameView) { onDraw(view) }
}
