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
    func span(_ first: Int, _ count: Int, axis: Int, in side: Int) -> (low: Int, high: Int) {
      func span(_ place: Int) -> SampleSpan {
        SampleSpan(
          UInt32(place), filter, from: scale.ratios[2 * axis], to: scale.ratios[2 * axis + 1], last: UInt32(side - 1))
      }
      return (span(first).low, span(first + count - 1).high)
    }
    let columns = span(region.x - x, region.size.width, axis: 0, in: upright.width)
    let rows = span(region.y - y, region.size.height, axis: 1, in: upright.height)
    return Region(
      from: orientation.sourcePosition(ofUprightX: columns.low, y: rows.low, in: size),
      through: orientation.sourcePosition(ofUprightX: columns.high, y: rows.high, in: size))
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
      let divisor = Int(greatestCommonDivisor(n.magnitude, m.magnitude))
      guard 0...1 << 22 ~= m, n / divisor <= 1 << 16, m * (n / divisor) < 1 << 31 else { return nil }
      return (UInt32(n / divisor), UInt32(m / divisor))
    }
    guard let columns = ratio(source.width, size.width), let rows = ratio(source.height, size.height) else {
      return nil
    }
    ratios = SIMD4(columns.n, columns.m, rows.n, rows.m)
  }
}
