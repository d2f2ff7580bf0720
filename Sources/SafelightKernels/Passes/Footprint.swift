package import SafelightImage

/// The pixels of an input on which a pixel of a pass's output depends.
package enum Footprint: Hashable, Sendable {
  /// The pixel at the same position.
  case pixel
  /// The pixels up to so many columns and rows away; those beyond the edges of a picture follow from ``PictureEdge``.
  case window(left: Int, top: Int, right: Int, bottom: Int)
  /// The pixel at the place where a picture stored in this orientation has it: the pass makes the picture upright.
  case oriented(Orientation)

  /// A square with `radius` columns and rows to each side.
  package static func square(radius: Int) -> Footprint { .window(columns: radius, rows: radius) }

  /// A rectangle with as many columns to the left as to the right, and as many rows above as below.
  package static func window(columns: Int, rows: Int) -> Footprint {
    .window(left: columns, top: rows, right: columns, bottom: rows)
  }

  /// Returns the pixels of a picture of `size` on which the pixels of `region` depend.
  package func needed(for region: Region, in size: Size) -> Region {
    switch self {
    case .pixel: region
    case .window(let left, let top, let right, let bottom):
      Region(
        x: region.x - left, y: region.y - top, width: region.size.width + left + right,
        height: region.size.height + top + bottom
      ).intersection(Region(size: size))
    case .oriented(let orientation):
      [(region.x, region.y), (region.x + region.size.width - 1, region.y + region.size.height - 1)].map { corner in
        let place = orientation.sourcePosition(ofUprightX: corner.0, y: corner.1, in: size)
        return Region(x: place.x, y: place.y, width: 1, height: 1)
      }.reduce(nil) { $0?.union($1) ?? $1 } ?? region
    }
  }

  /// True if a pixel depends on the one at its own position.
  var isInPlace: Bool { if case .oriented = self { false } else { true } }

  /// True if the input's rows are columns of the output.
  var exchangesAxes: Bool { if case .oriented(let orientation) = self { orientation.exchangesAxes } else { false } }
}

/// The samples that a pass gets where its footprint lies beyond the edges of a picture.
package enum PictureEdge: Hashable, Sendable {
  /// The pixels at the edges.
  case clamp
  /// Zeros.
  case zero
}

extension Region {
  /// Returns the smallest rectangle that covers both.
  package func union(_ other: Region) -> Region {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return Region(
      x: left, y: top, width: max(x + size.width, other.x + other.size.width) - left,
      height: max(y + size.height, other.y + other.size.height) - top)
  }

  /// Returns whether every pixel of `other` lies in this rectangle.
  package func contains(_ other: Region) -> Bool { intersection(other) == other }
}
