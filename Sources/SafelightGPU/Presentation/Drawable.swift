internal import Dispatch
internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// One picture to draw into and to show; Metal's `CAMetalDrawable`.
///
/// Safe to use from any thread. Handed out by a ``FrameView``; goes back to its ring once the sink is done with its
/// frame, when its command buffer fails, or, where it is never presented, when the last reference to it goes. Hold it
/// no longer than it takes to draw: its ``texture`` becomes another drawable's then.
public final class Drawable: Sendable {
  private enum Stage {
    case acquired
    case presenting
    case over
  }

  private struct State {
    var stage = Stage.acquired
    var presentationTime: MediaTime?
    var presentedTime = 0.0
    var handlers: [@Sendable (Drawable) -> Void] = []
  }

  /// The number of this drawable, from 1; no two of a view have the same.
  public let drawableID: Int

  private let slot: DrawableSlot
  private let ring: DrawableRing
  private let delivery: FrameDelivery
  private let state = Mutex(State())

  init(_ turn: DrawableRing.Turn, ring: DrawableRing, delivery: FrameDelivery) {
    drawableID = turn.id
    slot = turn.slot
    self.ring = ring
    self.delivery = delivery
  }

  deinit {
    if state.withLock({ $0.stage != .over }) { ring.giveBack(slot) }
  }

  /// What to draw into. It holds what an earlier drawable left, or zeros: clear or paint every pixel.
  public var texture: Texture { slot.texture }

  /// The device that the texture belongs to.
  public var device: Device { ring.device }

  /// When the picture is to be shown; travels with the frame, and delays nothing.
  public var presentationTime: MediaTime? {
    get { state.withLock { $0.presentationTime } }
    set { state.withLock { $0.presentationTime = newValue } }
  }

  /// When the sink had the frame, in seconds of the system's monotonic clock; 0 before, and for a frame that was lost.
  public var presentedTime: Double { state.withLock { $0.presentedTime } }

  /// Calls `handler` once the sink is done with the frame or it was lost, on the sink's queue; at once if that is past.
  /// Look at ``presentedTime`` to tell one from the other.
  public func addPresentedHandler(_ handler: @escaping @Sendable (Drawable) -> Void) {
    let isOver = state.withLock { state -> Bool in
      if state.stage != .over { state.handlers.append(handler) }
      return state.stage == .over
    }
    if isOver { handler(self) }
  }

  /// Shows what the command buffers committed so far draw into the texture.
  ///
  /// A buffer of its own brings the pixels back; ``CommandBuffer/present(_:)`` saves it. Present a drawable once.
  public func present() {
    let buffer = device.makeCommandQueue(label: "presentation").makeCommandBuffer(label: "drawable \(drawableID)")
    buffer.present(self)
    buffer.commit()
  }

  // MARK: Steps of a presentation

  /// True until it is presented.
  var isFree: Bool { state.withLock { $0.stage == .acquired } }

  /// Marks it as presented, which may happen once.
  func beginPresenting() {
    state.withLock { state in
      trap(
        unless: state.stage == .acquired,
        "drawable \(drawableID) was presented twice; take the view's next drawable for each presentation")
      state.stage = .presenting
    }
  }

  /// Records the way of the pixels at the end of `buffer`, which is being committed.
  func commit(in buffer: CommandBuffer) {
    delivery.expect()
    slot.readback.prepare()
    let read = Command.TextureRead(
      texture: texture, image: TextureImage(), region: texture.bounds, pixelFormat: texture.pixelFormat,
      readback: slot.readback, offset: 0, bytesPerRow: texture.size.width * texture.pixelFormat.bytesPerPixel)
    buffer.append(
      Recording.Entry(
        label: "present", command: .readTexture(read), place: Recording.Place(#fileID, #line), encoder: nil))
    buffer.addCompletedHandler { done in self.delivery.deliver(self, failure: done.error) }
  }

  /// The pixels that came back.
  func contents() throws(SafelightError) -> [UInt8] { try slot.readback.contents() }

  /// The frame was consumed or lost.
  func finish(isPresented: Bool) {
    let handlers = state.withLock { state in
      state.stage = .over
      if isPresented { state.presentedTime = Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
      defer { state.handlers = [] }
      return state.handlers
    }
    ring.giveBack(slot)
    for handler in handlers { handler(self) }
  }
}

extension CommandBuffer {
  /// Shows `drawable` once everything recorded in this buffer is done, what is recorded after this call included.
  ///
  /// Brings the pixels back at the buffer's end (`glReadPixels`), into memory that the drawable keeps, and hands them to
  /// the view's sink after completion. Where the buffer fails, the sink learns of the loss. Present a drawable once, in
  /// a buffer of its own device.
  public func present(_ drawable: Drawable) {
    trap(
      unless: drawable.device === device,
      "drawable \(drawable.drawableID) belongs to \(drawable.device.name), command buffer '\(label)' to \(device.name); present it in a buffer of its own device"
    )
    drawable.beginPresenting()
    schedulePresentation(drawable)
  }

  /// The same, and says when the picture is to be shown: the time of the frame that it was made from.
  public func present(_ drawable: Drawable, atTime time: MediaTime) {
    drawable.presentationTime = time
    present(drawable)
  }
}

/// A drawable's pixels after its command buffer completed, on their way to a sink.
///
/// A value that shares the drawable's memory: what a sink keeps beyond its call costs the view new memory for a later
/// frame, what it lets go is used again.
public struct PresentedFrame: Sendable {
  /// The drawable's number, from 1 in the order in which drawables were handed out; gaps are drawables never presented.
  public let drawableID: Int
  /// The frame's place in the order of presentation, from 0.
  public let index: Int
  /// Columns and rows.
  public let size: Size
  /// How a pixel lies in ``bytes``.
  public let pixelFormat: PixelFormat
  /// The rows from the top down, without padding; `size.area × pixelFormat.bytesPerPixel` bytes.
  public let bytes: [UInt8]
  /// When the frame is to be shown, as it was given with the drawable; nil where it was not.
  public let presentationTime: MediaTime?

  /// Bytes from one row to the next.
  public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// The frame as a picture: grey for one channel, else red, green, blue and alpha, whatever the order in memory.
  ///
  /// Throws a ``SafelightError`` of kind `unsupported` for formats that are no picture's, such as floats.
  public func image() throws(SafelightError) -> Image {
    try Image(size: size, pixelFormat: pixelFormat, bytes: bytes)
  }
}

/// A drawable that was presented and never became a frame, because its command buffer failed or a sink did.
public struct LostFrame: Sendable {
  /// The drawable's number.
  public let drawableID: Int
  /// The frame's place in the order of presentation, from 0.
  public let index: Int
  /// When it was to be shown.
  public let presentationTime: MediaTime?
  /// Why it was lost.
  public let error: SafelightError
}
