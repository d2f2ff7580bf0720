internal import Dispatch
public import SafelightImage
internal import Synchronization

/// A view without a screen: a ring of drawables whose pictures are delivered to a ``FrameSink``; MetalKit's `MTKView`.
///
/// By default a view draws only on request: each ``draw()`` calls the delegate once. As in MetalKit there are two other
/// modes. With ``enableSetNeedsDisplay``, one or more calls of ``setNeedsDisplay()`` schedule one draw. With
/// ``isPaused`` false, the view draws by itself, at most ``preferredFramesPerSecond`` times a second.
///
/// Safe to use from any thread, as frames come from cameras' threads and draws from anywhere. Draws of one view run one
/// after the other on a serial queue, and frames reach the sink on another. The view refers to its delegate weakly, and
/// to its device and sink strongly. Frames in flight arrive even after the view is released.
public final class FrameView: Sendable {
  /// The default number of drawables: one at the sink, one on the device, one being drawn.
  public static let defaultDrawableCount = 3

  struct State {
    weak var delegate: (any FrameViewDelegate)?
    var size: Size
    var drawables: DrawableConfiguration
    var autoResizeDrawable = true
    var clearColor = RenderPassDescriptor.ClearColor(red: 0, green: 0, blue: 0, alpha: 1)
    var isPaused = true
    var enableSetNeedsDisplay = false
    var preferredFramesPerSecond = 60
    var needsDisplay = false
    /// The number of the running clock; another clock was stopped.
    var clock = 0
    var current: Drawable?
  }

  /// The device that draws.
  public let device: Device
  /// A name for messages and debuggers.
  public let label: String

  let ring: DrawableRing
  let delivery: FrameDelivery
  let drawing: DispatchQueue
  let state: Mutex<State>
  /// Marks ``drawing``, to detect a draw within a draw.
  static let drawingKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes a view with at most `maximumDrawableCount` drawables of `size` and `colorPixelFormat`, whose frames are
  /// delivered to `sink`.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the device does not support `size`.
  public init(
    device: Device, size: Size, colorPixelFormat: PixelFormat = .bgra8Unorm,
    maximumDrawableCount: Int = FrameView.defaultDrawableCount, sink: any FrameSink, label: String = "view"
  ) throws(SafelightError) {
    trap(
      unless: maximumDrawableCount >= 2,
      "a view of \(maximumDrawableCount) drawables cannot draw one while another is shown; give it 2 or more")
    try Self.check(size, on: device, label: label)
    let drawables = DrawableConfiguration(size: size, pixelFormat: colorPixelFormat, framebufferOnly: true)
    self.device = device
    self.label = label
    ring = DrawableRing(device: device, capacity: maximumDrawableCount, configuration: drawables, label: label)
    delivery = FrameDelivery(sink: sink, label: label)
    drawing = DispatchQueue(label: "safelight.draw.\(label)")
    state = Mutex(State(size: size, drawables: drawables))
    drawing.setSpecific(key: Self.drawingKey, value: ObjectIdentifier(self))
  }

  /// The sink that receives the frames.
  public var sink: any FrameSink { delivery.sink }

  /// The maximum number of drawables in use at a time.
  public var maximumDrawableCount: Int { ring.capacity }

  /// The delegate that draws; a weak reference.
  public var delegate: (any FrameViewDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// The color that ``currentRenderPassDescriptor`` begins with; by default opaque black.
  public var clearColor: RenderPassDescriptor.ClearColor {
    get { state.withLock { $0.clearColor } }
    set { state.withLock { $0.clearColor = newValue } }
  }
}

// MARK: Properties of drawables

extension FrameView {
  /// Columns and rows of the next drawable.
  ///
  /// Setting another size first calls the delegate's ``FrameViewDelegate/view(_:drawableSizeWillChange:)``. Drawables
  /// in use keep their size and are presented with it. For sizes that come from outside, as from a file, use
  /// ``resize(to:)``, which throws instead of trapping.
  public var drawableSize: Size {
    get { state.withLock { $0.drawables.size } }
    set {
      do throws(SafelightError) {
        try resize(to: newValue)
      } catch {
        trap("\(error); to catch this error, call resize(to:)")
      }
    }
  }

  /// Sets ``drawableSize``.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the device does not support `size`; the view is unchanged.
  public func resize(to size: Size) throws(SafelightError) {
    try Self.check(size, on: device, label: label)
    let (hasChanged, delegate) = state.withLock { ($0.drawables.size != size, $0.delegate) }
    guard hasChanged else { return }
    delegate?.view(self, drawableSizeWillChange: size)
    configure { $0.size = size }
  }

