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

/// A position in the source, in 256ths of pixels, or in pixels where only one is taken.
struct WarpPosition: Equatable {
  var x, y: Int32

  /// That of a pixel which comes from nowhere.
  static let nowhere = WarpPosition(x: .min, y: .min)
}

extension WarpMap {
  /// Calls `body` with the position of each pixel of a row from column `x` on.
  @inline(__always)
  func forEachPosition(
    x: Int, y: Int, count: Int, isNearest: Bool, coordinates: UnsafePointer<UInt16>?,
    _ body: (Int, WarpPosition) -> Void
  ) {
    switch rule {
    case .affine(let columns, let rows):
      let shift: Int64 = isNearest ? 40 : 32
      let half = (1 as Int64) << (shift - 1)
      var (across, down) = (columns.number(x: x, y: y) &+ half, rows.number(x: x, y: y) &+ half)
      for place in 0..<count {
        body(
          place,
          WarpPosition(x: Int32(truncatingIfNeeded: across >> shift), y: Int32(truncatingIfNeeded: down >> shift)))
        across &+= columns.right
        down &+= rows.right
      }
    case .projective(let columns, let rows, let divisor):
      var (across, down) = (columns.number(x: x, y: y), rows.number(x: x, y: y))
      var below = divisor.number(x: x, y: y)
      for place in 0..<count {
        body(place, Self.quotient(across, down, by: below, isNearest: isNearest))
        across &+= columns.right
        down &+= rows.right
        below &+= divisor.right
      }
    case .lens(let lens):
      for place in 0..<count { body(place, lens.position(x: x + place, y: y, isNearest: isNearest)) }
    case .picture(let scale):
      guard let coordinates = unsafe coordinates else { return }
      for place in 0..<count {
        let pair = unsafe (coordinates[4 * place], coordinates[4 * place + 1])
        body(place, scale.position(pair.0, pair.1, isNearest: isNearest))
      }
    }
  }

  func position(x: Int, y: Int, isNearest: Bool) -> WarpPosition {
    var found = WarpPosition.nowhere
    unsafe forEachPosition(x: x, y: y, count: 1, isNearest: isNearest, coordinates: nil) { found = $1 }
    return found
  }

  /// Returns a position whose column and row are to be divided.
  @inline(__always)
  private static func quotient(_ across: Int64, _ down: Int64, by divisor: Int64, isNearest: Bool) -> WarpPosition {
    guard divisor > 0 else { return .nowhere }
    let inverse = 1 / Double(divisor)
    let half = divisor >> 1
    /// Returns the quotient, rounded down, and what is left. The estimate is off by 1 at most.
    func divided(_ number: Int64) -> (Int64, rest: Int64) {
      var quotient = Int64((Double(number) * inverse).rounded(.down))
      var rest = number &- quotient &* divisor
      if rest < 0 { (quotient, rest) = (quotient - 1, rest &+ divisor) }
      if rest >= divisor { (quotient, rest) = (quotient + 1, rest &- divisor) }
      return (quotient, rest)
    }
    func position(_ number: Int64) -> Int32 {
      let number = isNearest ? number &+ half : number
      guard (number < 0 ? ~number : number) >> 22 < divisor else {
        return number < 0 ? -Int32(farthest << 8) : Int32(farthest << 8)
      }
      let whole = divided(number)
      if isNearest { return Int32(truncatingIfNeeded: whole.0) }
      return Int32(truncatingIfNeeded: whole.0 << 8 &+ divided(whole.rest << 8 &+ half).0)
    }
    return WarpPosition(x: position(across), y: position(down))
  }
}

// MARK: The pixels that a region needs

extension WarpMap {
  /// Returns the least rectangle that is known to hold the positions of the pixels of `region`, in 256ths of pixels or
  /// in pixels; nil if they can lie anywhere.
  func bounds(of region: Region, in size: Size, isNearest: Bool) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
    let (right, bottom) = (region.x + region.size.width - 1, region.y + region.size.height - 1)
    let corners = [(region.x, region.y), (right, region.y), (region.x, bottom), (right, bottom)]
    switch rule {
    case .affine: break
    case .projective(let columns, let rows, let divisor):
      let signs = corners.map { divisor.number(x: $0.0, y: $0.1) > 0 }
      guard !signs.contains(false) else {
        // What lies beyond an edge as a whole needs no more than the pixels at that edge.
        let edges: [(plane: WarpPlane, sign: Int64, edge: Int)] = [
          (columns, -1, -8), (columns, 1, size.width + 8), (rows, -1, -8), (rows, 1, size.height + 8),
        ]
        let beyond = edges.first { plane, sign, edge in
          corners.allSatisfy { x, y in
            sign &* (plane.number(x: x, y: y) &- Int64(edge) &* divisor.number(x: x, y: y)) > 0
          }
        }
        if let beyond {
          let (unit, all) = (isNearest ? 1 : 256, -Self.farthest << 8...Self.farthest << 8)
          let place = unit * beyond.edge
          return beyond.plane == columns ? (place...place, all) : (all, place...place)
        }
        return signs.contains(true) ? nil : (0...0, 0...0)
      }
    case .lens(let lens): return lens.bounds(of: region, isNearest: isNearest)
    case .picture: return nil
    }
    let positions = corners.map { position(x: $0.0, y: $0.1, isNearest: isNearest) }
    let (across, down) = (positions.map { Int($0.x) }, positions.map { Int($0.y) })
    return ((across.min() ?? 0)...(across.max() ?? 0), (down.min() ?? 0)...(down.max() ?? 0))
  }
}
