import Dispatch
public import SafelightImage
import Synchronization

/// Hears of the frames of a ``FrameCapture``, one call at a time, on the capture's serial queue: the counterpart of
/// `AVCaptureVideoDataOutputSampleBufferDelegate`.
///
/// Frames that come while ``frameCapture(_:didOutput:)`` is at work are late; be quick, or hand the frame on.
public protocol FrameCaptureDelegate: AnyObject, Sendable {
  /// Here is a frame.
  func frameCapture(_ capture: FrameCapture, didOutput frame: VideoFrame)
  /// A frame was dropped; told in its turn, before the next frame that is not.
  func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame)
  /// That was all: the source has ended, or failed with `error`, or the capture was stopped. Nothing comes after.
  func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?)
}

extension FrameCaptureDelegate {
  /// Nothing: the ledger knows.
  public func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame) {}
  /// Nothing.
  public func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?) {}
}

/// Delivers the frames of a source as they come, whether somebody is ready or not: the counterpart of an
/// `AVCaptureSession` with one `AVCaptureVideoDataOutput`.
///
/// ```swift
/// let capture = FrameCapture(camera)
/// capture.delegate = renderer
/// capture.start()
/// ```
///
/// Every frame that the source gives has a line in the ``ledger``. In memory are at most ``bufferCount`` frames that
/// wait or are kept by their takers, and what the source itself holds. A film needs
/// ``FFmpegOptions/isPaced`` to behave as a camera: otherwise its frames come as fast as they can be read.
public final class FrameCapture: Sendable {
  /// What all frames have in common.
  public let format: VideoFormat
  private let policy: CapturePolicy
  private let pump: @Sendable (CaptureIntake) async throws(SafelightError) -> Void
  private let sessionQueue: DispatchQueue
  private let deliveryQueue: DispatchQueue
  private let state = Mutex(State())

  private struct State {
    weak var delegate: (any FrameCaptureDelegate)?
    /// The last run, whose ledger is shown.
    var intake: CaptureIntake?
    /// The run for the delegate; nil once it is over.
    var run: CaptureRun?
    var delivery: Task<Void, Never>?
  }

