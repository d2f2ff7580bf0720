package import SafelightImage

/// How a picture lies in the one that is made of it: turned upright, then scaled, then moved.
package struct Placement: Hashable, Sendable {
  /// How the picture is stored.
  let orientation: Orientation
  /// The scale of the upright picture.
  let scale: PictureScale
  /// The rule by which pixels of the scaled picture are made; nil for one that keeps its size.
  let filter: ImageRenderer.Filter?
  /// The column and row at which the scaled picture begins; they may lie outside.
  let x, y: Int

  package init(
    orientation: Orientation = .up, scale: PictureScale = .none, filter: ImageRenderer.Filter? = nil, x: Int = 0,
    y: Int = 0
  ) {
    (self.orientation, self.scale, self.x, self.y) = (orientation, scale, x, y)
    self.filter = scale == .none ? nil : filter
  }

  /// Returns the pixels of the picture, stored in `size`, of which those of `region` are made; no pixel of `region`
  /// lies before the scaled picture.
  func source(of region: Region, in size: Size) -> Region {
    let upright = orientation.uprightSize(of: size)
    let (column, row) = (UInt32(region.x - x), UInt32(region.y - y))
    let (width, height) = (UInt32(region.size.width), UInt32(region.size.height))
    let first = (
      span(column, axis: 0, in: upright.width).low, span(row, axis: 1, in: upright.height).low
    )
    let last = (
      span(column + width - 1, axis: 0, in: upright.width).high, span(row + height - 1, axis: 1, in: upright.height).high
    )
    return Region(
      from: orientation.sourcePosition(ofUprightX: first.0, y: first.1, in: size),
      through: orientation.sourcePosition(ofUprightX: last.0, y: last.1, in: size))
  }

  /// Returns the columns, along axis 0, or rows, along 1, of an upright picture which has so many, from which those at
  /// `place` of the scaled picture are made.
  func span(_ place: UInt32, axis: Int, in count: Int) -> SampleSpan {
    SampleSpan(
      place, filter, from: scale.ratios[2 * axis], to: scale.ratios[2 * axis + 1], last: UInt32(count - 1))
  }
}

extension Orientation {
  /// Where a picture stored in `size` has upright (0, 0), and the steps from there to the next upright column and row.
  func places(in size: Size) -> (first: (x: Int, y: Int), right: (x: Int, y: Int), below: (x: Int, y: Int)) {
    let first = sourcePosition(ofUprightX: 0, y: 0, in: size)
    func step(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
      let place = sourcePosition(ofUprightX: x, y: y, in: size)
      return (place.x - first.x, place.y - first.y)
    }
    return (first, step(1, 0), step(0, 1))
  }
}

/// The scale of a picture along each axis, without common divisors.
package struct PictureScale: Hashable, Sendable {
  /// `n'` and `m'` of the columns and of the rows: `n'` pixels become `m'`.
  let ratios: SIMD4<UInt32>

  /// That of a picture which keeps its size.
  package static let none = PictureScale(ratios: SIMD4(repeating: 1))

  private init(ratios: SIMD4<UInt32>) { self.ratios = ratios }

  /// Nil if a product of the filters could exceed 32 bits: `(2m − 1) · n'`, and the sums of `n'` weights with 16-bit
  /// samples.
  init?(from source: Size, to size: Size) {
    func ratio(_ n: Int, _ m: Int) -> (n: UInt32, m: UInt32)? {
      let divisor = Int(MediaTime.greatestCommonDivisor(n.magnitude, m.magnitude))
      guard 0...1 << 22 ~= m, n / divisor <= 1 << 16, m * (n / divisor) < 1 << 31 else { return nil }
      return (UInt32(n / divisor), UInt32(m / divisor))
    }
    guard let columns = ratio(source.width, size.width), let rows = ratio(source.height, size.height) else {
      return nil
    }
    ratios = SIMD4(columns.n, columns.m, rows.n, rows.m)
  }
}
