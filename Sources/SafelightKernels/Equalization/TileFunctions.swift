internal import SafelightImage
internal import SafelightShaders

/// The samples that CLAHE's functions count: those of each channel, or luma.
struct TileVariant: Hashable, Sendable {
  let tables: TileTables
  let countsLuma: Bool

  init(_ format: PixelFormat, countsLuma: Bool) {
    self.countsLuma = countsLuma
    let planes = countsLuma ? 1 : min(format.samplesPerPixel, 3)
    tables = TileTables(sampleBits: format.depth.rawValue, planes: planes)
  }

  var planes: Int { tables.planes }
  var constants: [ShaderAssembly.Constant] { [.init("PLANES", planes), .init("COUNTS_LUMA", countsLuma)] }
}

/// The block `Tiles` of `clahe_count.glsl`.
struct TileCountBlock: BitwiseCopyable {
  /// Columns of tiles; columns and rows of threadgroups for a tile; rows of tiles.
  private let grid: SIMD4<UInt32>
  /// Columns and rows of a tile, and of the picture.
  private let sizes: SIMD4<UInt32>

  init(_ tiles: TileGrid) {
    let perTile = tiles.threadgroupsPerTile
    grid = SIMD4(
      UInt32(tiles.columns.tiles), UInt32(perTile.width), UInt32(perTile.height), UInt32(tiles.rows.tiles))
    sizes = SIMD4(
      UInt32(tiles.columns.tileLength), UInt32(tiles.rows.tileLength), UInt32(tiles.columns.length),
      UInt32(tiles.rows.length))
  }

  var tiles: TileGrid { TileGrid(Size(Int(sizes.z), Int(sizes.w)), columns: Int(grid.x), rows: Int(grid.w)) }
}

/// `clahe_count.glsl`: counts the pixels of tiles.
struct TileCountFunction: BuiltInPassFunction {
  let variant: TileVariant
  let countsVisible: Bool

  var name: String { "clahe_count" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] { variant.constants + [.init("COUNTS_VISIBLE", countsVisible)] }

  func make(_ memory: PassMemory) {
    switch memory.inputs[0].pixelFormat.depth {
    case .bits8: count(UInt8.self, memory)
    case .bits16: count(UInt16.self, memory)
    }
  }

  private func count<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let (source, counts) = unsafe (memory.inputs[0], memory.words)
    let (planes, entries) = (variant.planes, variant.tables.entries)
    let (countsLuma, countsVisible) = (variant.countsLuma, countsVisible)
    for (tile, area) in memory.block(TileCountBlock.self).tiles.parts(of: memory.region) {
      let first = variant.tables.countWords(tile)
      for y in area.y..<area.y + area.size.height {
        let pixels = unsafe source.row(type, x: area.x, y: y, count: area.size.width)
        for pixel in stride(from: 0, to: pixels.count, by: source.step) {
          if countsVisible, unsafe pixels[pixel + 3] == 0 { continue }
          if countsLuma {
            let luma = unsafe LumaWeights.bt601.luma(
              UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
            unsafe counts[first + Int(luma)] &+= 1
          } else {
            for plane in 0..<planes { unsafe counts[first + plane * entries + Int(pixels[pixel + plane])] &+= 1 }
          }
        }
      }
    }
  }
}

/// The block `Parameters` of `clahe_transform.glsl`.
struct TileTableBlock: BitwiseCopyable {
  /// The greatest count of a value; 2³² − 1 for no limit.
  let greatest: UInt32
  /// The bits of the maximum over the pixels of a tile.
  private let scaleBits: UInt32
  /// The pixels of a tile.
  let pixels: UInt32
  private let unused: UInt32 = 0

  init(_ tiles: TileGrid, clip: Double, entries: Int) {
    let limit = max(1, min(clip * Double(tiles.tileArea) / Double(entries), Double(UInt32.max)))
    greatest = clip > 0 ? UInt32(limit) : .max
    scaleBits = (Float(entries - 1) / Float(tiles.tileArea)).bitPattern
    pixels = UInt32(tiles.tileArea)
  }

  var scale: Float { Float(bitPattern: scaleBits) }
}

/// `clahe_transform.glsl`: makes the tables of tiles.
struct TileTableFunction: BuiltInPassFunction {
  let tables: TileTables
  /// True if tiles may have counted fewer pixels than they have.
  let countsVisible: Bool

  var name: String { "clahe_transform" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] {
    [.init("PLANES", tables.planes), .init("COUNTS_VISIBLE", countsVisible)]
  }

  func make(_ memory: PassMemory) {
    let (block, counts, entries) = unsafe (memory.block(TileTableBlock.self), memory.inputs[0].words, tables.entries)
    let texels = unsafe memory.output.entries()
    for tile in 0..<counts.count / tables.countWords(1) {
      for plane in 0..<tables.planes {
        let first = tables.countWords(tile) + plane * entries
        let table = unsafe texels + tile * entries
        let counts = unsafe UnsafeBufferPointer(rebasing: counts[first..<first + entries])
        var (greatest, scale) = (block.greatest, block.scale)
        if countsVisible {
          let total = unsafe min(counts.reduce(0, &+), block.pixels)
          if total == 0 {
            for entry in 0..<entries { unsafe table[entry][plane] = UInt16(entry) }
            continue
          }
          if greatest < .max { greatest = max(1, UInt32(UInt64(greatest) * UInt64(total) / UInt64(block.pixels))) }
          scale = Float(entries - 1) / Float(total)
        }
        unsafe fill(table, plane, counts, greatest: greatest, scale: scale)
      }
    }
  }

