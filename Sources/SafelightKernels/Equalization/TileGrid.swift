internal import SafelightImage

/// A picture under a grid of tiles.
struct TileGrid: Sendable {
  let columns: TileAxis
  let rows: TileAxis

  init(_ size: Size, columns: Int, rows: Int) {
    let isLengthened = size.width % columns != 0 || size.height % rows != 0
    self.columns = TileAxis(length: size.width, tiles: columns, isLengthened: isLengthened)
    self.rows = TileAxis(length: size.height, tiles: rows, isLengthened: isLengthened)
  }

  /// The tiles of the grid.
  var count: Int { columns.tiles * rows.tiles }

  /// The pixels of a tile, reflected ones included.
  var tileArea: Int { columns.tileLength * rows.tileLength }

  /// What of a region of the picture each tile counts, in the region's own coordinates.
  func parts(of region: Region) -> [(tile: Int, area: Region)] {
    rows.runs.flatMap { row in
      columns.runs.compactMap { column in
        let area = Region(
          x: column.pixels.lowerBound, y: row.pixels.lowerBound, width: column.pixels.count, height: row.pixels.count
        ).intersection(region)
        if area.size.isEmpty { return nil }
        return (row.tile * columns.tiles + column.tile, area.translated(x: -region.x, y: -region.y))
      }
    }
  }

  /// The weights of a region's columns and rows as `clahe_apply.glsl` reads them: four rows of four samples of 16 bits.
  func weights(of region: Region) -> (size: Size, bytes: [UInt8]) {
    let size = Size(max(region.size.width, region.size.height), 4)
    var samples = [UInt16](repeating: 0, count: size.area * 4)
    func write(_ axis: TileAxis, _ pixels: Range<Int>, row: Int) {
      for (index, pixel) in pixels.enumerated() {
        let weight = axis.weight(pixel)
        let (first, second) = (weight.weights.0.bitPattern, weight.weights.1.bitPattern)
        let words = [
          UInt16(second >> 16), UInt16(second & 0xFFFF), UInt16(first >> 16), UInt16(first & 0xFFFF),
        ]
        let texel = (row * size.width + index) * 4
        samples.replaceSubrange(texel..<texel + 4, with: words)
        samples[texel + size.width * 4] = UInt16(weight.tiles.0)
        samples[texel + size.width * 4 + 1] = UInt16(weight.tiles.1)
      }
    }
    write(columns, region.x..<region.x + region.size.width, row: 0)
    write(rows, region.y..<region.y + region.size.height, row: 2)
    return (size, samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
  }
}
