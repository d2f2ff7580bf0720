import SafelightImage

/// The frames that show what their neighbors should, each judged once those are known. Only the neighbors are kept,
/// however long the sequence is.
struct NeighborWatch {
  private struct Entry {
    let expected: FrameThumbnail?
    let actual: FrameThumbnail?
    let failed: Bool
  }

  /// For each judged frame, one bit for each of ``FrameShift/delays`` that would explain what it shows.
  private(set) var explanations: [UInt8] = []
  /// The indices of failed frames that jump away from similar neighbors while the expected ones do not: A-B-A.
  private(set) var flashes: [Int] = []
  private var window: [Entry] = []
  /// The index of the window's first frame.
  private var first = 0

  /// Adds the next frame; an unreadable picture has no thumbnail.
  mutating func add(expected: FrameThumbnail?, actual: FrameThumbnail?, failed: Bool) {
    window.append(Entry(expected: expected, actual: actual, failed: failed))
    if first + window.count - explanations.count > FrameShift.reach { judge() }
    if window.count > 2 * FrameShift.reach {
      window.removeFirst()
      first += 1
    }
  }

  /// Judges the last frames, which no others follow.
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

  /// Returns true if a failed frame is four times as close to the frame `delay` frames before as to its own, or if for
  /// a passing frame both are alike.
  private func shows(_ place: Int, _ delay: Int) -> Bool {
    let frame = window[place]
    guard window.indices.contains(place - delay), let own = frame.expected, let seen = frame.actual,
      let other = window[place - delay].expected
    else { return false }
    let (distance, shifted) = (seen.distance(to: own), seen.distance(to: other))
    return frame.failed ? distance > 0 && 4 * shifted <= distance : shifted == 0
  }

  /// Returns true if a frame is four times as far from both neighbors as they are from each other.
  private func isFlash(_ place: Int, _ side: KeyPath<Entry, FrameThumbnail?>) -> Bool {
    guard place > 0, place + 1 < window.count, let before = window[place - 1][keyPath: side],
      let frame = window[place][keyPath: side], let after = window[place + 1][keyPath: side]
    else { return false }
    let jump = min(frame.distance(to: before), frame.distance(to: after))
    return jump > 0 && 4 * before.distance(to: after) <= jump
  }
}

/// A run of frames that show what other frames should: `one frame late from frame 40 on`.
public struct FrameShift: Hashable, Sendable {
  /// The indices of the frames among the pairs.
  public let frames: Range<Int>
  /// The number of frames by which they are late, or early if negative.
  public let delay: Int
  static let reach = 3
  /// The shortest run; fewer frames may show others by chance.
  static let shortest = 3

  /// The delays that are looked for; of two that explain as much, the first is taken.
  static let delays = (1...reach).flatMap { [$0, -$0] }

  /// Finds the shifted runs of a comparison: `explanations` has, for each frame, one bit for each of ``delays`` that
  /// explains what it shows.
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
    // The sort is stable: of equally long shifts the first found, the smaller one, stays first.
    for shift in found.sorted(by: { $0.frames.count > $1.frames.count })
    where !kept.contains(where: { $0.frames.overlaps(shift.frames) }) {
      kept.append(shift)
    }
    return kept.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
  }

  /// Extends the run to a nearby end of the sequence if the frames between have failed: the pictures that they show lie
  /// beyond that end, so nothing can explain them.
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

/// The brightness of a picture in 16 × 16 cells, to find out which of some frames it shows.
///
/// A cell is the mean of at most 8 × 8 of its pixels: enough to tell the frames of a film apart, in a fraction of the
/// time that decoding takes. No verdict rests on it.
struct FrameThumbnail: Hashable, Sendable {
  private static let edge = 16
  private static let samplesAcross = 8
  /// The brightness of each cell, in 16ths of an 8-bit step.
  private let cells: [Int32]

  init(_ image: Image) {
    let across = Self.edge * Self.samplesAcross
    let format = image.pixelFormat
    let (width, height) = (min(across, image.size.width), min(across, image.size.height))
    let high = format.bytesPerSample - 1
    var sums = [Int32](repeating: 0, count: Self.edge * Self.edge)
    var counts = sums
    for row in 0..<height {
      let y = row * image.size.height / height
      for column in 0..<width {
        let x = column * image.size.width / width
        // The high byte of each sample; red, twice green and blue approximate brightness.
        let first = y * image.bytesPerRow + x * format.bytesPerPixel + high
        let value =
          format.samplesPerPixel == 1
          ? 4 * Int32(image.bytes[first])
          : Int32(image.bytes[first]) + 2 * Int32(image.bytes[first + format.bytesPerSample])
            + Int32(image.bytes[first + 2 * format.bytesPerSample])
        let cell = row * Self.edge / height * Self.edge + column * Self.edge / width
        sums[cell] += value
        counts[cell] += 1
      }
    }
    cells = zip(sums, counts).map { $1 == 0 ? 0 : $0 * 4 / $1 }
  }

  /// Returns the distance of two pictures: 0 for equal thumbnails.
  func distance(to other: FrameThumbnail) -> Int {
    zip(cells, other.cells).reduce(0) { $0 + Int(($1.0 - $1.1).magnitude) }
  }
}
