public import SafelightImage
import Synchronization

/// An event that a camera delivers to its consumer.
enum CameraEvent: Sendable {
  /// A frame and the number of its line in the ledger.
  case frame(VideoFrame, line: Int)
  case dropped(DroppedFrame)
}

/// The queue between a camera and its consumer: it delivers frames, drops them, or makes the source wait.
///
/// One task calls ``accept(_:)``, another calls ``next()``. The consumer is busy from the moment when a frame is
/// reserved for it until it asks for the next.
final class CameraIntake: Sendable {
  private struct State {
    var isConsumerBusy = false
    var hasConsumerAFrame = false
    /// Frames that wait for the consumer or are kept by it.
    var held = 0
    var lastTime: MediaTime?
    /// The source that waits for a buffer; false tells it that the consumer is gone.
    var source: CheckedContinuation<Bool, Never>?
    var isClosed = false
    var ledger: CameraLedger

    /// Reserves a buffer if the consumer is idle; otherwise returns the reason why not.
    mutating func takeBuffer(of count: Int) -> DropReason? {
      if isConsumerBusy { return .lateData }
      if held >= count { return .outOfBuffers }
      isConsumerBusy = true
      held += 1
      return nil
    }
  }

  /// The most notices of dropped frames that may wait; beyond this the source waits.
  private static let noticeLimit = 1024

  private let policy: CameraPolicy
  private let reportsDrops: Bool
  private let events: Handover<CameraEvent>
  private let state: Mutex<State>

  init(_ policy: CameraPolicy, reportsDrops: Bool) {
    self.policy = policy
    self.reportsDrops = reportsDrops
    self.events = Handover(capacity: Self.noticeLimit + policy.bufferCount)
    self.state = Mutex(State(ledger: CameraLedger(limit: policy.ledgerLimit)))
  }

  var ledger: CameraLedger { state.withLock(\.ledger) }
  var isConsumerBusy: Bool { state.withLock(\.isConsumerBusy) }

  /// Accepts or drops a frame. If the policy is to keep every frame, waits for a free buffer. Returns false once the
  /// consumer is gone.
  func accept(_ frame: VideoFrame) async -> Bool {
    let arrival = state.withLock { state -> (line: Int, isBehind: Bool)? in
      guard !state.isClosed else { return nil }
      defer { state.lastTime = frame.presentationTime }
      return (state.ledger.arrived(frame), state.lastTime.map { frame.presentationTime <= $0 } ?? false)
    }
    guard let (line, isBehind) = arrival else { return false }
    if isBehind { return await drop(frame, .discontinuity, line) }
    if policy.discardsLateFrames {
      if let reason = state.withLock({ $0.takeBuffer(of: policy.bufferCount) }) {
        return await drop(frame, reason, line)
      }
    } else {
      guard await waitForBuffer() else { return false }
    }
    let leased = frame.leased { [self] in release() }
    return await events.send(.frame(leased, line: line))
  }

  func next() async throws(SafelightError) -> CameraEvent? {
    state.withLock { state in
      if state.hasConsumerAFrame { (state.hasConsumerAFrame, state.isConsumerBusy) = (false, false) }
    }
    let event = try await events.next()
    if case .frame = event { state.withLock { $0.hasConsumerAFrame = true } }
    return event
  }

  /// Records the outcome of the frame of `line`; returns false if the capture was closed before, and its frames with
  /// it.
  func settle(_ line: Int, _ outcome: CameraLedger.Outcome) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.ledger.settle(line, outcome)
      return true
    }
  }

  /// Marks the end of the source.
  func finish(_ failure: SafelightError?) { events.finish(failure) }

  /// Ends the delivery: the consumer is gone.
  func close() {
    events.close()
    let source = state.withLock { state in
      state.isClosed = true
      state.ledger.close()
      return state.source.take()
    }
    source?.resume(returning: false)
  }

  private func drop(_ frame: VideoFrame, _ reason: DropReason, _ line: Int) async -> Bool {
    guard settle(line, .dropped(reason)) else { return false }
    return reportsDrops ? await events.send(.dropped(DroppedFrame(frame, reason))) : true
  }

  private func waitForBuffer() async -> Bool {
    await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state -> Bool? in
        guard !state.isClosed else { return false }
        guard state.held < policy.bufferCount else {
          state.source = continuation
          return nil
        }
        state.held += 1
        return true
      }
      if let isTaken { continuation.resume(returning: isTaken) }
    }
  }

  private func release() {
    let source = state.withLock { state in
      // A waiting source takes the buffer over.
      if state.source == nil { state.held -= 1 }
      return state.source.take()
    }
    source?.resume(returning: true)
  }
}

