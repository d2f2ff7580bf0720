internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// How the look-up tables of tiles lie in their texture; the twin of `clahe_tables.glsl`.
struct TileTables: Hashable, Sendable {
  /// 8 or 16.
  let sampleBits: Int
  /// Channels that have tables; a texel has four.
  let planes: Int

  /// One for each value of a sample.
  var entries: Int { 1 << sampleBits }

  /// The texture for so many tiles: tile after tile, in rows of 2048 texels at most.
  func size(_ tiles: Int) -> Size {
    let columns = min(entries, 2048)
    return Size(columns, tiles * entries / columns)
  }

  /// Words of the counts of so many tiles: tile after tile, plane after plane.
  func countWords(_ tiles: Int) -> Int { tiles * planes * entries }
}

extension ImageContrastLimitedEqualization {
  /// A function's variant: what it reads.
  struct Variant: Hashable, Sendable {
    let format: PixelFormat
    let countsLuma: Bool

    /// The parts that one dispatch counts.
    static let partsPerDispatch = 64

    var planes: Int { countsLuma ? 1 : min(format.samplesPerPixel, 3) }

    var tables: TileTables { TileTables(sampleBits: format.bytesPerSample * 8, planes: planes) }

    var constants: [ShaderAssembly.Constant] {
      [ShaderAssembly.Constant("PLANES", planes), ShaderAssembly.Constant("COUNTS_LUMA", countsLuma)]
    }

    /// The block `Parts`, as long as it is declared.
    func block(_ parts: some Collection<(tile: Int, area: Region)>) -> [UInt8] {
      var words = parts.flatMap { part in
        [
          part.area.x, part.area.y, part.area.size.width, part.area.size.height, tables.countWords(part.tile), 0, 0, 0,
        ].map { UInt32($0) }
      }
      words += [UInt32](repeating: 0, count: (Self.partsPerDispatch - parts.count) * 8)
      return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    }
  }
}
