internal import Dispatch
public import SafelightImage
internal import Synchronization

/// A view without a screen: a ring of drawables whose pictures go to a ``FrameSink``; MetalKit's `MTKView`.
///
/// A view is paused until it is told to draw: each ``draw()`` makes one call of the delegate. As in MetalKit there are
/// two other modes. ``enableSetNeedsDisplay`` draws soon after ``setNeedsDisplay()``, any number of calls in a row at
/// once; with ``isPaused`` false the view draws by itself, ``preferredFramesPerSecond`` times a second at most.
///
/// `Sendable`, with its state behind a lock, because frames come from capture threads and draws from anywhere: any
/// thread may use any of it. Draws of one view run one after the other on a serial queue of its own, frames reach the
/// sink on another. The view keeps its delegate weakly, and its device and sink strongly; frames on the way arrive
/// even after the view is gone.
public final class FrameView: Sendable {
  /// Drawables that a view has unless told otherwise: one at the sink, one on the device, one being drawn.
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
    /// Tells a clock that runs from one that was stopped.
    var clock = 0
    var current: Drawable?
  }

  /// What the view draws with.
  public let device: Device
  /// A name for messages and debuggers.
  public let label: String

  let ring: DrawableRing
  let delivery: FrameDelivery
  let drawing: DispatchQueue
  let state: Mutex<State>
  /// Marks ``drawing``, so that a draw within a draw is found.
  static let drawingKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes a view whose drawables are of `size` and `colorPixelFormat`, at most `maximumDrawableCount` of them, and
  /// whose frames go to `sink`.
  ///
  /// Throws a ``SafelightError`` of kind `limit` for sizes that the device does not have.
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

  /// Where the frames go.
  public var sink: any FrameSink { delivery.sink }

  /// Drawables that may be out at a time.
  public var maximumDrawableCount: Int { ring.capacity }

  /// Who draws; kept weakly.
  public var delegate: (any FrameViewDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// The colour that ``currentRenderPassDescriptor`` begins with; opaque black unless set.
  public var clearColor: RenderPassDescriptor.ClearColor {
    get { state.withLock { $0.clearColor } }
    set { state.withLock { $0.clearColor = newValue } }
  }
}

// MARK: What the drawables are

extension FrameView {
  /// Columns and rows of the next drawable.
  ///
  /// Setting another size calls the delegate's ``FrameViewDelegate/view(_:drawableSizeWillChange:)`` first. Drawables
  /// that are out keep their size and are presented with it. For sizes that come from outside, as from a file, use
  /// ``resize(to:)``, which throws where this stops the program.
  public var drawableSize: Size {
    get { state.withLock { $0.drawables.size } }
    set {
      do throws(SafelightError) {
        try resize(to: newValue)
      } catch {
        trap("\(error); or call resize(to:), which throws")
      }
    }
  }

  /// Sets ``drawableSize``; throws a ``SafelightError`` of kind `limit` for sizes that the device does not have, and
  /// leaves the view as it is then.
  public func resize(to size: Size) throws(SafelightError) {
    try Self.check(size, on: device, label: label)
    let (hasChanged, delegate) = state.withLock { ($0.drawables.size != size, $0.delegate) }
    guard hasChanged else { return }
    delegate?.view(self, drawableSizeWillChange: size)
    configure { $0.size = size }
  }

  /// Columns and rows of the view itself, which ``drawableSize`` follows while ``autoResizeDrawable`` is true; nothing
  /// else depends on it. Setting it is like setting ``drawableSize``.
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

  /// Whether setting ``size`` sets ``drawableSize`` too; true unless set, as in MetalKit.
  public var autoResizeDrawable: Bool {
    get { state.withLock { $0.autoResizeDrawable } }
    set { state.withLock { $0.autoResizeDrawable = newValue } }
  }

  /// How a pixel of the next drawable lies in memory; `bgra8Unorm` unless set.
  public var colorPixelFormat: PixelFormat {
    get { state.withLock { $0.drawables.pixelFormat } }
    set { configure { $0.pixelFormat = newValue } }
  }