  /// Columns and rows of the view itself. Setting it also sets ``drawableSize`` while ``autoResizeDrawable`` is true,
  /// and has no other effect.
  public var size: Size {
    get { state.withLock { $0.size } }
    set {
      let follows = state.withLock { state in
        state.size = newValue
        return state.autoResizeDrawable
      }
      if follows { drawableSize = newValue }
    }
  }

  /// True if setting ``size`` also sets ``drawableSize``; by default true, as in MetalKit.
  public var autoResizeDrawable: Bool {
    get { state.withLock { $0.autoResizeDrawable } }
    set { state.withLock { $0.autoResizeDrawable = newValue } }
  }

  /// The pixel format of the next drawable; by default `bgra8Unorm`.
  public var colorPixelFormat: PixelFormat {
    get { state.withLock { $0.drawables.pixelFormat } }
    set { configure { $0.pixelFormat = newValue } }
  }

  /// True if drawables are only for render passes; by default true, as in MetalKit.
  ///
  /// A command buffer whose compute function stores to such a drawable fails. Set it to false if kernels write into the
  /// drawable; that costs nothing here.
  public var framebufferOnly: Bool {
    get { state.withLock { $0.drawables.framebufferOnly } }
    set { configure { $0.framebufferOnly = newValue } }
  }

  /// Changes the properties of the next drawables; drawables in use do not change.
  private func configure(_ change: (inout DrawableConfiguration) -> Void) {
    let released = state.withLock { state -> Drawable? in
      let before = state.drawables
      change(&state.drawables)
      guard state.drawables != before else { return nil }
      // Under the lock, so that two simultaneous changes reach the ring in their order.
      ring.configure(state.drawables)
      return state.current.take()
    }
    // Released outside the lock, as its deinit may wake waiters.
    _ = consume released
  }

  private static func check(_ size: Size, on device: Device, label: String) throws(SafelightError) {
    let limit = device.capabilities.maximumTextureSize
    try ensure(
      !size.isEmpty && size.width <= limit && size.height <= limit, .limit, "drawables of '\(label)'",
      why: "\(size) was asked for; this device takes 1×1 to \(limit)×\(limit)",
      remedy: "draw a smaller picture, or use another device")
  }
}

// MARK: Presented frames

extension FrameView {
  /// Counts of a view's frames and drawables.
  public struct Statistics: Hashable, Sendable {
    /// The number of frames that the sink consumed.
    public var presented: Int
    /// The number of frames that were presented and lost.
    public var lost: Int
    /// The number of textures made for drawables; constant after warm-up unless the view changes.
    public var drawablesMade: Int
    /// The number of drawables in use.
    public var drawablesInUse: Int

    package init(presented: Int, lost: Int, drawablesMade: Int, drawablesInUse: Int) {
      self.presented = presented
      self.lost = lost
      self.drawablesMade = drawablesMade
      self.drawablesInUse = drawablesInUse
    }
  }

  /// The counts so far.
  public var statistics: Statistics {
    let counts = delivery.counts
    return Statistics(
      presented: counts.presented, lost: counts.lost, drawablesMade: ring.made, drawablesInUse: ring.inUse)
  }

  /// Keeps an error for the next wait for frames, which throws the first one; for ``FrameViewDelegate/draw(in:)``,
  /// which cannot throw.
  public func note(_ error: SafelightError) { delivery.note(error) }

  /// Waits until every frame presented in a committed command buffer was consumed or lost; throws the first error of a
  /// command buffer, the sink or the delegate (``note(_:)``) since the last wait.
  public func waitUntilPresented() throws(SafelightError) {
    trap(
      unless: !delivery.isCurrent && !device.thread.contextThread.isCurrent,
      "waitUntilPresented() was called by the sink or in a completion handler of '\(label)', where it would wait "
        + "forever; wait on another thread")
    delivery.pending.wait()
    if let error = delivery.takeError() { throw error }
  }

  /// Waits like ``waitUntilPresented()``, without blocking the thread.
  public func presented() async throws(SafelightError) {
    await withCheckedContinuation { continuation in
      delivery.pending.notify(queue: .global()) { continuation.resume() }
    }
    if let error = delivery.takeError() { throw error }
  }
}

/// Draws the pictures of a ``FrameView``; MetalKit's `MTKViewDelegate`.
///
/// `Sendable`, as any thread may call the view's ``FrameView/draw()``. Two draws of one view never overlap.
public protocol FrameViewDelegate: AnyObject, Sendable {
  /// Prepares for drawables of `size`; ``FrameView/drawableSize`` is still the old size. Called on the thread that
  /// changes it.
  func view(_ view: FrameView, drawableSizeWillChange size: Size)

  /// Draws a picture into the view's ``FrameView/currentDrawable`` and presents it, or draws nothing.
  func draw(in view: FrameView)
}

extension FrameViewDelegate {
  /// Does nothing, as a drawable knows its size.
  public func view(_ view: FrameView, drawableSizeWillChange size: Size) {}
}
