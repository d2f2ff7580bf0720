internal import SafelightImage

/// Where two pictures differ, and what that looks like.
struct DifferenceShape: CustomStringConvertible {
  /// Pixels that differ.
  let count: Int
  /// All pixels that count.
  let pixels: Int
  /// The smallest rectangle around those that differ.
  let box: Region
  /// What the difference looks like: `a column`, `red and blue swapped`; nil if it is like nothing that is known.
  let likeness: String?

  /// Nil if no pixel differs.
  init?(_ difference: ImageDifference) {
    guard let box = difference.map.box else { return nil }
    count = difference.over(0)
    pixels = difference.pixels
    self.box = box
    likeness = Self.likeness(of: difference, count, box)
  }

  /// `12 of 240,000 pixels differ (0.005 %), from (3, 4) to (14, 4): a row`, or `1 of 240,000 pixels differs, at (3, 4)`.
  var description: String {
    let counted = "\(DecimalText.grouped(count)) of \(DecimalText.grouped(pixels))"
    if count == 1 { return "\(counted) pixels differs, at (\(box.x), \(box.y))" }
    let share = (100 * Double(count) / Double(pixels)).rounded(digits: 2, .up)
    let (last, first) = ((box.x + box.size.width - 1, box.y + box.size.height - 1), (box.x, box.y))
    let likeness = likeness.map { ": \($0)" } ?? ""
    return "\(counted) pixels differ (\(DecimalText.text(share)) %), from \(first) to \(last)\(likeness)"
  }

  private static func likeness(of difference: ImageDifference, _ count: Int, _ box: Region) -> String? {
    if count == 1 { return nil }
    if difference.hasRedAndBlueSwapped { return "red and blue swapped" }
    if let (x, y) = difference.shift { return "the picture moved by (\(x), \(y))" }
    if let steps = difference.offset {
      return "every color \(abs(steps)) \(steps > 0 ? "above" : "below") the expected one"
    }
    if box.size.width == 1 { return "a column" }
    if box.size.height == 1 { return "a row" }
    let isFaint = difference.maximum <= difference.expected.pixelFormat.maximum / 64
    return isFaint && 20 * count > difference.pixels ? "noise of up to \(difference.maximum) steps" : nil
  }
}

extension ImageDifference {
  /// True where every pixel has the expected samples with red for blue.
  fileprivate var hasRedAndBlueSwapped: Bool {
    guard !channels.isGray, mask == nil else { return false }
    return allPixels { x, y in
      actual[x: x, y: y, sample: 0] == expected[x: x, y: y, sample: 2]
        && actual[x: x, y: y, sample: 1] == expected[x: x, y: y, sample: 1]
        && actual[x: x, y: y, sample: 2] == expected[x: x, y: y, sample: 0]
    }
  }

  /// By how many columns and rows, two at most, the expected picture was moved to become the actual one, but for its edges.
  fileprivate var shift: (x: Int, y: Int)? {
    let reach = 2
    guard mask == nil, size.width > 4 * reach, size.height > 4 * reach else { return nil }
    for down in -reach...reach {
      for across in -reach...reach where (across, down) != (0, 0) {
        let moved = allPixels(inside: reach) { x, y in
          channels.sampleIndices.allSatisfy {
            actual[x: x, y: y, sample: $0] == expected[x: x - across, y: y - down, sample: $0]
          }
        }
        if moved { return (across, down) }
      }
    }
    return nil
  }

  /// The number of steps that every sample lies above the expected one, below 0 beneath it; nil where they do not agree.
  fileprivate var offset: Int? {
    let colors = channels.hasAlpha ? sums.dropLast() : sums[...]
    guard let first = colors.first, first.absolute == maximum * pixels, abs(first.signed) == first.absolute,
      colors.allSatisfy({ $0 == first })
    else { return nil }
    return first.signed > 0 ? maximum : -maximum
  }

  private func allPixels(inside margin: Int = 0, _ condition: (_ x: Int, _ y: Int) -> Bool) -> Bool {
    (margin..<size.height - margin).allSatisfy { y in
      (margin..<size.width - margin).allSatisfy { x in condition(x, y) }
    }
  }
}

extension DifferenceMap {
  /// The smallest rectangle around all pixels that differ; nil where none does.
  fileprivate var box: Region? {
    guard maximum > 0 else { return nil }
    var (left, right, top, bottom) = (size.width, 0, size.height, 0)
    for y in 0..<size.height {
      let row = values[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: { $0 > 0 }), let last = row.lastIndex(where: { $0 > 0 }) else { continue }
      (left, right) = (min(left, first - row.startIndex), max(right, last - row.startIndex))
      (top, bottom) = (min(top, y), y)
    }
    return Region(x: left, y: top, size: Size(right - left + 1, bottom - top + 1))
  }
}

extension ImageDifference {
  /// Where two samples differ.
  public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// Column, from the left.
    public let x: Int
    /// Row, from the top.
    public let y: Int
    /// The sample's number in the pixel: 0 red or grey, 1 green, 2 blue, 3 alpha.
    public let channel: Int
    /// The channel's name: gray, red, green, blue or alpha.
    public let channelName: String
    /// The expected sample.
    public let expected: Int
    /// The actual sample.
    public let actual: Int

    /// The first channel that differs by `difference` in pixel `index`.
    init(_ index: Int, _ expected: Image, _ actual: Image, by difference: Int) {
      x = index % expected.size.width
      y = index / expected.size.width
      let (x, y) = (x, y)
      channel =
        expected.channels.sampleIndices.first {
          abs(expected[x: x, y: y, sample: $0] - actual[x: x, y: y, sample: $0]) == difference
        } ?? 0
      channelName = ImageDifference.name(of: channel, in: expected.channels)
      self.expected = expected[x: x, y: y, sample: channel]
      self.actual = actual[x: x, y: y, sample: channel]
    }

    /// For people: `(17, 11) green: 160 expected, 200 found`.
    public var description: String { "(\(x), \(y)) \(channelName): \(expected) expected, \(actual) found" }
  }

  /// The pixels that differ most, at most `count`, worst first and those that differ alike in scan order; each with its worst channel.
  public func worstPlaces(_ count: Int) -> [Place] {
    var places: [Place] = []
    var difference = maximum
    while difference > 0, places.count < count {
      places += map.places(differingBy: difference, limit: count - places.count).map {
        Place($0, expected, actual, by: difference)
      }
      difference = map.greatest(below: difference)
    }
    return places
  }
}
