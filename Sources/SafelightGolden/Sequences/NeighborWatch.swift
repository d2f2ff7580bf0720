/// Which frames show what their neighbors should, each judged once those are known. It keeps the neighbors alone, however long the sequence is.
struct NeighborWatch {
  private struct Entry {
    let expected: FrameThumbnail?
    let actual: FrameThumbnail?
    let failed: Bool
  }

  /// For each frame that was judged, a bit for each of ``FrameShift/delays`` that would explain what it shows.
  private(set) var explanations: [UInt8] = []
  /// Places of frames that failed and jump away from neighbors which are alike, if the expected ones do not: A-B-A.
  private(set) var flashes: [Int] = []
  private var window: [Entry] = []
  /// The place of the first frame of the window.
  private var first = 0

  /// Adds the next frame; a picture that cannot be read has no thumbnail.
  mutating func add(expected: FrameThumbnail?, actual: FrameThumbnail?, failed: Bool) {
    window.append(Entry(expected: expected, actual: actual, failed: failed))
    if first + window.count - explanations.count > FrameShift.reach { judge() }
    if window.count > 2 * FrameShift.reach {
      window.removeFirst()
      first += 1
    }
  }

  /// Judges the last frames, behind which no others come.
  mutating func finish() {
    while explanations.count < first + window.count { judge() }
  }

  private mutating func judge() {
    let place = explanations.count - first
    var bits: UInt8 = 0
    for (bit, delay) in FrameShift.delays.enumerated() where shows(place, delay) { bits |= 1 << bit }
    explanations.append(bits)
    if window[place].failed && isFlash(place, \.actual) && !isFlash(place, \.expected) { flashes.append(first + place) }
  }

  /// True if a frame that failed is four times as close to the one `delay` frames before as to its own, and if for one that passed both are
  /// alike.
  private func shows(_ place: Int, _ delay: Int) -> Bool {
    let frame = window[place]
    guard window.indices.contains(place - delay), let own = frame.expected, let seen = frame.actual,
      let other = window[place - delay].expected
    else { return false }
    let (distance, shifted) = (seen.distance(to: own), seen.distance(to: other))
    return frame.failed ? distance > 0 && 4 * shifted <= distance : shifted == 0
  }

  /// True if a frame is four times as far from both neighbors as these are from each other.
  private func isFlash(_ place: Int, _ side: KeyPath<Entry, FrameThumbnail?>) -> Bool {
    guard place > 0, place + 1 < window.count, let before = window[place - 1][keyPath: side],
      let frame = window[place][keyPath: side], let after = window[place + 1][keyPath: side]
    else { return false }
    let jump = min(frame.distance(to: before), frame.distance(to: after))
    return jump > 0 && 4 * before.distance(to: after) <= jump
  }
}
