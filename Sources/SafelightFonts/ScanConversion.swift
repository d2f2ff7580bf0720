/// The parts of pixels that closed paths cover, by exact areas in integers. Places are 65536ths of a pixel; y grows
/// downward.
///
/// Each line adds, to the pixels right of it in a row, the height that it passes there, downward positive, and to the
/// pixels that it crosses the part of that area that lies right of it. Its places at the edges of rows and columns are
/// whole 65536ths, rounded down from the exact ones, so no error grows along it. The sum of all lines is how often
/// paths go around a pixel; from once on, to either side, it is covered wholly.
package struct ScanConversion: Sendable {
  /// A place.
  package typealias Point = SIMD2<Int>

  /// 65536ths of a pixel.
  package static let unit = 1 << 16

  /// The columns and rows.
  package let width, height: Int
  /// For each pixel the area by which the sum changes from the pixel to its left, in parts of 2³³; a row has one more
  /// than columns.
  private var changes: [Int]

  /// Makes an empty picture.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    changes = [Int](repeating: 0, count: (width + 1) * height)
  }

  /// Adds a line of a path.
  package mutating func addLine(from one: Point, to other: Point) {
    guard one.y != other.y else { return }
    let (top, bottom, sign) = one.y < other.y ? (one, other, 1) : (other, one, -1)
    let (rise, run) = (bottom.y - top.y, bottom.x - top.x)
    func column(at y: Int) -> Int { top.x + Self.floor((y - top.y) * run, rise) }
    for row in (top.y >> 16..<(bottom.y + Self.unit - 1) >> 16).clamped(to: 0..<height) {
      let (from, to) = (max(top.y, row << 16), min(bottom.y, (row + 1) << 16))
      addPart(row, from: column(at: from), to: to == bottom.y ? bottom.x : column(at: to), height: to - from, sign)
    }
  }

  /// Adds a part of a line inside a row, which passes `height` of it.
  private mutating func addPart(_ row: Int, from one: Int, to other: Int, height: Int, _ sign: Int) {
    let (left, right) = (min(one, other), max(one, other))
    let (first, end) = (row * (width + 1), width << 16)
    // The height that the part passes up to a column.
    func passed(at x: Int) -> Int {
      x >= right ? height : x <= left ? 0 : Self.floor((x - left) * height, right - left)
    }
    var (x, before) = (left, 0)
    if x < 0 {
      // A line left of the picture covers its rows from the first column on.
      before = passed(at: 0)
      changes[first] += sign * before * 2 * Self.unit
      x = 0
    }
    while x < end, before < height {
      let column = x >> 16
      let next = min(right, (column + 1) << 16)
      let part = passed(at: next) - before
      let inside = x + next - (column << 17)
      changes[first + column] += sign * part * (2 * Self.unit - inside)
      changes[first + column + 1] += sign * part * inside
      before += part
      // A part along an edge of columns ends where it begins.
      if next == right { break }
      x = next
    }
  }

  /// The covered part of each pixel, row after row, from 0 to 65535, to the nearest, halves up.
  package var coverage: [UInt16] {
    var coverage: [UInt16] = []
    coverage.reserveCapacity(width * height)
    for row in 0..<height {
      var sum = 0
      for column in 0..<width {
        sum += changes[row * (width + 1) + column]
        coverage.append(UInt16((min(abs(sum), 1 << 33) * 65535 + 1 << 32) >> 33))
      }
    }
    return coverage
  }

  /// Returns the whole number at or below a fraction with a positive denominator.
  static func floor(_ numerator: Int, _ denominator: Int) -> Int {
    let quotient = numerator / denominator
    return numerator % denominator < 0 ? quotient - 1 : quotient
  }
}

extension ScanConversion {
  /// Adds an outline whose origin lies at `origin`, of a font with so many units in a square of `size` pixels.
  mutating func add(_ outline: GlyphOutline, at origin: Point, size: Int, unitsPerEm: Int) {
    func place(_ point: GlyphOutline.Point) -> Point {
      func scaled(_ number: Int) -> Int { Self.floor(number * size * 2048 + unitsPerEm, 2 * unitsPerEm) }
      return Point(origin.x + scaled(point.x), origin.y - scaled(point.y))
    }
    for path in outline.paths {
      let start = place(path.start)
      var last = start
      for segment in path.segments {
        let end = place(segment.end)
        for point in Self.points(of: [last] + segment.controls.map(place) + [end]) {
          addLine(from: last, to: point)
          last = point
        }
      }
      addLine(from: last, to: start)
    }
  }

  /// Returns the ends of the lines that stand for a curve: 1, 2, 4 … or 64 of equal parts, so many that none is farther
  /// than a 64th of a pixel from it. Each end is the exact one to the nearest 65536th, halves up.
  static func points(of controls: [Point]) -> [Point] {
    guard controls.count > 2, let end = controls.last else { return controls.suffix(1) }
    var bend = 0
    for number in 0..<controls.count - 2 {
      let difference = controls[number] &- 2 &* controls[number + 1] &+ controls[number + 2]
      bend = max(bend, abs(difference.x), abs(difference.y))
    }
    // A curve is at most bend / 4 of a quadratic, and 3 bend / 4 of a cubic, from its chord.
    var bits = 0
    while bits < 6, bend * (controls.count == 3 ? 1 : 3) > 4096 << (2 * bits) { bits += 1 }
    let count = 1 << bits
    return (1..<count).map { part in
      let (t, u) = (part, count - part)
      let weights =
        controls.count == 3 ? [u * u, 2 * u * t, t * t] : [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t]
      let shift = bits * (controls.count - 1)
      let sum = zip(controls, weights).reduce(Point.zero) { $0 &+ $1.0 &* $1.1 }
      return (sum &+ (1 << shift) / 2) &>> Point(repeating: shift)
    } + [end]
  }
}
