public import SafelightImage
import Synchronization

/// What a capture hands to its taker.
enum CaptureEvent: Sendable {
  /// A frame, and the number of its line in the ledger.
  case frame(VideoFrame, line: Int)
  case dropped(DroppedFrame)
}

/// Where frames come in and are handed on, dropped or held back.
///
/// One task gives frames to ``accept(_:)``, another takes them from ``next()``. A taker is at work from the moment that a
/// frame is meant for it until it asks for the next.
final class CaptureIntake: Sendable {
  private struct State {
    var isTakerBusy = false
    var hasTakerAFrame = false
    /// Frames meant for the taker or kept by it.
    var held = 0
    var lastTime: MediaTime?
    var source: CheckedContinuation<Void, Never>?
    var isClosed = false
    var ledger: CaptureLedger

    /// Reserves a buffer for a taker that is idle; otherwise the reason why not.
    mutating func takeBuffer(of count: Int) -> DropReason? {
      if isTakerBusy { return .lateData }
      if held >= count { return .outOfBuffers }
      isTakerBusy = true
      held += 1
      return nil
    }
  }

  /// Notices of dropped frames that wait at most; the source is held back beyond.
  private static let noticeLimit = 1024

  private let policy: CapturePolicy
  private let reportsDrops: Bool
  private let events: Handover<CaptureEvent>
  private let state: Mutex<State>

  init(_ policy: CapturePolicy, reportsDrops: Bool) {
    self.policy = policy
    self.reportsDrops = reportsDrops
    self.events = Handover(capacity: Self.noticeLimit + policy.bufferCount)
    self.state = Mutex(State(ledger: CaptureLedger(limit: policy.ledgerLimit)))
  }

  var ledger: CaptureLedger { state.withLock(\.ledger) }
  var isTakerBusy: Bool { state.withLock(\.isTakerBusy) }

  /// Takes a frame in, or drops it; waits where the policy is to keep every frame and there is no buffer for it. False
  /// once nobody takes frames any more.
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

  /// What comes next; nil at the end.
  func next() async throws(SafelightError) -> CaptureEvent? {
    state.withLock { state in
      if state.hasTakerAFrame { (state.hasTakerAFrame, state.isTakerBusy) = (false, false) }
    }
    let event = try await events.next()
    if case .frame = event { state.withLock { $0.hasTakerAFrame = true } }
    return event
  }

  /// Writes how the frame of `line` ended; false where the capture was closed before, and the frame with it.
  func settle(_ line: Int, _ outcome: CaptureLedger.Outcome) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.ledger.settle(line, outcome)
      return true
    }
  }

  /// The source has ended.
  func finish(_ failure: SafelightError?) { events.finish(failure) }

  /// Nobody takes frames any more.
  func close() {
    events.close()
    let source = state.withLock { state in
      state.isClosed = true
      state.ledger.close()
      defer { state.source = nil }
      return state.source
    }
    source?.resume()
  }

  private func drop(_ frame: VideoFrame, _ reason: DropReason, _ line: Int) async -> Bool {
    guard settle(line, .dropped(reason)) else { return false }
    return reportsDrops ? await events.send(.dropped(DroppedFrame(frame, reason))) : true
  }

  private func waitForBuffer() async -> Bool {
    while true {
      let taken = state.withLock { state -> Bool? in
        guard !state.isClosed else { return false }
        guard state.held < policy.bufferCount else { return nil }
        state.held += 1
        return true
      }
      if let taken { return taken }
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !state.isClosed && state.held >= policy.bufferCount else { return false }
          state.source = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    }
  }

  private func release() {
    let source = state.withLock { state in
      state.held -= 1
      defer { state.source = nil }
      return state.source
    }
    source?.resume()
  }
}

/// How a capture treats frames that come faster than they are taken.
struct CapturePolicy: Hashable, Sendable {
  let discardsLateFrames: Bool
  let bufferCount: Int
  let ledgerLimit: Int
}

/// What became of every frame that a source gave during a capture.
///
/// Each frame has one line, in the order of arrival. All are counted for ever; of the lines at least the last so many are
/// kept as the capture was told to keep, so that a camera may run for weeks.
public struct CaptureLedger: Sendable {
  /// How a frame ended.
  public enum Outcome: Hashable, Sendable {
    /// It is waiting for its taker.
    case waiting
    /// It was handed over.
    case delivered
    /// It was not, and its memory was given back at once.
    case dropped(DropReason)
    /// It was taken in, and the capture was stopped, or nobody was there, before it could be handed over.
    case abandoned
  }

  /// The line of one frame.
  public struct Line: Hashable, Sendable {
    /// Its place in the source, from 0.
    public let index: Int
    /// When it was to be shown.
    public let presentationTime: MediaTime
    /// How it ended.
    public internal(set) var outcome: Outcome
  }

  /// The lines that are kept, in the order of arrival.
  public private(set) var lines: [Line] = []
  /// Frames that arrived before those of ``lines``.
  public private(set) var forgottenCount = 0
  private var counts: [Outcome: Int] = [:]
  private let limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// How many frames arrived.
  public var arrivedCount: Int { forgottenCount + lines.count }

  /// How many frames ended so, forgotten lines included.
  public func count(_ outcome: Outcome) -> Int { counts[outcome, default: 0] }

  /// Opens the line of a frame; returns its number.
  package mutating func arrived(_ frame: VideoFrame) -> Int {
    // A quarter at a time, or each new line would move all the others.
    if lines.count >= limit + limit / 4 {
      let excess = lines.count - limit
      lines.removeFirst(excess)
      forgottenCount += excess
    }
    lines.append(Line(index: frame.index, presentationTime: frame.presentationTime, outcome: .waiting))
    counts[.waiting, default: 0] += 1
    return arrivedCount - 1
  }

  /// Writes how the frame of line `number` ended.
  package mutating func settle(_ number: Int, _ outcome: Outcome) {
    counts[.waiting, default: 0] -= 1
    counts[outcome, default: 0] += 1
    if number >= forgottenCount { lines[number - forgottenCount].outcome = outcome }
  }

  /// Whatever waits now will wait for ever.
  package mutating func close() {
    for index in lines.indices where lines[index].outcome == .waiting { lines[index].outcome = .abandoned }
    counts[.abandoned, default: 0] += count(.waiting)
    counts[.waiting] = 0
  }
}

/// One run of a source through an intake. Whoever lets go of it ends it.
final class CaptureRun: Sendable {
  let intake: CaptureIntake
  private let pump: Task<Void, Never>

  /// `pump` gives the frames of the source to the intake until one is refused, and returns or throws as the source does.
  init(
    _ policy: CapturePolicy, reportsDrops: Bool,
    pump: @escaping @Sendable (CaptureIntake) async throws(SafelightError) -> Void
  ) {
    let intake = CaptureIntake(policy, reportsDrops: reportsDrops)
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

  /// Returns when the source is closed.
  func ended() async { await pump.value }
}
