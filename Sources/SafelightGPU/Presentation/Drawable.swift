internal import Dispatch
internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// A picture to draw into and present; Metal's `CAMetalDrawable`.
///
/// A ``FrameView`` hands it out. It returns to the view when the sink has finished with its frame, when its command
/// buffer fails, or, if it is never presented, with its last reference. Hold it only while drawing: afterwards its
/// ``texture`` belongs to another drawable. Safe to use from any thread.
public final class Drawable: Sendable {
  private enum Stage { case acquired, presenting, finished }

  private struct State {
    var stage = Stage.acquired
    var presentationTime: MediaTime?
    var presentedTime = 0.0
  }

  /// The number of this drawable, from 1, unique in its view.
  public let drawableID: Int

  private let slot: DrawableSlot
  private let ring: DrawableRing
  private let delivery: FrameDelivery
  private let state = Mutex(State())
  private let end = Milestone<Drawable>()

  init(_ turn: DrawableRing.Turn, ring: DrawableRing, delivery: FrameDelivery) {
    drawableID = turn.id
    slot = turn.slot
    self.ring = ring
    self.delivery = delivery
  }

  deinit {
    if state.withLock({ $0.stage != .finished }) { ring.giveBack(slot) }
  }

  /// The texture to draw into. It holds an earlier picture, or zeros: clear or paint every pixel.
  public var texture: Texture { slot.texture }

  /// The device that the texture belongs to.
  public var device: Device { ring.device }

  /// The time at which the picture is to be shown. It is passed on with the frame, and delays nothing.
  public var presentationTime: MediaTime? {
    get { state.withLock { $0.presentationTime } }
    set { state.withLock { $0.presentationTime = newValue } }
  }

  /// The time at which the sink had the frame, in seconds of the system's monotonic clock; 0 before, and for a lost
  /// frame.
  public var presentedTime: Double { state.withLock { $0.presentedTime } }

  /// Calls `handler` on the sink's queue when the sink has finished with the frame or the frame is lost, or at once if
  /// that was earlier. ``presentedTime`` distinguishes the two.
  public func addPresentedHandler(_ handler: @escaping @Sendable (Drawable) -> Void) { end.add(handler, of: self) }

  /// Presents the picture that the command buffers committed so far draw.
  ///
  /// Uses a command buffer of its own; ``CommandBuffer/present(_:)`` avoids that. Present a drawable once.
  public func present() {
    let buffer = device.makeCommandQueue(label: "presentation").makeCommandBuffer(label: "drawable \(drawableID)")
    buffer.present(self)
    buffer.commit()
  }

  // MARK: Steps of a presentation

  var isFree: Bool { state.withLock { $0.stage == .acquired } }

  /// Marks it as presented; traps the second time.
  func beginPresenting() {
    state.withLock { state in
      trap(
        unless: state.stage == .acquired,
        "drawable \(drawableID) was presented twice; take the view's next drawable for each presentation")
      state.stage = .presenting
    }
  }

  /// Records the read of the pixels at the end of `buffer`, which is being committed.
  func commit(in buffer: CommandBuffer) {
    delivery.expect()
    slot.readback.prepare()
    let read = Command.TextureRead(
      texture: texture, image: TextureImage(), region: texture.bounds, readback: slot.readback)
    buffer.append(
      Recording.Entry(
        label: "present", command: .readTexture(read), callSite: Recording.CallSite(#fileID, #line)))
    buffer.addCompletedHandler { done in self.delivery.deliver(self, failure: done.error) }
  }

  func contents() throws(SafelightError) -> [UInt8] { try slot.readback.contents() }

  /// Ends the presentation, after the frame was consumed or lost.
  func finish(isPresented: Bool) {
    state.withLock { state in
      state.stage = .finished
      if isPresented { state.presentedTime = Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    }
    ring.giveBack(slot)
    end.pass(self)
  }
}

extension CommandBuffer {
  /// Presents `drawable` when all commands of this buffer have run, including those recorded after this call.
  ///
  /// Reads the pixels at the buffer's end (`glReadPixels`), into memory that the drawable keeps, and passes them to the
  /// view's sink after completion. If the buffer fails, the sink is notified of the loss. Present a drawable once, in a
  /// buffer of its own device.
  public func present(_ drawable: Drawable) {
    trap(
      unless: drawable.device === device,
      "drawable \(drawable.drawableID) belongs to \(drawable.device.name), command buffer '\(label)' to "
        + "\(device.name); present it in a buffer of its own device")
    drawable.beginPresenting()
    schedulePresentation(drawable)
  }

  /// Presents `drawable` with a time at which the picture is to be shown, such as the time of the frame it was made
  /// from.
  public func present(_ drawable: Drawable, atTime time: MediaTime) {
    drawable.presentationTime = time
    present(drawable)
  }
}

/// The pixels of a presented drawable, as a sink receives them.
///
/// A value that shares the drawable's memory: if a sink keeps it beyond its call, the view allocates memory for a later
/// frame; otherwise the memory is reused.
public struct PresentedFrame: Sendable {
  /// The drawable's number, from 1 in the order in which drawables were handed out; drawables that were never presented
  /// leave gaps.
  public let drawableID: Int
  /// The frame's index in the order of presentation, from 0.
  public let index: Int
  /// Columns and rows.
  public let size: Size
  /// The layout of a pixel in ``bytes``.
  public let pixelFormat: PixelFormat
  /// The rows from top to bottom without padding, `size.area × pixelFormat.bytesPerPixel` bytes.
  public let bytes: [UInt8]
  /// The drawable's ``Drawable/presentationTime``.
  public let presentationTime: MediaTime?

  /// Bytes from one row to the next.
  public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// Returns the frame as a picture: gray for one channel, otherwise red, green, blue and alpha, whatever the order in
  /// memory.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for formats that pictures do not have, such as floats.
  public func image() throws(SafelightError) -> Image { try Image(size: size, pixelFormat: pixelFormat, bytes: bytes) }
}

/// A presented drawable that did not become a frame, because its command buffer or the sink failed.
public struct LostFrame: Sendable {
  /// The drawable's number.
  public let drawableID: Int
  /// The frame's index in the order of presentation, from 0.
  public let index: Int
  /// The drawable's ``Drawable/presentationTime``.
  public let presentationTime: MediaTime?
  /// The error that caused the loss.
  public let error: SafelightError
}
