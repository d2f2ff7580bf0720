import SafelightImage

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

/// Two pictures of one moment: what should be, and what is.
struct PicturePair: Sendable {
  let expected: Image
  let actual: Image
  /// What is left out; nil if every pixel counts.
  var mask: ImageMask?

  /// The mean over the samples of |(b − b′) − (a − a′)|, in steps, with a′ and b′ of `previous`; nil if the pictures are not all of one size,
  /// kind and depth. What either mask hides is left out.
  func flicker(since previous: PicturePair) -> Double? {
    let kind = expected.kind
    guard [actual, previous.expected, previous.actual].allSatisfy({ $0.kind == kind }) else { return nil }
    if expected.bytes == actual.bytes, previous.expected.bytes == previous.actual.bytes { return 0 }
    let format = expected.pixelFormat
    let wide = format.bytesPerSample == 2
    let (a, b) = (expected.bytes, actual.bytes)
    let (c, d) = (previous.expected.bytes, previous.actual.bytes)
    func sample(_ bytes: [UInt8], _ place: Int) -> Int {
      wide ? Int(bytes[place]) | Int(bytes[place + 1]) << 8 : Int(bytes[place])
    }
    let masks = [mask, previous.mask].compactMap { $0 }
    var (sum, pixels) = (0, 0)
    for pixel in 0..<expected.size.area where !masks.contains(where: { $0.isHidden[pixel] }) {
      pixels += 1
      for index in expected.channels.sampleIndices {
        let place = pixel * format.bytesPerPixel + index * format.bytesPerSample
        sum += abs((sample(b, place) - sample(a, place)) - (sample(d, place) - sample(c, place)))
      }
    }
    return Double(sum) / Double(max(1, pixels) * expected.channels.count)
  }
}

extension Image {
  /// What must be equal for samples to be comparable; what colors mean is not in it.
  fileprivate var kind: ImageDescriptor { ImageDescriptor(size: size, channels: channels, depth: depth) }
}

/// The brightness of a picture in 16 × 16 cells, to find out which of some frames it shows.
///
/// A cell is the mean of at most 8 × 8 of its pixels: enough to tell the frames of a film apart, and done in a fraction of the time that
/// decoding takes. No verdict rests on it.
struct FrameThumbnail: Hashable, Sendable {
  private static let edge = 16
  private static let samplesAcross = 8

  /// Sums of the samples of each cell, in 16ths of an 8-bit step.
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
        // The high byte of each sample; red, twice green and blue weigh as they do in brightness, nearly.
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

  /// How far apart two pictures are: 0 for equal thumbnails.
  func distance(to other: FrameThumbnail) -> Int {
    zip(cells, other.cells).reduce(0) { $0 + Int(($1.0 - $1.1).magnitude) }
  }
}

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
