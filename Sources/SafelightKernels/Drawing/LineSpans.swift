package import SafelightImage

/// The rectangle of a straight line with square ends, as the spans that it covers of 16 lines across each row of
/// pixels. Numbers are 256ths of a column or row.
package struct LineSpans: PassTable {
  /// The columns of the table.
  static let columns = 2048

  /// The corners, in their order around the rectangle.
  private let corners: [SIMD2<Int>]
  /// The pixels that the line may touch.
  let bounds: Region
  /// The pixels for which spans are worked out.
  private var area: Region

  /// Makes the line between the middles of two pixels, whose numbers are at most 2¹⁷.
  init(from: SIMD2<Int>, to: SIMD2<Int>, thickness: Int) {
    // Both directions make the same line.
    let isTurned = (from.y, from.x) > (to.y, to.x)
    let (first, last) = isTurned ? (to, from) : (from, to)
    let way = last &- first
    let length = Self.root((way.x * way.x + way.y * way.y) << 20)
    // Half of the thickness along the line.
    func half(_ part: Int) -> Int { Self.nearest(128 * thickness * part << 10, length) }
    let along = length == 0 ? SIMD2(128 * thickness, 0) : SIMD2(half(way.x), half(way.y))
    let across = SIMD2(0 &- along.y, along.x)
    let (start, end) = (first &* 256 &+ 128 &- along, last &* 256 &+ 128 &+ along)
    corners = [start &+ across, end &+ across, end &- across, start &- across]
    let (columns, rows) = (corners.map(\.x), corners.map(\.y))
    func pixel(_ place: Int?) -> Int { (place ?? 0) >> 8 }
    bounds = Region(
      from: (pixel(columns.min()), pixel(rows.min())), through: (pixel(columns.max()), pixel(rows.max())))
    area = bounds
  }

  /// Returns the spans of the pixels in `picture`.
  func cut(to picture: Size) -> LineSpans {
    var spans = self
    spans.area = bounds.intersection(Region(size: picture))
    return spans
  }

  /// The pixels that are made.
  var made: Region { area }

  package var size: Size {
    let lines = 16 * area.size.height
    return Size(min(lines, Self.columns), (lines + Self.columns - 1) / Self.columns)
  }

  package func entries() -> [UInt16] {
    var entries: [UInt16] = []
    entries.reserveCapacity(4 * size.area)
    for line in 0..<16 * area.size.height {
      let span = span(at: 256 * area.y + 16 * line + 8)
      for place in [span.lowerBound, span.upperBound] {
        entries += [UInt16(truncatingIfNeeded: place), UInt16(truncatingIfNeeded: place >> 16)]
      }
    }
    return entries + [UInt16](repeating: 0, count: 4 * size.area - entries.count)
  }

  /// Returns the part of the area's columns that the line covers at the height `y`, from the area's left edge on.
  private func span(at y: Int) -> Range<Int> {
    var crossings: [Int] = []
    for (one, other) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
      let (upper, lower) = one.y < other.y ? (one, other) : (other, one)
      guard upper.y <= y, y < lower.y else { continue }
      crossings.append(upper.x + Self.floor((y - upper.y) * (lower.x - upper.x), lower.y - upper.y))
    }
    guard let left = crossings.min(), let right = crossings.max() else { return 0..<0 }
    let columns = 0..<256 * area.size.width
    return (left - 256 * area.x..<right - 256 * area.x).clamped(to: columns)
  }

  /// Returns the whole number at or below a fraction with a positive denominator.
  private static func floor(_ numerator: Int, _ denominator: Int) -> Int {
    let quotient = numerator / denominator
    return numerator % denominator < 0 ? quotient - 1 : quotient
  }

  /// Returns the whole number nearest to a fraction, halves upward.
  private static func nearest(_ numerator: Int, _ denominator: Int) -> Int {
    floor(2 * numerator + denominator, 2 * denominator)
  }

  /// Returns the whole number at or below the root.
  private static func root(_ square: Int) -> Int {
    var root = Int(Double(square).squareRoot())
    while root * root > square { root -= 1 }
    while (root + 1) * (root + 1) <= square { root += 1 }
    return root
  }
}

extension LineSpans {
  /// The spans of a row of pixels.
  struct Row {
    private var first = SIMD16<UInt32>()
    private var end = SIMD16<UInt32>()

    /// Reads the spans of row `number` of the area from a table.
    init(_ number: Int, of table: PictureMemory) {
      for line in 0..<16 {
        let entry = unsafe table.entries()[16 * number + line]
        first[line] = UInt32(entry.x) | UInt32(entry.y) << 16
        end[line] = UInt32(entry.z) | UInt32(entry.w) << 16
      }
    }

    /// The columns of the area that the line may cover.
    var columns: Range<Int> {
      let left = first.replacing(with: .max, where: first .>= end).min() >> 8
      let right = (end.max() + 255) >> 8
      return Int(min(left, right))..<Int(right)
    }

    /// Returns the part of the pixel in `column` of the area that the line covers, in 4096ths.
    func coverage(at column: Int) -> UInt32 {
      let left = 256 * UInt32(truncatingIfNeeded: column)
      let (low, high) = (
        pointwiseMax(first, SIMD16(repeating: left)), pointwiseMin(end, SIMD16(repeating: left + 256))
      )
      return (high &- low).replacing(with: 0, where: high .< low).wrappedSum()
    }
  }
}
