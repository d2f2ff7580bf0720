internal import CKernelRows
internal import SafelightImage

/// Where the pixels of a warped picture come from: a position in the source for each pixel that is made, in whole
/// numbers, so that all devices find the same. A position counts from the middle of the first pixel.
public struct WarpMap: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    /// A column and a row that grow by the same from each pixel to the next, in 2⁻⁴⁰ pixels.
    case affine(WarpPlane, WarpPlane)
    /// A column and a row, each divided by a third number. Pixels for which that is not above 0 come from nowhere.
    case projective(WarpPlane, WarpPlane, divisor: WarpPlane)
    /// That of a lens.
    case lens(WarpLens)
    /// That of a picture of coordinates, which is read with the source.
    case picture(WarpCoordinates)
  }

  let rule: Rule

  package init(_ rule: Rule) { self.rule = rule }

  /// The pixels that a position is away at most; a quotient that is farther is taken as that far.
  static let farthest = 1 << 22

  /// The number by which the shader tells one rule from another.
  var kind: Int {
    switch rule {
    case .affine: 0
    case .projective: 1
    case .lens: 2
    case .picture: 3
    }
  }
}

/// A whole number for each pixel that grows by the same from each column, and from each row, to the next.
package struct WarpPlane: Hashable, Sendable {
  let right, below, first: Int64

  /// Rounds numbers that are to be multiplied by `scale`, a power of two.
  init(_ right: Double, _ below: Double, _ first: Double, scale: Double = 0x1p40) {
    (self.right, self.below) = (Int64((right * scale).rounded()), Int64((below * scale).rounded()))
    self.first = Int64((first * scale).rounded())
  }

  init(right: Int64, below: Int64, first: Int64) { (self.right, self.below, self.first) = (right, below, first) }

  func number(x: Int, y: Int) -> Int64 { first &+ right &* Int64(x) &+ below &* Int64(y) }

  /// The steps and the first number, in two words each, as the shader reads them.
  var words: [Int] {
    [right, below, first, 0].flatMap {
      [Int(UInt32(truncatingIfNeeded: $0)), Int(UInt32(truncatingIfNeeded: $0 >> 32))]
    }
  }
}

extension WarpMap {
  /// The positions of some pixels of a row: columns and rows of the source, in 256ths of pixels, or in pixels where one
  /// is taken. Both are -2³¹ for a pixel that comes from nowhere.
  @safe struct Positions {
    let columns, rows: UnsafeMutablePointer<Int32>

    /// Calls `body` with room for `count` positions.
    static func withRoom(for count: Int, _ body: (Positions) -> Void) {
      // They are made eight at a time.
      let room = (count + 7) / 8 * 8
      unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * room) { numbers in
        guard let first = numbers.baseAddress else { return }
        unsafe body(Positions(columns: first, rows: first + room))
      }
    }
  }

  /// Works out the positions of `count` pixels from column `x` on; `coordinates` are the pixels of a picture of them.
  func place(
    _ positions: Positions, x: Int, y: Int, count: Int, isNearest: Bool, coordinates: UnsafePointer<UInt16>? = nil
  ) {
    let operations = unsafe RowOperations.best
    let shift: Int32 = isNearest ? 40 : 32
    let (columns, rows) = unsafe (positions.columns, positions.rows)
    switch rule {
    case .affine(let across, let down):
      unsafe operations.place_line(columns, across.number(x: x, y: y), across.right, shift, count)
      unsafe operations.place_line(rows, down.number(x: x, y: y), down.right, shift, count)
    case .projective(let across, let down, let divisor):
      let planes = [across, down, divisor]
      unsafe operations.place_quotients(
        columns, rows, planes.map { $0.number(x: x, y: y) }, planes.map(\.right), isNearest ? 0 : 8, count)
    case .lens(let lens):
      let firsts = [lens.columns, lens.rows].map { $0.number(x: x, y: y) }
      unsafe operations.place_by_lens(
        columns, rows, Int64(x), Int64(y), firsts, lens.columns.right, lens.numbers, shift, count)
    case .picture(let scale):
      guard let coordinates = unsafe coordinates else { return }
      for place in 0..<count {
        let position = scale.position(
          unsafe coordinates[4 * place], unsafe coordinates[4 * place + 1], shift: shift)
        unsafe columns[place] = Int32(truncatingIfNeeded: position.x)
        unsafe rows[place] = Int32(truncatingIfNeeded: position.y)
      }
    }
  }

  /// Returns the position of a pixel.
  func position(x: Int, y: Int, isNearest: Bool) -> SIMD2<Int> {
    var found = SIMD2<Int>()
    Positions.withRoom(for: 1) { positions in
      unsafe place(positions, x: x, y: y, count: 1, isNearest: isNearest)
      found = unsafe SIMD2(Int(positions.columns[0]), Int(positions.rows[0]))
    }
    return found
  }
}

// MARK: The pixels that a region needs

extension WarpMap {
  /// Returns the least rectangle that is known to hold the positions of the pixels of `region`, in 256ths of pixels or
  /// in pixels; nil if they can lie anywhere. Unless the picture is mirrored at its edges, what lies far beyond one
  /// counts as near it.
  func bounds(
    of region: Region, in size: Size, isNearest: Bool, isMirrored: Bool
  ) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
    let (right, bottom) = (region.x + region.size.width - 1, region.y + region.size.height - 1)
    let corners = [(region.x, region.y), (right, region.y), (region.x, bottom), (right, bottom)]
    switch rule {
    case .affine: break
    case .projective(let columns, let rows, let divisor):
      let signs = corners.map { divisor.number(x: $0.0, y: $0.1) > 0 }
      guard !signs.contains(false) else {
        guard signs.contains(true) else { return (0...0, 0...0) }
        if isMirrored { return nil }
        // A region whose positions all lie beyond one edge shows the color, or the pixels at that edge.
        let edges: [(plane: WarpPlane, sign: Int64, edge: Int)] = [
          (columns, -1, -8), (columns, 1, size.width + 8), (rows, -1, -8), (rows, 1, size.height + 8),
        ]
        let beyond = edges.first { plane, sign, edge in
          corners.allSatisfy { x, y in
            sign &* (plane.number(x: x, y: y) &- Int64(edge) &* divisor.number(x: x, y: y)) > 0
          }
        }
        if let beyond {
          let unit = isNearest ? 1 : 256
          let all = -Self.farthest * unit...Self.farthest * unit
          let place = unit * beyond.edge
          return beyond.plane == columns ? (place...place, all) : (all, place...place)
        }
        return nil
      }
    case .lens(let lens):
      let middle = position(
        x: region.x + region.size.width / 2, y: region.y + region.size.height / 2, isNearest: isNearest)
      return lens.bounds(around: middle, of: region.size, isNearest: isNearest)
    case .picture(let coordinates): return coordinates.bounds(of: region, isNearest: isNearest)
    }
    let positions = corners.map { position(x: $0.0, y: $0.1, isNearest: isNearest) }
    let (across, down) = (positions.map(\.x), positions.map(\.y))
    return ((across.min() ?? 0)...(across.max() ?? 0), (down.min() ?? 0)...(down.max() ?? 0))
  }
}
