/// A run of frames that show what other frames should: `one frame late from frame 40 on`.
public struct FrameShift: Hashable, Sendable {
  /// The places of the frames among the pairs, from 0.
  public let frames: Range<Int>
  /// How many frames late they are; below 0 where they are early.
  public let delay: Int

  /// The greatest delay that is looked for.
  static let reach = 3
  /// Fewer frames may show others by chance.
  static let shortest = 3

  /// The delays that are looked for; of two that explain as much the first counts.
  static let delays = (1...reach).flatMap { [$0, -$0] }

  /// Finds the shifted runs of a comparison: for each frame a bit for each of ``delays`` that explains what it shows, and whether it failed.
  ///
  /// If two shifts explain a frame, the longer one is taken, and of two equally long ones the smaller.
  static func all(explanations: [UInt8], failed: [Bool]) -> [FrameShift] {
    var found: [FrameShift] = []
    for (bit, delay) in delays.enumerated() {
      var start = 0
      while start < failed.count {
        let run = failed.indices[start...].prefix { explanations[$0] & 1 << bit != 0 }
        start = run.endIndex + 1
        let failing = run.filter { failed[$0] }
        guard let first = failing.first, let last = failing.last, failing.count >= shortest else { continue }
        found.append(FrameShift(frames: first..<last + 1, delay: delay).reachingTheEnds(of: failed))
      }
    }
    var kept: [FrameShift] = []
    // A stable order: what was found first, the smaller shift, stays before what is as long.
    for shift in found.enumerated().sorted(by: {
      ($1.element.frames.count, $0.offset) < ($0.element.frames.count, $1.offset)
    })
    .map(\.element) where !kept.contains(where: { $0.frames.overlaps(shift.frames) }) {
      kept.append(shift)
    }
    return kept.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
  }

  /// Extends the run to an end of the sequence that it nearly reaches, if the frames between have failed: the pictures
  /// that they show lie beyond that end, so nothing can explain them.
  private func reachingTheEnds(of failed: [Bool]) -> FrameShift {
    let reach = Int(delay.magnitude)
    var frames = frames
    if delay < 0, frames.upperBound >= failed.count - reach, failed[frames.upperBound...].allSatisfy({ $0 }) {
      frames = frames.lowerBound..<failed.count
    }
    if delay > 0, frames.lowerBound <= reach, failed[..<frames.lowerBound].allSatisfy({ $0 }) {
      frames = 0..<frames.upperBound
    }
    return FrameShift(frames: frames, delay: delay)
  }
}
