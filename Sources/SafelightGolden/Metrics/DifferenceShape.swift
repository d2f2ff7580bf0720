internal import CGoldenRows
internal import SafelightImage

/// The place and the look of the difference between two pictures.
struct DifferenceShape: CustomStringConvertible {
  /// The number of pixels that differ.
  let count: Int
  /// The number of pixels that count.
  let pixels: Int
  /// The smallest rectangle around the pixels that differ.
  let box: Region
  /// A name for the difference, such as `a column` or `red and blue swapped`; nil if it looks like none of the known
  /// kinds.
  let likeness: String?

  init?(_ difference: ImageDifference) {
    guard let box = difference.map.box else { return nil }
    count = difference.over(0)
    pixels = difference.pixels
    self.box = box
    likeness = Self.likeness(of: difference, count, box)
  }

  /// `12 of 240,000 pixels differ (0.005 %), from (3, 4) to (14, 4): a row`, or `1 of 240,000 pixels differs, at (3,
  /// 4)`.
  var description: String {
    let counted = "\(DecimalText.grouped(count)) of \(DecimalText.grouped(pixels))"
    if count == 1 { return "\(counted) pixels differs, at (\(box.x), \(box.y))" }
    let (last, first) = ((box.x + box.size.width - 1, box.y + box.size.height - 1), (box.x, box.y))
    let likeness = likeness.map { ": \($0)" } ?? ""
    let share = DecimalText.percentage(count, of: pixels)
    return "\(counted) pixels differ (\(share)), from \(first) to \(last)\(likeness)"
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
    guard isFaint && 20 * count > difference.pixels, let look = difference.faintLook else { return nil }
    return "\(look) up to \(difference.maximum) \(difference.maximum == 1 ? "step" : "steps")"
  }
}

extension ImageDifference {
  /// True if every pixel has the expected samples with red and blue swapped; false if none changes by that.
  fileprivate var hasRedAndBlueSwapped: Bool {
    guard !channels.isGray, mask == nil, colorSums.contains(where: { $0.absolute > 0 }) else { return false }
    return unsafe cgolden_is_swapped(expected.bytes, actual.bytes, expected.rows)
  }

  /// The number of columns and rows, at most two, by which the expected picture moved to become the actual one, except
  /// for its edges; nil if it did not, as where only the edges differ.
  fileprivate var shift: (x: Int, y: Int)? {
    let reach = 2
    guard mask == nil, size.width > 4 * reach, size.height > 4 * reach, !isMoved(0, 0, inside: reach) else {
      return nil
    }
    for down in -reach...reach {
      for across in -reach...reach where (across, down) != (0, 0) {
        if isMoved(across, down, inside: reach) { return (across, down) }
      }
    }
    return nil
  }

  /// Returns true if the expected picture moved by `across` and `down` became the actual one, `margin` pixels or more
  /// from the edges.
  private func isMoved(_ across: Int, _ down: Int, inside margin: Int) -> Bool {
    let (rows, counts) = (expected.rows(of: size.width - 2 * margin), channels.counts)
    let offset = across * expected.pixelFormat.bytesPerPixel + down * expected.bytesPerRow
    return unsafe expected.bytes.withUnsafeBufferPointer { before in
      unsafe actual.bytes.withUnsafeBufferPointer { after in
        (margin..<size.height - margin).allSatisfy { y in
          let first = y * expected.bytesPerRow + margin * expected.pixelFormat.bytesPerPixel
          return unsafe cgolden_is_equal(
            UnsafeBufferPointer(rebasing: before[(first - offset)...]).baseAddress,
            UnsafeBufferPointer(rebasing: after[first...]).baseAddress, rows, counts)
        }
      }
    }
  }

  /// The number of steps that every sample lies above (or, if negative, below) the expected one; nil if samples
  /// disagree.
  fileprivate var offset: Int? {
    guard let first = colorSums.first, first.absolute == maximum * pixels, abs(first.signed) == first.absolute,
      colorSums.allSatisfy({ $0 == first })
    else { return nil }
    return first.signed > 0 ? maximum : -maximum
  }

  /// The look of small differences everywhere: `darker by`, `brighter by` or `noise of`; nil if only alpha differs.
  fileprivate var faintLook: String? {
    if colorSums.allSatisfy({ $0.absolute == 0 }) { return nil }
    if colorSums.allSatisfy({ $0.signed == $0.absolute }) { return "brighter by" }
    return colorSums.allSatisfy { $0.signed == -$0.absolute } ? "darker by" : "noise of"
  }
}

extension DifferenceMap {
  /// The smallest rectangle around all pixels that differ; nil if none does.
  fileprivate var box: Region? {
    guard maximum > 0 else { return nil }
    var (left, right, top, bottom) = (size.width, 0, size.height, 0)
    for y in 0..<size.height {
      let (start, end) = unsafe row(y).withUnsafeBufferPointer { row in
        let end = unsafe cgolden_end(row.baseAddress, row.count)
        return (unsafe cgolden_start(row.baseAddress, end), end)
      }
      guard start < end else { continue }
      (left, right) = (min(left, start), max(right, end - 1))
      (top, bottom) = (min(top, y), y)
    }
    return Region(x: left, y: top, size: Size(right - left + 1, bottom - top + 1))
  }
}