  /// Whether drawables are for render passes alone, which is so unless set, as in MetalKit.
  ///
  /// A command buffer whose compute function stores to such a drawable fails. Set it to false where kernels write into
  /// the drawable; here that costs nothing.
  public var framebufferOnly: Bool {
    get { state.withLock { $0.drawables.framebufferOnly } }
    set { configure { $0.framebufferOnly = newValue } }
  }

  /// Changes what drawables are; the one that was current stays what it is with those who hold it.
  private func configure(_ change: (inout DrawableConfiguration) -> Void) {
    let released = state.withLock { state -> Drawable? in
      let before = state.drawables
      change(&state.drawables)
      guard state.drawables != before else { return nil }
      // Under the lock, so that two changes at once reach the ring in their order.
      ring.configure(state.drawables)
      defer { state.current = nil }
      return state.current
    }
    // Let go of outside the lock: its end may wake others.
    _ = consume released
  }

  private static func check(_ size: Size, on device: Device, label: String) throws(SafelightError) {
    let limit = device.capabilities.maximumTextureSize
    guard !size.isEmpty, size.width <= limit, size.height <= limit else {
      throw SafelightError(
        .limit, "drawables of '\(label)'",
        why: "\(size) was asked for; this device takes 1×1 to \(limit)×\(limit)",
        remedy: "draw a smaller picture, or use another device")
    }
  }
}

// MARK: What became of the frames

extension FrameView {
  /// What a view has done so far.
  public struct Statistics: Hashable, Sendable {
    /// Frames that the sink took.
    public var presented: Int
    /// Frames that were presented and lost.
    public var lost: Int
    /// Drawables' textures and memories made; constant after warm-up unless the view changes.
    public var drawablesMade: Int
    /// Drawables that are out now.
    public var drawablesInUse: Int

    /// Figures to compare with.
    public init(presented: Int, lost: Int, drawablesMade: Int, drawablesInUse: Int) {
      self.presented = presented
      self.lost = lost
      self.drawablesMade = drawablesMade
      self.drawablesInUse = drawablesInUse
    }
  }

  /// What the view has done so far.
  public var statistics: Statistics {
    let counts = delivery.counts
    return Statistics(
      presented: counts.presented, lost: counts.lost, drawablesMade: ring.made, drawablesInUse: ring.inUse)
  }

  /// Keeps why a delegate could not draw, as ``FrameViewDelegate/draw(in:)`` cannot throw it; the next wait for frames
  /// throws the first such error.
  public func note(_ error: SafelightError) { delivery.note(error) }

  /// Blocks until every frame presented in a committed command buffer was consumed or lost; throws the first error of a
  /// command buffer, of the sink or of a delegate (``note(_:)``) since the last such wait.
  public func waitUntilPresented() throws(SafelightError) {
    trap(
      unless: !delivery.isCurrent && !device.thread.contextThread.isCurrent,
      "waitUntilPresented() was called by the sink or in a completion handler of '\(label)', where it would wait for ever; wait on another thread"
    )
    let done = DispatchSemaphore(value: 0)
    delivery.whenIdle { done.signal() }
    done.wait()
    if let error = delivery.takeError() { throw error }
  }

  /// Returns once every frame presented in a committed command buffer was consumed or lost; throws the first error of a
  /// command buffer, of the sink or of a delegate (``note(_:)``) since the last such wait.
  public func presented() async throws(SafelightError) {
    await withCheckedContinuation { continuation in
      delivery.whenIdle { continuation.resume() }
    }
    if let error = delivery.takeError() { throw error }
  }
}

/// Draws what a ``FrameView`` shows; MetalKit's `MTKViewDelegate`.
///
/// `Sendable`, as the view may be told to draw from any thread; two draws of one view never overlap.
public protocol FrameViewDelegate: AnyObject, Sendable {
  /// The view's drawables will be of `size` from now on; ``FrameView/drawableSize`` is still the old one.
  ///
  /// Called on the thread that changes the size.
  func view(_ view: FrameView, drawableSizeWillChange size: Size)

  /// Draws one picture into the view's ``FrameView/currentDrawable`` and presents it. Drawing nothing is allowed.
  func draw(in view: FrameView)
}

extension FrameViewDelegate {
  /// Nothing: a drawable knows its size.
  public func view(_ view: FrameView, drawableSizeWillChange size: Size) {}
}
