import CGoldenRows
public import SafelightImage

extension ImageDifference {
  /// The square of pixels in which most differ.
  public struct Window: Hashable, Sendable {
    /// The share of the square's pixels that differ, 0 to 1. Pixels behind a mask do not differ.
    public let share: Double
    /// The first square with this share in scan order.
    public let region: Region
  }

  /// The row or column in which most pixels differ.
  public struct Line: Hashable, Sendable {
    /// The direction of a line.
    public enum Direction: String, Hashable, Sendable {
      /// From left to right.
      case row
      /// From top to bottom.
      case column
    }
    /// The share of the line's pixels that differ, 0 to 1. Pixels behind a mask do not differ.
    public let share: Double
    /// The direction; `row` if a row and a column have the same share.
    public let direction: Direction
    /// The index of the first line with this share, from 0.
    public let index: Int
  }

  /// Returns the `n` × `n` pixels with the greatest share of pixels ``over(_:)`` `k`: a lost tile, which no mean shows.
  ///
  /// The square is clipped to the shorter side of the picture.
  public func window(_ n: Int, over k: Int) -> Window { map.window(n, over: k) }

  /// Returns the row or column with the greatest share of pixels ``over(_:)`` `k`: lost borders, seams of tiles.
  public func line(over k: Int) -> Line { map.line(over: k, of: extent) }
}

extension DifferenceMap {
  /// Slides the sums of a square down the rows for each of its columns, and then along the row.
  func window(_ n: Int, over k: Int) -> ImageDifference.Window {
    trap(unless: n > 0, "a window needs at least one pixel; pass an edge above 0")
    let edge = min(n, size.width, size.height)
    var worst = (count: 0, x: 0, y: 0)
    if k < maximum {
      var columns = [UInt32](repeating: 0, count: size.width)
      for y in 0..<size.height {
        add(row: y, over: k, to: &columns)
        // All ones are −1.
        if y >= edge { add(row: y - edge, over: k, to: &columns, each: .max) }
        guard y + 1 >= edge else { continue }
        let best = Self.densest(columns, edge)
        if best.count > worst.count { worst = (best.count, best.x, y + 1 - edge) }
      }
    }
    return ImageDifference.Window(
      share: Double(worst.count) / Double(edge * edge),
      region: Region(x: worst.x, y: worst.y, width: edge, height: edge))
  }

  /// Returns the densest line; shares are of lines as long as those of `extent`.
  func line(over k: Int, of extent: Size) -> ImageDifference.Line {
    var columns = [UInt32](repeating: 0, count: size.width)
    var row = (count: 0, index: 0)
    if k < maximum {
      for y in 0..<size.height {
        let count = add(row: y, over: k, to: &columns)
        if count > row.count { row = (count, y) }
      }
    }
    let column = Self.densest(columns, 1)
    // Fractions over one denominator, so that no rounding decides.
    return row.count * extent.height >= column.count * extent.width
      ? ImageDifference.Line(share: Double(row.count) / Double(extent.width), direction: .row, index: row.index)
      : ImageDifference.Line(share: Double(column.count) / Double(extent.height), direction: .column, index: column.x)
  }

  /// Adds `one` to each column whose sample in row `y` is above `k`, modulo 2³²; returns the number of such columns.
  @discardableResult
  private func add(row y: Int, over k: Int, to columns: inout [UInt32], each one: UInt32 = 1) -> Int {
    unsafe row(y).withUnsafeBufferPointer { row in
      unsafe cgolden_add_above(row.baseAddress, row.count, UInt16(k), one, &columns)
    }
  }

  /// Returns the greatest sum of `edge` neighbors, and the start of the first such run.
  private static func densest(_ columns: [UInt32], _ edge: Int) -> (count: Int, x: Int) {
    let run = unsafe cgolden_densest(columns, columns.count, edge)
    return (Int(run.sum), run.start)
  }
}
