import Dispatch
public import SafelightImage
import Synchronization

/// Receives the frames of a ``FrameCapture``, one call at a time, on the capture's serial queue: the counterpart of
/// `AVCaptureVideoDataOutputSampleBufferDelegate`.
///
/// Frames that arrive while ``frameCapture(_:didOutput:)`` runs are late; return quickly, or pass the frame to another
/// thread.
public protocol FrameCaptureDelegate: AnyObject, Sendable {
  /// Receives a frame.
  func frameCapture(_ capture: FrameCapture, didOutput frame: VideoFrame)
  /// Receives notice of a dropped frame, before the next frame that was not dropped.
  func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame)
  /// Receives the end of the capture: the source has ended, or failed with `error`, or the capture was stopped. No call
  /// follows.
  func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?)
}

extension FrameCaptureDelegate {
  /// Does nothing; the ledger records the drop.
  public func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame) {}
  /// Does nothing.
  public func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?) {}
}

/// Delivers the frames of a source as they arrive, whether or not the consumer is ready: the counterpart of an
/// `AVCaptureSession` with one `AVCaptureVideoDataOutput`.
///
/// ```swift
/// let capture = FrameCapture(camera)
/// capture.delegate = renderer
/// capture.start()
/// ```
///
/// Every frame of the source has a line in the ``ledger``. Memory holds at most ``bufferCount`` frames that wait or are
/// kept by their consumer, and what the source itself holds. A film needs ``FFmpegOptions/isPaced`` to behave like a
/// camera; otherwise its frames arrive as fast as they can be read.
public final class FrameCapture: Sendable {
  /// The properties that all frames share.
  public let format: VideoFormat
  private let policy: CameraPolicy
  private let pump: CameraRun.Pump
  private let sessionQueue: DispatchQueue
  private let deliveryQueue: DispatchQueue
  private let state = Mutex(State())

  private struct State {
    weak var delegate: (any FrameCaptureDelegate)?
    /// The intake of the latest run, whose ledger is public.
    var intake: CameraIntake?
    /// The run that serves the delegate; nil once it is over.
    var run: CameraRun?
    var delivery: Task<Void, Never>?
  }

  /// Makes a capture of `source`, which ``start()`` opens.
  ///
  /// - Parameters:
  ///   - alwaysDiscardsLateVideoFrames: See ``alwaysDiscardsLateVideoFrames``.
  ///   - bufferCount: See ``bufferCount``; at least 1.
  ///   - ledgerLimit: The number of lines that the ledger keeps at least.
  ///   - label: The beginning of the queues' names.
  public init(
    _ source: some FrameSource, alwaysDiscardsLateVideoFrames: Bool = true, bufferCount: Int = 4,
    ledgerLimit: Int = 100_000, label: String = "capture"
  ) {
    trap(unless: bufferCount >= 1, "a capture needs at least one buffer; pass a bufferCount of 1 or more")
    trap(unless: ledgerLimit >= 1, "a ledger keeps at least one line; pass a ledgerLimit of 1 or more")
    self.format = source.format
    self.policy = CameraPolicy(
      discardsLateFrames: alwaysDiscardsLateVideoFrames, bufferCount: bufferCount, ledgerLimit: ledgerLimit)
    self.sessionQueue = DispatchQueue(label: "\(label).session")
    self.deliveryQueue = DispatchQueue(label: "\(label).frames")
    self.pump = { (intake) async throws(SafelightError) in
      for try await frame in source {
        guard await intake.accept(frame) else { return }
      }
    }
  }

  deinit { state.withLock(\.run)?.stop() }

  /// True if frames that arrive while the consumer works on another are dropped at once.
  ///
  /// If false, up to ``bufferCount`` frames are kept, and then the source waits: a film pauses, a camera drops frames
  /// unreported.
  public var alwaysDiscardsLateVideoFrames: Bool { policy.discardsLateFrames }

  /// The number of frames that may wait or be kept by their consumer.
  ///
  /// A consumer that keeps this many gets no more until it releases one: until then frames are dropped as
  /// ``DropReason/outOfBuffers``, or the source waits.
  public var bufferCount: Int { policy.bufferCount }