/// The policy for frames that arrive faster than they are consumed.
struct CameraPolicy: Hashable, Sendable {
  let discardsLateFrames: Bool
  let bufferCount: Int
  let ledgerLimit: Int
}

/// A record of the outcome of every frame of a camera.
///
/// Each frame has one line, in order of arrival. The counts cover all frames; of the lines at least the most recent
/// ones are kept, up to the limit that the capture was given, so that a camera can run for weeks.
public struct CameraLedger: Sendable {
  /// The outcome of a frame.
  public enum Outcome: Hashable, Sendable {
    /// It waits to be delivered.
    case waiting
    /// It was delivered.
    case delivered
    /// It was dropped, and its memory released at once.
    case dropped(DropReason)
    /// It was accepted, but the capture was stopped, or had no delegate, before it could be delivered.
    case abandoned
  }

  /// The line of one frame.
  public struct Line: Hashable, Sendable {
    /// The frame's index in the source, from 0.
    public let index: Int
    /// The frame's presentation time.
    public let presentationTime: MediaTime
    /// The frame's outcome.
    public internal(set) var outcome: Outcome
  }

  /// The lines that are kept, in order of arrival.
  public private(set) var lines: [Line] = []
  /// The number of frames that arrived before those of ``lines``.
  public private(set) var forgottenCount = 0
  private var counts: [Outcome: Int] = [:]
  private let limit: Int

  package init(limit: Int) { self.limit = limit }

  /// The number of frames that arrived.
  public var arrivedCount: Int { forgottenCount + lines.count }

  /// The number of frames with this outcome, including those whose lines are no longer kept.
  public func count(_ outcome: Outcome) -> Int { counts[outcome, default: 0] }

  /// Adds a line for a frame; returns its number.
  package mutating func arrived(_ frame: VideoFrame) -> Int {
    // Removes a quarter at a time, since each removal moves all other lines.
    if lines.count >= limit + limit / 4 {
      let excess = lines.count - limit
      lines.removeFirst(excess)
      forgottenCount += excess
    }
    lines.append(Line(index: frame.index, presentationTime: frame.presentationTime, outcome: .waiting))
    counts[.waiting, default: 0] += 1
    return arrivedCount - 1
  }

  /// Records the outcome of the frame of line `number`.
  package mutating func settle(_ number: Int, _ outcome: Outcome) {
    counts[.waiting, default: 0] -= 1
    counts[outcome, default: 0] += 1
    if number >= forgottenCount { lines[number - forgottenCount].outcome = outcome }
  }

  /// Abandons the frames that still wait.
  package mutating func close() {
    for index in lines.indices where lines[index].outcome == .waiting { lines[index].outcome = .abandoned }
    counts[.abandoned, default: 0] += count(.waiting)
    counts[.waiting] = 0
  }
}

/// One run of a source through an intake; deallocating it ends the run.
final class CameraRun: Sendable {
  typealias Pump = @Sendable (CameraIntake) async throws(SafelightError) -> Void

  let intake: CameraIntake
  private let pump: Task<Void, Never>

  /// `pump` passes the source's frames to the intake until one is refused, and ends as the source does.
  init(_ policy: CameraPolicy, reportsDrops: Bool, pump: @escaping Pump) {
    let intake = CameraIntake(policy, reportsDrops: reportsDrops)
    self.intake = intake
    self.pump = Task {
      do throws(SafelightError) {
        try await pump(intake)
        intake.finish(nil)
      } catch {
        intake.finish(error)
      }
    }
  }

  deinit { stop() }

  func stop() {
    pump.cancel()
    intake.close()
  }

  /// Waits until the source is closed.
  func ended() async { await pump.value }
}
