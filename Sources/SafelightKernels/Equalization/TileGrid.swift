internal import SafelightImage

struct TileGrid: Sendable {
  let columns: TileAxis
  let rows: TileAxis

  init(_ size: Size, columns: Int, rows: Int) {
    let isLengthened = size.width % columns != 0 || size.height % rows != 0
    self.columns = TileAxis(length: size.width, tiles: columns, isLengthened: isLengthened)
    self.rows = TileAxis(length: size.height, tiles: rows, isLengthened: isLengthened)
  }

  var count: Int { columns.tiles * rows.tiles }
  /// The pixels of a tile, reflected ones included.
  var tileArea: Int { columns.tileLength * rows.tileLength }

  /// Returns the parts of a region that each tile counts.
  func parts(of region: Region) -> [(tile: Int, area: Region)] {
    rows.runs.flatMap { row in
      columns.runs.compactMap { column in
        let area = Region(
          x: column.pixels.lowerBound, y: row.pixels.lowerBound, width: column.pixels.count, height: row.pixels.count
        ).intersection(region)
        if area.size.isEmpty { return nil }
        return (row.tile * columns.tiles + column.tile, area)
      }
    }
  }

  /// The threadgroups that count: 64 columns and 64 rows of a tile each.
  var threadgroupsPerTile: Size { Size(columns.tileLength, rows.tileLength).dividedCovering(Size(64, 64)) }
  var threadgroups: Size {
    Size(columns.tiles * threadgroupsPerTile.width, rows.tiles * threadgroupsPerTile.height)
  }
}

/// The tiles and weights of the columns or the rows of a picture, for both bodies of ``TileLookUp``: 1024 side by side;
/// of each the bits of the weights of the second and of the first tile, high and low 16 bits, and below the numbers of
/// both tiles times `step`.
struct TileWeights: PassTable {
  let axis: TileAxis
  let step: Int

  private static let width = 1024
  var size: Size { Size(min(Self.width, axis.length), 2 * ((axis.length + Self.width - 1) / Self.width)) }

  func entries() -> [UInt16] {
    var samples = [UInt16](repeating: 0, count: size.area * 4)
    for place in 0..<axis.length {
      let (tiles, weights) = axis.weight(place)
      let (first, second) = (weights.0.bitPattern, weights.1.bitPattern)
      let entry = Self.entry(place, width: size.width) * 4
      let words = [UInt16(second >> 16), UInt16(second & 0xFFFF), UInt16(first >> 16), UInt16(first & 0xFFFF)]
      samples.replaceSubrange(entry..<entry + 4, with: words)
      samples[entry + size.width * 4] = UInt16(tiles.0 * step)
      samples[entry + size.width * 4 + 1] = UInt16(tiles.1 * step)
    }
    return samples
  }

  /// Returns the entry of a column or row in a table of so many columns; that below it is the second.
  static func entry(_ place: Int, width: Int) -> Int { 2 * (place / Self.width) * width + place % Self.width }
}

/// The layout of the tiles' look-up tables in their texture; the twin of `clahe_tables.glsl`.
struct TileTables: Hashable, Sendable {
  /// 8 or 16.
  let sampleBits: Int
  /// The channels that have tables, of a texel's four.
  let planes: Int

  var entries: Int { 1 << sampleBits }

  /// Returns the size of the texture for `tiles`: tile after tile, in rows of at most 2048 texels.
  func size(_ tiles: Int) -> Size {
    let columns = min(entries, 2048)
    return Size(columns, tiles * entries / columns)
  }

  /// Returns the words of the counts of `tiles`: tile after tile, plane after plane.
  func countWords(_ tiles: Int) -> Int { tiles * planes * entries }
}

/// The columns or the rows of a picture under a grid of tiles, as OpenCV's CLAHE lays it.
///
/// If the grid does not divide the picture, columns *and* rows are lengthened to the next multiple, by a whole one if
/// they were a multiple, with the picture's own, reflected without its edge: … c b a *b c*.
struct TileAxis: Hashable, Sendable {
  let length: Int
  let tiles: Int
  let tileLength: Int

  init(length: Int, tiles: Int, isLengthened: Bool) {
    self.length = length
    self.tiles = tiles
    tileLength = (isLengthened ? length + tiles - length % tiles : length) / tiles
  }

  /// The pixels that each tile counts, reflected ones by their origin: a pixel that fills two places is in two runs.
  var runs: [(tile: Int, pixels: Range<Int>)] {
    var runs: [(tile: Int, pixels: Range<Int>)] = []
    for tile in 0..<tiles {
      var run = 0..<0
      for place in tile * tileLength..<(tile + 1) * tileLength {
        let pixel = pixel(at: place)
        if pixel == run.upperBound, !run.isEmpty {
          run = run.lowerBound..<pixel + 1
        } else if pixel + 1 == run.lowerBound {
          run = pixel..<run.upperBound
        } else {
          if !run.isEmpty { runs.append((tile, run)) }
          run = pixel..<pixel + 1
        }
      }
      runs.append((tile, run))
    }
    return runs
  }

  /// Returns the pixel that fills a place of the lengthened axis.
  private func pixel(at place: Int) -> Int {
    guard length > 1 else { return 0 }
    let period = 2 * (length - 1)
    let phase = place % period
    return phase < length ? phase : period - phase
  }

  /// Returns the tiles between whose middles a pixel lies and their weights, in floats rounded after each step like
  /// OpenCV's.
  func weight(_ pixel: Int) -> (tiles: (Int, Int), weights: (Float, Float)) {
    let inverse = 1 / Float(tileLength)
    let place = Float(pixel) * inverse
    let middle = place - 0.5
    let first = middle.rounded(.down)
    let second = middle - first
    return ((max(Int(first), 0), min(Int(first) + 1, tiles - 1)), (1 - second, second))
  }
}
