/// The outline of a glyph: closed paths of lines and curves, not hinted. Numbers are 64ths of the font's units; y grows
/// upward from the base line.
package struct GlyphOutline: Hashable, Sendable {
  /// A place.
  package typealias Point = SIMD2<Int>

  /// A line, or a curve with one or two control points, from the end of the segment before.
  struct Segment: Hashable, Sendable {
    let controls: [Point]
    let end: Point
  }

  /// A closed path; a line leads from its last point to its first.
  struct Path: Hashable, Sendable {
    let start: Point
    var segments: [Segment] = []
  }

  private(set) var paths: [Path] = []

  package init() {}

  package mutating func move(to point: Point) { paths.append(Path(start: point)) }

  package mutating func line(to point: Point) { curve([], to: point) }

  package mutating func curve(_ controls: [Point], to point: Point) {
    if paths.isEmpty { move(to: .zero) }
    paths[paths.count - 1].segments.append(Segment(controls: controls, end: point))
  }
}

extension GlyphOutline.Point {
  /// The place at `x` and `y` of the font's units, which are whole in nearly all fonts.
  init(_ x: Float, _ y: Float) {
    func units(_ number: Float) -> Int {
      // Numbers of damaged fonts.
      guard number.magnitude < 1_048_576 else { return 0 }
      return Int((Double(number) * 64).rounded())
    }
    self.init(units(x), units(y))
  }
}
