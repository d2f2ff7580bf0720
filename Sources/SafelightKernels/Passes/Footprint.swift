package import SafelightImage

/// The pixels of an input on which a pixel of a pass's output depends.
public struct Footprint: Hashable, Sendable {
  package enum Extent: Hashable, Sendable {
    case pixel
    case window(left: Int, top: Int, right: Int, bottom: Int)
    case placed(Placement)
    case padded(Padding)
    case resampled(Resampling)
    case warped(Warp)
    case cell(PixelCells)
    case containingCell(PixelCells)
    case reduced(by: Size, reach: Int)
    case enlarged(by: Size, reach: Int)
    case whole
  }

  package let extent: Extent

  /// The pixel at the same position.
  public static let pixel = Footprint(extent: .pixel)

  /// A square with `radius` columns and rows to each side. What lies beyond the edges of a picture follows from
  /// ``ImageEdgeMode``.
  public static func square(radius: Int) -> Footprint { .window(columns: radius, rows: radius) }

  /// A rectangle with as many columns to the left as to the right, and as many rows above as below.
  public static func window(columns: Int, rows: Int) -> Footprint {
    .window(left: columns, top: rows, right: columns, bottom: rows)
  }

  /// The pixels up to so many columns and rows away.
  package static func window(left: Int, top: Int, right: Int, bottom: Int) -> Footprint {
    Footprint(extent: .window(left: left, top: top, right: right, bottom: bottom))
  }

  /// The pixels of which a picture that is turned, scaled and moved has the pixel.
  package static func placed(_ placement: Placement) -> Footprint { Footprint(extent: .placed(placement)) }

  /// The pixels of which a picture with columns and rows around it has the pixel.
  package static func padded(_ padding: Padding) -> Footprint { Footprint(extent: .padded(padding)) }

  /// The pixels of the cell that is made.
  static func cell(_ cells: PixelCells) -> Footprint { Footprint(extent: .cell(cells)) }

  /// The cell in which the pixel that is made lies.
  static func containingCell(_ cells: PixelCells) -> Footprint { Footprint(extent: .containingCell(cells)) }

  /// The pixels up to `reach` columns and rows from the position times `by`: the pass makes the picture smaller.
  package static func reduced(by: Size, reach: Int) -> Footprint { Footprint(extent: .reduced(by: by, reach: reach)) }

  /// The pixels up to `reach` columns and rows from the position divided by `by`: the pass makes the picture larger.
  package static func enlarged(by: Size, reach: Int) -> Footprint { Footprint(extent: .enlarged(by: by, reach: reach)) }

  /// Possibly every pixel, wherever the pixel that is made lies.
  package static let whole = Footprint(extent: .whole)

  /// That of a pass which halves a picture, of a window of five columns and rows.
  package static let halved = Footprint.reduced(by: Size(2, 2), reach: 2)
  /// That of a pass which doubles a picture.
  package static let doubled = Footprint.enlarged(by: Size(2, 2), reach: 1)

  /// Returns the pixels of a picture of `size` on which the pixels of `region` depend.
  package func needed(for region: Region, in size: Size) -> Region {
    switch extent {
    case .pixel: region
    case .whole: Region(size: size)
    case .placed(let placement): placement.source(of: region, in: size)
    case .padded(let padding): padding.source(of: region, in: size)
    case .resampled(let resampling): resampling.source(of: region, in: size)
    case .warped(let warp): warp.source(of: region, in: size)
    case .cell(let cells): cells.pixels(of: region)
    case .containingCell(let cells): cells.cells(of: region)
    case .window(let left, let top, let right, let bottom):
      Region(
        x: region.x - left, y: region.y - top, width: region.size.width + left + right,
        height: region.size.height + top + bottom
      ).intersection(Region(size: size))
    case .reduced(let by, let reach):
      Region(
        x: by.width * region.x - reach, y: by.height * region.y - reach,
        width: by.width * (region.size.width - 1) + 2 * reach + 1,
        height: by.height * (region.size.height - 1) + 2 * reach + 1
      ).intersection(Region(size: size))
    case .enlarged(let by, let reach):
      Region(
        from: (region.x / by.width - reach, region.y / by.height - reach),
        through: (
          (region.x + region.size.width - 1) / by.width + reach, (region.y + region.size.height - 1) / by.height + reach
        )
      ).intersection(Region(size: size))
    }
  }

  /// Returns whether a pass with this footprint makes the pixels of `area` in a picture of `made` of one of `size`.
  func makes(_ area: Region, of made: Size, from size: Size) -> Bool {
    switch extent {
    case .pixel, .window: made == size
    case .placed, .resampled: Region(size: size).contains(needed(for: area, in: size))
    case .padded(let padding): padding.size == made
    case .cell(let cells): cells.size == made && cells.region.isInside(size)
    case .containingCell(let cells): cells.size == size && cells.region.contains(area)
    case .reduced(let by, _): size.dividedCovering(by) == made
    case .enlarged(let by, _): made.dividedCovering(by) == size
    case .warped, .whole: true
    }
  }

  /// True if a pixel depends on the one at its own position.
  var isInPlace: Bool {
    switch extent {
    case .pixel, .window: true
    case .placed, .padded, .resampled, .warped, .cell, .containingCell, .reduced, .enlarged, .whole: false
    }
  }

  /// True if it has a size, which does not follow from where pixels lie.
  var isWindow: Bool {
    switch extent {
    case .window, .resampled, .cell, .reduced, .enlarged: true
    case .pixel, .placed, .padded, .warped, .containingCell, .whole: false
    }
  }

  /// True if the input's rows are columns of the output.
  var exchangesAxes: Bool {
    if case .placed(let placement) = extent { placement.orientation.exchangesAxes } else { false }
  }
}

extension Size {
  /// Half of the size, odd sides upward.
  var halved: Size { dividedCovering(Size(2, 2)) }
}

extension Region {
  /// The rectangle whose opposite corners are two pixels.
  init(from one: (x: Int, y: Int), through other: (x: Int, y: Int)) {
    let (left, top) = (min(one.x, other.x), min(one.y, other.y))
    self.init(x: left, y: top, width: max(one.x, other.x) - left + 1, height: max(one.y, other.y) - top + 1)
  }

  /// Returns whether every pixel of `other` lies in this rectangle.
  package func contains(_ other: Region) -> Bool { intersection(other) == other }
}
