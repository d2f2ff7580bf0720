public import SafelightImage

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