  /// Writes the table of one tile and plane. Sums of counts that no picture has wrap.
  private func fill(
    _ table: UnsafeMutablePointer<SIMD4<UInt16>>, _ plane: Int, _ counts: UnsafeBufferPointer<UInt32>, greatest: UInt32,
    scale: Float
  ) {
    let entries = UInt32(counts.count)
    let maximum = Float(entries - 1)
    var excess: UInt32 = 0
    if greatest < .max {
      for entry in 0..<counts.count { unsafe excess &+= counts[entry] &- min(counts[entry], greatest) }
    }
    let (batch, rest) = excess.quotientAndRemainder(dividingBy: entries)
    let stride = entries / max(rest, 1)
    var sum: UInt32 = 0
    var left = rest
    var next: UInt32 = 0
    for entry in 0..<entries {
      unsafe sum &+= min(counts[Int(entry)], greatest) &+ batch
      if left > 0 && entry == next {
        sum &+= 1
        left -= 1
        next += stride
      }
      unsafe table[Int(entry)][plane] = UInt16(min((Float(sum) * scale).rounded(.toNearestOrEven), maximum))
    }
  }
}

/// `clahe_apply.glsl`: looks samples or lumas up between tiles.
struct TileLookUp: BuiltInPassFunction {
  let variant: TileVariant

  var name: String { "clahe_apply" }
  var constants: [ShaderAssembly.Constant] { variant.constants }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: apply(UInt8.self, memory)
    case .bits16: apply(UInt16.self, memory)
    }
  }

  private func apply<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let region = memory.region
    let entries = variant.tables.entries
    let columns = Self.corners(
      memory.inputs[2], region.x..<region.x + region.size.width, entries: entries)
    let rows = Self.corners(memory.inputs[3], region.y..<region.y + region.size.height, entries: entries)
    let table = unsafe memory.inputs[1].entries()
    for (y, row) in zip(region.y..., rows) {
      unsafe applyRow(
        memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width),
        memory.output.row(type, x: region.x, y: y, count: region.size.width), samples: memory.output.step, table,
        columns, row)
    }
  }

  private func applyRow<Sample: UnsignedSample>(
    _ source: UnsafeMutableBufferPointer<Sample>, _ destination: UnsafeMutableBufferPointer<Sample>, samples: Int,
    _ table: UnsafeMutablePointer<SIMD4<UInt16>>, _ columns: [Corner], _ row: Corner
  ) {
    let (planes, countsLuma) = (variant.planes, variant.countsLuma)
    let maximum = Int32(Sample.max)
    var pixel = 0
    for column in columns {
      if countsLuma {
        let luma = unsafe LumaWeights.bt601.luma(
          UInt32(source[pixel]), UInt32(source[pixel + 1]), UInt32(source[pixel + 2]))
        let shift = unsafe Self.mean(table, Int(luma), plane: 0, column, row, maximum) - Int32(luma)
        for channel in pixel..<pixel + 3 {
          unsafe destination[channel] = unsafe Sample(min(max(Int32(source[channel]) + shift, 0), maximum))
        }
      } else {
        for plane in 0..<planes {
          unsafe destination[pixel + plane] = unsafe Sample(
            Self.mean(table, Int(source[pixel + plane]), plane: plane, column, row, maximum))
        }
      }
      if samples == 4 { unsafe destination[pixel + 3] = unsafe source[pixel + 3] }
      pixel += samples
    }
  }

  /// Returns the mean of the four tiles' entries, in floats like OpenCV's.
  @inline(__always)
  private static func mean(
    _ table: UnsafeMutablePointer<SIMD4<UInt16>>, _ value: Int, plane: Int, _ column: Corner, _ row: Corner,
    _ maximum: Int32
  ) -> Int32 {
    let upperLeft = unsafe Float(table[row.first + column.first + value][plane])
    let upperRight = unsafe Float(table[row.first + column.second + value][plane])
    let lowerLeft = unsafe Float(table[row.second + column.first + value][plane])
    let lowerRight = unsafe Float(table[row.second + column.second + value][plane])
    let above = upperLeft * column.weight0 + upperRight * column.weight1
    let below = lowerLeft * column.weight0 + lowerRight * column.weight1
    return min(Int32((above * row.weight0 + below * row.weight1).rounded(.toNearestOrEven)), maximum)
  }

  /// The tiles on both sides of a column or row, as places in the tables, and their weights.
  private struct Corner {
    let first: Int
    let second: Int
    let weight0: Float
    let weight1: Float
  }

  /// Returns the corners of some columns or rows, from a table of ``TileWeights``.
  private static func corners(_ weights: PictureMemory, _ places: Range<Int>, entries: Int) -> [Corner] {
    places.map { place in
      let entry = TileWeights.entry(place, width: weights.size.width)
      let (bits, tiles) = unsafe (weights.entries()[entry], weights.entries()[entry + weights.size.width])
      return Corner(
        first: Int(tiles.x) * entries, second: Int(tiles.y) * entries,
        weight0: Float(bitPattern: UInt32(bits.z) << 16 | UInt32(bits.w)),
        weight1: Float(bitPattern: UInt32(bits.x) << 16 | UInt32(bits.y)))
    }
  }
}