  /// Makes a capture of `source`, which is opened by ``start()``.
  ///
  /// - Parameters:
  ///   - alwaysDiscardsLateVideoFrames: See ``alwaysDiscardsLateVideoFrames``.
  ///   - bufferCount: See ``bufferCount``; at least 1.
  ///   - ledgerLimit: How many lines the ledger keeps at least.
  ///   - label: The beginning of the queues' names.
  public init(
    _ source: some FrameSource, alwaysDiscardsLateVideoFrames: Bool = true, bufferCount: Int = 4,
    ledgerLimit: Int = 100_000, label: String = "capture"
  ) {
    trap(unless: bufferCount >= 1, "a capture needs a buffer for a frame; pass a bufferCount of 1 or more")
    trap(unless: ledgerLimit >= 1, "a ledger keeps lines; pass a ledgerLimit of 1 or more")
    self.format = source.format
    self.policy = CapturePolicy(
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

  /// True: frames that come while the taker is at work on another are dropped at once. False: up to ``bufferCount`` frames
  /// are kept, and then the source is held back: a film waits, a camera drops frames by itself, unseen.
  public var alwaysDiscardsLateVideoFrames: Bool { policy.discardsLateFrames }

  /// How many frames may be waiting or in the hands of their takers. A taker that keeps so many gets no more until it
  /// lets go of one: they are dropped as ``DropReason/outOfBuffers``, or held back.
  public var bufferCount: Int { policy.bufferCount }

  /// Who hears of the frames; not kept alive. While there is nobody, frames are abandoned.
  public var delegate: (any FrameCaptureDelegate)? {
    get { state.withLock(\.delegate) }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// What became of the frames of the present run, or of the last.
  public var ledger: CaptureLedger {
    state.withLock(\.intake)?.ledger ?? CaptureLedger(limit: policy.ledgerLimit)
  }

  /// True while a frame is in the taker's hands, or on its way there.
  package var isTakerBusy: Bool { state.withLock(\.intake)?.isTakerBusy ?? false }

  /// Opens the source at its beginning and delivers its frames to the delegate; does nothing while it runs.
  ///
  /// Returns at once: the work is done on the session's own serial queue. Errors come with
  /// ``FrameCaptureDelegate/frameCapture(_:didFinish:)``.
  public func start() {
    sessionQueue.async { [self] in
      let run = state.withLock { state -> CaptureRun? in
        guard state.run == nil else { return nil }
        let run = CaptureRun(policy, reportsDrops: true, pump: pump)
        (state.run, state.intake) = (run, run.intake)
        return run
      }
      guard let run else { return }
      let capture: @Sendable () -> FrameCapture? = { [weak self] in self }
      let delivery = Task { [deliveryQueue] in await Self.deliver(run, on: deliveryQueue, capture) }
      state.withLock { $0.delivery = delivery }
    }
  }

  /// Ends the capture; frames that wait are abandoned, and the delegate hears of no more.
  ///
  /// Returns at once: the work is done on the session's own serial queue. ``finished()`` waits for its end.
  public func stop() {
    sessionQueue.async { [self] in state.withLock(\.run)?.stop() }
  }

  /// Waits until the capture that was started is over, the source closed, and the delegate told.
  public func finished() async {
    let delivery = await withCheckedContinuation { continuation in
      sessionQueue.async { [self] in continuation.resume(returning: state.withLock(\.delivery)) }
    }
    await delivery?.value
  }

  /// The frames of a run of their own as a sequence, in place of a delegate. Each iterator opens the source anew and ends
  /// it when it goes; a loop's body is at work until the loop asks for the next frame. Drops are in the ``ledger``.
  public var frames: CapturedFrames { CapturedFrames(capture: self) }

  func makeRun() -> CaptureRun {
    let run = CaptureRun(policy, reportsDrops: false, pump: pump)
    state.withLock { $0.intake = run.intake }
    return run
  }
}

extension FrameCapture {
  /// Hands everything on, one call after the other. `capture` is not kept alive meanwhile.
  private static func deliver(
    _ run: CaptureRun, on queue: DispatchQueue, _ capture: @escaping @Sendable () -> FrameCapture?
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

  /// An event on its way to the queue. The queue keeps what it ran for a moment longer: the frame is out of it by then.
  private final class Parcel: Sendable {
    private let event: Mutex<CaptureEvent?>

    init(_ event: CaptureEvent) {
      self.event = Mutex(event)
    }

    func deliver(_ intake: CaptureIntake, _ capture: FrameCapture?) {
      let event = event.withLock { event in
        defer { event = nil }
        return event
      }
      let delegate = capture?.delegate
      switch event {
      case .frame(let frame, let line):
        guard let capture, let delegate else {
          _ = intake.settle(line, .abandoned)
          return
        }
        guard intake.settle(line, .delivered) else { return }
        delegate.frameCapture(capture, didOutput: frame)
      case .dropped(let frame):
        if let capture { delegate?.frameCapture(capture, didDrop: frame) }
      case nil: return
      }
    }
  }
}

extension DispatchQueue {
  /// Runs `work` here and waits for it without blocking a thread.
  fileprivate func run(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      async {
        work()
        continuation.resume()
      }
    }
  }
}

/// The frames of a ``FrameCapture`` as a sequence. See ``FrameCapture/frames``.
public struct CapturedFrames: AsyncSequence, Sendable {
  /// A frame, in its own memory.
  public typealias Element = VideoFrame
  /// What the source throws.
  public typealias Failure = SafelightError

  let capture: FrameCapture

  /// Opens the source; frames come in from now on.
  public func makeAsyncIterator() -> Iterator { Iterator(run: capture.makeRun()) }

  /// Takes frames, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: CaptureRun

    /// The next frame; nil at the end, and once the task is cancelled. Throws what the source throws.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      while let event = try await run.intake.next() {
        if case .frame(let frame, let line) = event, run.intake.settle(line, .delivered) { return frame }
      }
      return nil
    }
  }
}

/// Why a frame of a source did not reach its taker: the reasons of `AVCaptureOutput.DataDroppedReason`.
public enum DropReason: String, Hashable, Sendable, CaseIterable {
  /// It came while the frame before was still being worked on.
  case lateData
  /// Nobody was at work, but as many frames were kept as there are buffers.
  case outOfBuffers
  /// Its time does not lie behind that of the frame before: the source jumped, and counts from here now.
  case discontinuity
}

/// A frame that was dropped: all that is known of it but its pixels, whose memory has been given back.
public struct DroppedFrame: Hashable, Sendable {
  /// Its place in the source, from 0.
  public let index: Int
  /// When it was to be shown.
  public let presentationTime: MediaTime
  /// How long; nil where the source does not say.
  public let duration: MediaTime?
  /// Why.
  public let reason: DropReason

  init(_ frame: VideoFrame, _ reason: DropReason) {
    self.index = frame.index
    self.presentationTime = frame.presentationTime
    self.duration = frame.duration
    self.reason = reason
  }
}
