internal import SafelightGPU
internal import SafelightImage

extension ImageContrastLimitedEqualization {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("clahe_count", textures: [0], buffers: [1], bytes: [2]) { arguments, macros in
      guard let variant = variant(macros, arguments.texture(0).pixelFormat), partsFit(arguments, variant) else {
        return nil
      }
      return countTwin(variant)
    }
    twins.add("clahe_transform", stored: [1], buffers: [0], bytes: [2]) { arguments, macros in
      guard let tables = tables(macros), case let words = arguments.words(2), words.count >= 2,
        isScale(Float(bitPattern: words[1]), of: tables), tablesFit(arguments, tables)
      else { return nil }
      return transformTwin(tables)
    }
    twins.add(point: "clahe_apply", textures: [2, 3], bytes: [4], worksInBands: false) { format, arguments, macros in
      guard let variant = variant(macros, format), weightsFit(arguments, variant) else { return nil }
      return applyTwin(variant)
    }
  }

  private static func variant(_ macros: FunctionMacros, _ format: PixelFormat) -> Variant? {
    guard PixelFormat.pointFormats.contains(format), let countsLuma = macros[isSet: "COUNTS_LUMA"],
      !countsLuma || format.samplesPerPixel == 4
    else { return nil }
    let variant = Variant(format: format, countsLuma: countsLuma)
    return macros["PLANES", 1...3] == variant.planes ? variant : nil
  }

  private static func tables(_ macros: FunctionMacros) -> TileTables? {
    guard let planes = macros["PLANES", 1...3], let bits = macros["SAMPLE_BITS", 8...16], bits % 8 == 0 else {
      return nil
    }
    return TileTables(sampleBits: bits, planes: planes)
  }

  /// Whether every part lies in the source and its counts in the buffer.
  private static func partsFit(_ arguments: TwinArguments, _ variant: Variant) -> Bool {
    let parts = arguments.words(2)
    let count = unsafe arguments.buffer(1).withWords { $0.count }
    guard arguments.depth * 8 <= parts.count else { return false }
    return stride(from: 0, to: arguments.depth * 8, by: 8).allSatisfy { part in
      let words = parts[part..<part + 5].map { Int($0) }
      return Region(x: words[0], y: words[1], width: words[2], height: words[3]).isInside(arguments.texture(0).size)
        && words[4] + variant.tables.countWords(1) <= count
    }
  }

  /// Whether it can be the maximum over the pixels of a tile.
  private static func isScale(_ scale: Float, of tables: TileTables) -> Bool {
    scale.isNormal && scale > 0 && scale <= Float(tables.entries - 1)
  }

  /// Whether the buffer holds the counts, and the texture the tables, of as many tiles as there are threadgroups.
  private static func tablesFit(_ arguments: TwinArguments, _ tables: TileTables) -> Bool {
    let tiles = arguments.grid.width / 64
    let texture = arguments.texture(1)
    let count = unsafe arguments.buffer(0).withWords { $0.count }
    return tables.countWords(tiles) <= count && texture.pixelFormat == .rgba16Uint
      && texture.size.width == tables.size(1).width && texture.size.height >= tables.size(tiles).height
  }

  /// Whether there are weights for every pixel, between tiles that have tables, and none of them makes more than a sample.
  private static func weightsFit(_ arguments: TwinArguments, _ variant: Variant) -> Bool {
    let (tables, weights) = (arguments.texture(2), arguments.texture(3))
    let size = arguments.texture(0).size
    guard let columns = arguments.words(4).first.map({ Int($0) }), columns >= 1,
      tables.pixelFormat == .rgba16Uint, weights.pixelFormat == .rgba16Uint,
      tables.size.width == variant.tables.size(1).width, weights.size.height == 4,
      weights.size.width >= max(size.width, size.height)
    else { return false }
    let tiles = tables.size.height / variant.tables.size(1).height
    return unsafe weights.withSamples(of: UInt16.self) { samples in
      func fits(_ row: Int, _ count: Int, _ tiles: Int) -> Bool {
        (0..<count).allSatisfy { place in
          let bits = (row * weights.size.width + place) * 4
          let ofTiles = bits + weights.size.width * 4
          // Up to the bits of 1.
          return unsafe samples[bits] <= 0x3F80 && samples[bits + 2] <= 0x3F80 && samples[ofTiles] < tiles
            && samples[ofTiles + 1] < tiles
        }
      }
      return fits(0, size.width, min(columns, tiles)) && fits(2, size.height, tiles / columns)
    }
  }
}
