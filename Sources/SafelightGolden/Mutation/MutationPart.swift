package import SafelightImage

/// The part of a picture in which damage is planted. Comparing it gives the figures of the whole picture in a fraction
/// of the time.
///
/// - A tile, the last column and the last row leave all other pixels alone. The part holds all of them, and as much
///   around them as the widest `window` covers; shares are of the whole picture's pixels, rows and columns. Every
///   integer metric has exactly the value that it has for the whole picture.
/// - A shift and opposite colors change pixels everywhere, so rows spread evenly over the picture stand for all. A row
///   of one color does not change when it is shifted: it counts, and another row is taken. Averages and shares are as
///   near to the whole picture's as those rows are. Opposite colors lie more than a quarter of the range away in every
///   pixel, which no useful tolerance allows in any row.
/// - SSIM and FLIP look at a pixel's surroundings and have no such sums, so the whole picture is compared, unless the
///   tolerance limits `max` too: damage is planted only if it exceeds that limit, and is then found whatever the other
///   terms say.
package struct MutationPart: Sendable {
  package let picture: Image
  /// The part's mask; nil if every pixel counts.
  package let mask: ImageMask?
  /// The size that shares refer to.
  let extent: Size
  /// The number of pixels of ``extent`` that count.
  let pixels: Int
  /// The number of pixels of the whole picture for each pixel of ``extent``.
  let weight: Double
  /// The tile in the picture's middle, in the part's coordinates.
  let tile: Region
  /// Pictures up to this many pixels are compared whole, since their parts would be as large.
  private static let smallArea = 128 * 128
  /// The least number of rows that stand for all.
  private static let rowCount = 16

  /// Cuts the part of `picture` for `damage`, or returns nil if that would change nothing.
  package init?(of picture: Image, mask: ImageMask?, for damage: Mutation, by tolerance: Tolerance) {
    let size = picture.size
    guard size.area > Self.smallArea, !tolerance.needsWholePictures else {
      self.init(whole: picture, mask)
      return
    }
    let reach = tolerance.reach
    let tile = Self.tile(of: size)
    switch damage.extent {
    case .tile: self.init(picture, mask, Self.region(around: tile, reach, size))
    case .column:
      let width = min(max(8, reach), size.width)
      self.init(picture, mask, Region(x: size.width - width, y: 0, width: width, height: size.height))
    case .row:
      let height = min(max(8, reach), size.height)
      self.init(picture, mask, Region(x: 0, y: size.height - height, width: size.width, height: height))
    case .everywhere:
      let rows = (0..<size.height).filter { row in
        mask?.hides(row: row) != true && (damage != .shift || !picture.isOfOneColor(row: row))
      }
      self.init(picture, mask, rows, max(Self.rowCount, reach))
    }
  }

  package init(whole picture: Image, _ mask: ImageMask?) {
    (self.picture, self.mask, extent, weight) = (picture, mask, picture.size, 1)
    pixels = picture.size.area - (mask?.hidden ?? 0)
    tile = Self.tile(of: picture.size)
  }

  /// Takes a rectangle outside of which nothing differs.
  private init(_ whole: Image, _ mask: ImageMask?, _ region: Region) {
    let columns = region.x..<region.x + region.size.width
    let rows = region.y..<region.y + region.size.height
    picture = whole.cut(columns, Array(rows))
    self.mask = mask?.cut(columns, Array(rows))
    (extent, weight) = (whole.size, 1)
    pixels = whole.size.area - (mask?.hidden ?? 0)
    tile = Self.tile(of: whole.size).translated(x: -region.x, y: -region.y)
  }

  /// Takes `count` of `rows`, which are all rows that differ.
  private init?(_ whole: Image, _ mask: ImageMask?, _ rows: [Int], _ count: Int) {
    guard !rows.isEmpty else { return nil }
    let count = min(count, rows.count)
    let taken = (0..<count).map { rows[(2 * $0 + 1) * rows.count / (2 * count)] }
    picture = whole.cut(0..<whole.size.width, taken)
    self.mask = mask?.cut(0..<whole.size.width, taken)
    weight = Double(rows.count) / Double(count)
    extent = Size(whole.size.width, Int((Double(whole.size.height) / weight).rounded()))
    pixels = max(1, Int((Double(whole.size.area - (mask?.hidden ?? 0)) / weight).rounded()))
    tile = Region(size: Size(0, 0))
  }

  /// Returns eight columns and rows in the middle, or fewer of a smaller picture.
  private static func tile(of size: Size) -> Region {
    Region(x: size.width / 16 * 8, y: size.height / 16 * 8, width: 8, height: 8).intersection(Region(size: size))
  }

  /// Returns `tile` with enough around it for a window of `reach` pixels.
  private static func region(around tile: Region, _ reach: Int, _ size: Size) -> Region {
    let (width, height) = (min(max(16, reach), size.width), min(max(16, reach), size.height))
    return Region(
      x: min(max(0, tile.x + tile.size.width - width), size.width - width),
      y: min(max(0, tile.y + tile.size.height - height), size.height - height), width: width, height: height)
  }
}

extension Tolerance {
  /// True if no part has the figures of its picture.
  var needsWholePictures: Bool {
    !terms.contains { $0.metric == .maximum } && terms.contains { $0.metric.looksAtSurroundings }
  }

  /// The edge of the widest window, or 0.
  fileprivate var reach: Int {
    terms.map { if case .window(let edge, _) = $0.metric { edge } else { 0 } }.max() ?? 0
  }
}

extension Image {
  /// Returns `columns` of `rows`, stacked.
  func cut(_ columns: Range<Int>, _ rows: [Int]) -> Image {
    let width = pixelFormat.bytesPerPixel
    var bytes: [UInt8] = []
    bytes.reserveCapacity(columns.count * rows.count * width)
    for row in rows {
      let start = row * bytesPerRow
      bytes += self.bytes[start + columns.lowerBound * width..<start + columns.upperBound * width]
    }
    return Image(size: Size(columns.count, rows.count), channels: channels, depth: depth, bytes: bytes, color: color)
  }

  /// Returns true if every pixel of `row` equals its neighbor.
  fileprivate func isOfOneColor(row: Int) -> Bool {
    let (start, end, pixel) = (row * bytesPerRow, (row + 1) * bytesPerRow, pixelFormat.bytesPerPixel)
    return bytes.hasSameBytes(in: start..<end - pixel, as: bytes, in: start + pixel..<end)
  }
}

extension ImageMask {
  /// Returns `columns` of `rows`, stacked.
  fileprivate func cut(_ columns: Range<Int>, _ rows: [Int]) -> ImageMask {
    ImageMask(
      size: Size(columns.count, rows.count),
      isHidden: rows.flatMap { isHidden[$0 * size.width + columns.lowerBound..<$0 * size.width + columns.upperBound] })
  }

  fileprivate func hides(row: Int) -> Bool { isHidden[row * size.width..<(row + 1) * size.width].allSatisfy { $0 } }
}
