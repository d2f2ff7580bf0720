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

  /// Finds the shifted runs of a comparison: what each frame should look like, what it looks like (nil where it could not be read),
  /// and whether it failed.
  ///
  /// A frame that failed belongs to a shift where it is four times as close to another frame as to its own; one that passed, where both
  /// are alike. Where two shifts explain a frame, the longer one is taken, and of two equally long ones the smaller.
  static func all(expected: [FrameThumbnail?], actual: [FrameThumbnail?], failed: [Bool]) -> [FrameShift] {
    func shows(_ index: Int, _ delay: Int) -> Bool {
      guard expected.indices.contains(index - delay), let own = expected[index], let other = expected[index - delay],
        let seen = actual[index]
      else { return false }
      let (distance, shifted) = (seen.distance(to: own), seen.distance(to: other))
      return failed[index] ? distance > 0 && 4 * shifted <= distance : shifted == 0
    }
    var found: [FrameShift] = []
    for delay in (1...reach).flatMap({ [$0, -$0] }) {
      var start = 0
      while start < failed.count {
        let run = failed.indices[start...].prefix { shows($0, delay) }
        start = run.endIndex + 1
        let failing = run.filter { failed[$0] }
        guard let first = failing.first, let last = failing.last, failing.count >= shortest else { continue }
        found.append(FrameShift(frames: first..<last + 1, delay: delay))
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
}