  /// The receiver of the frames, which is not retained. While it is nil, frames are abandoned.
  public var delegate: (any FrameCaptureDelegate)? {
    get { state.withLock(\.delegate) }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// The record of the frames of the current or latest run.
  public var ledger: CameraLedger { state.withLock(\.intake)?.ledger ?? CameraLedger(limit: policy.ledgerLimit) }
  /// True while a frame is being delivered or worked on.
  package var isConsumerBusy: Bool { state.withLock(\.intake)?.isConsumerBusy ?? false }

  /// Opens the source at its beginning and delivers its frames to the delegate; does nothing if it is running.
  ///
  /// Returns at once: the work is done on the session's own serial queue. Errors are reported by
  /// ``FrameCaptureDelegate/frameCapture(_:didFinish:)``.
  public func start() {
    sessionQueue.async { [self] in
      let run = state.withLock { state -> CameraRun? in
        guard state.run == nil else { return nil }
        let run = CameraRun(policy, reportsDrops: true, pump: pump)
        (state.run, state.intake) = (run, run.intake)
        return run
      }
      guard let run else { return }
      let capture: @Sendable () -> FrameCapture? = { [weak self] in self }
      let delivery = Task { [deliveryQueue] in await Self.deliver(run, on: deliveryQueue, capture) }
      state.withLock { $0.delivery = delivery }
    }
  }

  /// Ends the capture; frames that wait are abandoned, and the delegate receives no more of them.
  ///
  /// Returns at once: the work is done on the session's own serial queue. ``finished()`` waits for the end.
  public func stop() { sessionQueue.async { [self] in state.withLock(\.run)?.stop() } }

  /// Waits until the capture is over, the source closed, and the delegate called for the last time.
  public func finished() async {
    let delivery = await withCheckedContinuation { continuation in
      sessionQueue.async { [self] in continuation.resume(returning: state.withLock(\.delivery)) }
    }
    await delivery?.value
  }

  /// The frames as a sequence, instead of a delegate.
  ///
  /// Each iterator opens the source anew and closes it when it is deallocated. The body of a loop counts as busy until
  /// the loop asks for the next frame. Drops are recorded in the ``ledger``.
  public var frames: CameraFrames { CameraFrames(capture: self) }

  func makeRun() -> CameraRun {
    let run = CameraRun(policy, reportsDrops: false, pump: pump)
    state.withLock { $0.intake = run.intake }
    return run
  }
}

extension FrameCapture {
  /// Delivers every event, one call after another. `capture` is not kept alive meanwhile.
  private static func deliver(
    _ run: CameraRun, on queue: DispatchQueue, _ capture: @escaping @Sendable () -> FrameCapture?
  ) async {
    var failure: SafelightError?
    do throws(SafelightError) {
      while let event = try await run.intake.next() {
        let parcel = Parcel(event)
        await queue.run { parcel.deliver(run.intake, capture()) }
      }
    } catch {
      failure = error
    }
    run.stop()
    await run.ended()
    let error = failure
    await queue.run {
      guard let capture = capture() else { return }
      capture.state.withLock { $0.run = nil }
      capture.delegate?.frameCapture(capture, didFinish: error)
    }
  }

  /// An event on its way to the queue. It gives up the frame when it is delivered, since the queue keeps a finished
  /// block for a moment longer.
  private final class Parcel: Sendable {
    private let event: Mutex<CameraEvent?>

    init(_ event: CameraEvent) { self.event = Mutex(event) }

    func deliver(_ intake: CameraIntake, _ capture: FrameCapture?) {
      let event = event.withLock { $0.take() }
      let delegate = capture?.delegate
      switch event {
      case .frame(let frame, let line):
        guard let capture, let delegate else {
          _ = intake.settle(line, .abandoned)
          return
        }
        guard intake.settle(line, .delivered) else { return }
        delegate.frameCapture(capture, didOutput: frame)
      case .dropped(let frame): if let capture { delegate?.frameCapture(capture, didDrop: frame) }
      case nil: return
      }
    }
  }
}

extension DispatchQueue {
  /// Runs `work` on this queue and waits for it without blocking a thread.
  fileprivate func run(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      async {
        work()
        continuation.resume()
      }
    }
  }
}

/// The frames of a ``FrameCapture`` as a sequence; see ``FrameCapture/frames``.
public struct CameraFrames: AsyncSequence, Sendable {
  /// A frame in memory of its own.
  public typealias Element = VideoFrame
  /// The error that the source throws.
  public typealias Failure = SafelightError

  let capture: FrameCapture

  /// Opens the source; frames arrive from now on.
  public func makeAsyncIterator() -> Iterator { Iterator(run: capture.makeRun()) }

  /// Iterates over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: CameraRun

    /// Returns the next frame; nil at the end, and once the task is cancelled. Throws what the source throws.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      while let event = try await run.intake.next() {
        if case .frame(let frame, let line) = event, run.intake.settle(line, .delivered) { return frame }
      }
      return nil
    }
  }
}

/// The reason why a frame was dropped: the cases of `AVCaptureOutput.DataDroppedReason`.
public enum DropReason: String, Hashable, Sendable, CaseIterable {
  /// It arrived while the consumer was working on another frame.
  case lateData
  /// The consumer was idle, but kept as many frames as there are buffers.
  case outOfBuffers
  /// Its time is not after that of the previous frame: the source jumped. Later frames are compared with this time.
  case discontinuity
}

/// A dropped frame: its properties without its pixels, whose memory is released.
public struct DroppedFrame: Hashable, Sendable {
  /// The frame's index in the source, from 0.
  public let index: Int
  /// The frame's presentation time.
  public let presentationTime: MediaTime
  /// The frame's duration; nil if the source does not say.
  public let duration: MediaTime?
  /// The reason why it was dropped.
  public let reason: DropReason

  init(_ frame: VideoFrame, _ reason: DropReason) {
    self.index = frame.index
    self.presentationTime = frame.presentationTime
    self.duration = frame.duration
    self.reason = reason
  }
}
