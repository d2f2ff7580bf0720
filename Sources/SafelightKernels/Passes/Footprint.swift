package import SafelightImage

/// The pixels of an input on which a pixel of a pass's output depends.
package enum Footprint: Hashable, Sendable {
  /// The pixel at the same position.
  case pixel
  /// The pixels up to so many columns and rows away; those beyond the edges of a picture follow from ``ImageEdgeMode``.
  case window(left: Int, top: Int, right: Int, bottom: Int)
  /// The pixel at the place where a picture stored in this orientation has it: the pass makes the picture upright.
  case oriented(Orientation)
  /// The pixels up to two columns and rows away from twice the position: the pass halves the picture.
  case halved
  /// The pixels next to half of the position: the pass doubles the picture.
  case doubled
  /// The pixel so many columns to the right and rows below: the pass cuts a rectangle out of the picture.
  case moved(x: Int, y: Int)
  /// The pixels of which a filter makes one of the picture in another size.
  case scaled(PictureScale, ImageRenderer.Filter)
  /// Possibly every pixel, wherever the pixel that is made lies.
  case whole

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
    case .whole: Region(size: size)
    case .moved(let x, let y): region.translated(x: x, y: y)
    case .scaled(let scale, let filter): scale.source(of: region, in: size, filter: filter)
    case .window(let left, let top, let right, let bottom):
      Region(
        x: region.x - left, y: region.y - top, width: region.size.width + left + right,
        height: region.size.height + top + bottom
      ).intersection(Region(size: size))
    case .halved:
      Region(
        x: 2 * region.x - 2, y: 2 * region.y - 2, width: 2 * region.size.width + 3, height: 2 * region.size.height + 3
      ).intersection(Region(size: size))
    case .doubled:
      Region(
        x: region.x / 2 - 1, y: region.y / 2 - 1, width: region.size.width / 2 + 3, height: region.size.height / 2 + 3
      ).intersection(Region(size: size))
    case .oriented(let orientation):
      [(region.x, region.y), (region.x + region.size.width - 1, region.y + region.size.height - 1)].map { corner in
        let place = orientation.sourcePosition(ofUprightX: corner.0, y: corner.1, in: size)
        return Region(x: place.x, y: place.y, width: 1, height: 1)
      }.reduce(nil) { $0?.union($1) ?? $1 } ?? region
    }
  }

  /// Returns whether a pass with this footprint makes a picture of `made` of one of `size`.
  func makes(_ made: Size, of size: Size) -> Bool {
    switch self {
    case .pixel, .window: made == size
    case .oriented: Region(size: size).contains(needed(for: Region(size: made), in: size))
    case .moved: Region(size: size).contains(needed(for: Region(size: made), in: size))
    case .scaled(let scale, _): PictureScale(from: size, to: made) == scale
    case .halved: made == size.halved
    case .doubled: made.halved == size
    case .whole: true
    }
  }

  /// True if a pixel depends on the one at its own position.
  var isInPlace: Bool {
    switch self {
    case .pixel, .window: true
    case .oriented, .moved, .scaled, .halved, .doubled, .whole: false
    }
  }

  /// True if the input's rows are columns of the output.
  var exchangesAxes: Bool { if case .oriented(let orientation) = self { orientation.exchangesAxes } else { false } }
}

extension Size {
  /// Half of the size, odd sides upward.
  var halved: Size { Size((width + 1) / 2, (height + 1) / 2) }
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
