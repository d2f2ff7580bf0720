package import SafelightImage

/// The pixels of an input on which a pixel of a pass's output depends.
///
/// Beyond the edges of a picture lie the pixels at its edges, so a footprint is cut at the edges.
package enum Footprint: Hashable, Sendable {
  /// The pixel at the same position.
  case pixel
  /// The pixels up to so many columns and rows away.
  case window(left: Int, top: Int, right: Int, bottom: Int)

  /// Returns the pixels of a picture of `size` on which the pixels of `region` depend.
  package func needed(for region: Region, in size: Size) -> Region {
    switch self {
    case .pixel: region
    case .window(let left, let top, let right, let bottom):
      Region(
        x: region.x - left, y: region.y - top, width: region.size.width + left + right,
        height: region.size.height + top + bottom
      ).intersection(Region(size: size))
    }
  }

  /// A square with `radius` columns and rows to each side.
  package static func square(radius: Int) -> Footprint {
    .window(left: radius, top: radius, right: radius, bottom: radius)
  }
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
