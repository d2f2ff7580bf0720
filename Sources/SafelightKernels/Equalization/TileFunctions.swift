internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// What the functions read: a format, and its channels or its luma.
struct TileVariant: Hashable, Sendable {
  let format: PixelFormat
  let countsLuma: Bool

  /// The parts that one dispatch counts.
  static let partsPerDispatch = 64

  fileprivate static func captured(_ call: CapturedCall, _ format: PixelFormat) -> TileVariant? {
    guard PixelFormat.pointFormats.contains(format), let countsLuma = call[isSet: "COUNTS_LUMA"],
      !countsLuma || format.samplesPerPixel == 4
    else { return nil }
    let variant = Self(format: format, countsLuma: countsLuma)
    return call["PLANES", 1...3] == variant.planes ? variant : nil
  }

  var planes: Int { countsLuma ? 1 : min(format.samplesPerPixel, 3) }
  var tables: TileTables { TileTables(sampleBits: format.bytesPerSample * 8, planes: planes) }
  var constants: [ShaderAssembly.Constant] { [.init("PLANES", planes), .init("COUNTS_LUMA", countsLuma)] }

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

/// `clahe_count.comp`: counts the pixels of tiles.
struct TileCountFunction: SampledFunction {
  var variant: TileVariant
  var countsVisible: Bool

  static let shaders = [ShaderSource.claheCount]
  var sources: [ShaderSource] { [.pixels, .claheCount] }
  var constants: [ShaderAssembly.Constant] {
    variant.format.sampleConstants + variant.constants + [
      .init("PARTS", TileVariant.partsPerDispatch), .init("COUNTS_VISIBLE", countsVisible),
    ]
  }
  var arguments: [ShaderArgument] { [.sampledTexture(0), .storageBuffer(1), .bytes(2)] }

  /// Every part must lie in the source and its counts in the buffer.
  static func captured(_ call: CapturedCall) -> Self? {
    let parts = call.words(2)
    guard let source = call.texture(0), let variant = TileVariant.captured(call, source.pixelFormat),
      let countsVisible = call.countsVisible(of: source.pixelFormat), call.arguments.depth * 8 <= parts.count,
      stride(from: 0, to: call.arguments.depth * 8, by: 8).allSatisfy({ part in
        Region(Array(parts[part..<part + 4])).isInside(source.size)
          && Int(parts[part + 4]) + variant.tables.countWords(1) <= call.wordCount(1)
      })
    else { return nil }
    return Self(variant: variant, countsVisible: countsVisible)
  }

  func run<Sample: UnsignedSample>(_ type: Sample.Type, _ arguments: TwinArguments) {
    let (source, parts) = (arguments.texture(0), arguments.words(2))
    let (samples, planes, entries) = (variant.format.samplesPerPixel, variant.planes, variant.tables.entries)
    let (countsLuma, countsVisible) = (variant.countsLuma, countsVisible)
    let counts = unsafe arguments.buffer(1).words
    unsafe source.withSamples(of: type) { pixels in
      for part in stride(from: 0, to: arguments.depth * 8, by: 8) {
        let area = Region(Array(parts[part..<part + 4]))
        let first = Int(parts[part + 4])
        for y in area.y..<area.y + area.size.height {
          let start = (y * source.size.width + area.x) * samples
          for pixel in stride(from: start, to: start + area.size.width * samples, by: samples) {
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
}

/// `clahe_transform.comp`: makes the tables of tiles.
struct TileTableFunction: KernelFunction {
  var tables: TileTables
  /// True if tiles may have counted fewer pixels than they have.
  var countsVisible: Bool

  static let shaders = [ShaderSource.claheTransform]
  var sources: [ShaderSource] { [.pixels, .claheTransform] }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("SAMPLE_BITS", tables.sampleBits), .init("PLANES", tables.planes),
      .init("COUNTS_VISIBLE", countsVisible),
    ]
  }
  var arguments: [ShaderArgument] { [.readBuffer(0), .storageTexture(1), .bytes(2)] }

  /// The scale must be one that the maximum over a tile's pixels can be, and each threadgroup needs counts and a table.
  static func captured(_ call: CapturedCall) -> Self? {
    let (words, tiles) = (call.words(2), call.arguments.grid.width / 64)
    guard let planes = call["PLANES", 1...3], let bits = call["SAMPLE_BITS", 8...16], bits % 8 == 0, words.count >= 3,
      let countsVisible = call[isSet: "COUNTS_VISIBLE"], !countsVisible || words[2] > 0,
      case let tables = TileTables(sampleBits: bits, planes: planes), case let scale = Float(bitPattern: words[1]),
      scale.isNormal && scale > 0 && scale <= Float(tables.entries - 1), let texture = call.texture(1),
      tables.countWords(tiles) <= call.wordCount(0), texture.pixelFormat == .rgba16Uint,
      texture.size.width == tables.size(1).width, texture.size.height >= tables.size(tiles).height
    else { return nil }
    return Self(tables: tables, countsVisible: countsVisible)
  }

  func run(_ arguments: TwinArguments) {
    let words = arguments.words(2)
    let counts = unsafe arguments.buffer(0).words
    unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { texels in
      for tile in 0..<arguments.grid.width / 64 {
        for plane in 0..<tables.planes {
          let first = tables.countWords(tile) + plane * tables.entries
          let texel = tile * tables.entries * 4 + plane
          let table = unsafe UnsafeMutableBufferPointer(rebasing: texels[texel...])
          let counts = unsafe UnsafeBufferPointer(rebasing: counts[first..<first + tables.entries])
          var (greatest, scale) = (words[0], Float(bitPattern: words[1]))
          if countsVisible {
            let total = unsafe min(counts.reduce(0, &+), words[2])
            if total == 0 {
              for entry in 0..<tables.entries { unsafe table[entry * 4] = UInt16(entry) }
              continue
            }
            if greatest < .max { greatest = max(1, UInt32(UInt64(greatest) * UInt64(total) / UInt64(words[2]))) }
            scale = Float(tables.entries - 1) / Float(total)
          }
          unsafe fill(table, counts, greatest: greatest, scale: scale)
        }
      }
    }
  }

  /// Writes the table of one tile and plane into every fourth sample. Sums of counts that no picture has wrap.
  private func fill(
    _ table: UnsafeMutableBufferPointer<UInt16>, _ counts: UnsafeBufferPointer<UInt32>, greatest: UInt32, scale: Float
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
      unsafe table[Int(entry) * 4] = UInt16(min((Float(sum) * scale).rounded(.toNearestOrEven), maximum))
    }
  }
}

/// `clahe_apply.glsl`: looks samples or lumas up between tiles.
struct TileLookUp: PointFunction {
  var variant: TileVariant
  var format: PixelFormat { variant.format }

  static let shaders = [ShaderSource.claheApply]
  static let worksInBands = false
  var constants: [ShaderAssembly.Constant] { variant.constants }
  var arguments: [ShaderArgument] { [.sampledTexture(2), .sampledTexture(3), .bytes(4)] }

  /// Every pixel needs weights that make no more than a sample, between tiles that have tables.
  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard let variant = TileVariant.captured(call, format), let size = call.texture(0)?.size,
      let tables = call.texture(2),
      let weights = call.texture(3), let columns = call.words(4).first.map({ Int($0) }), columns >= 1,
      tables.pixelFormat == .rgba16Uint, weights.pixelFormat == .rgba16Uint,
      tables.size.width == variant.tables.size(1).width, weights.size.height == 4,
      weights.size.width >= max(size.width, size.height)
    else { return nil }
    let tiles = tables.size.height / variant.tables.size(1).height
    let isSound = unsafe weights.withSamples(of: UInt16.self) { samples in
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
    return isSound ? Self(variant: variant) : nil
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    switch format.bytesPerSample {
    case 1: apply(UInt8.self, arguments, source, destination)
    default: apply(UInt16.self, arguments, source, destination)
    }
  }

  private func apply<Sample: UnsignedSample>(
    _ type: Sample.Type, _ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory
  ) {
    let size = source.size
    let samples = variant.format.samplesPerPixel
    let entries = variant.tables.entries
    let gridColumns = Int(arguments.words(4)[0])
    let columns = Self.corners(arguments.texture(3), row: 0, count: size.width, tileStep: entries * 4)
    let rows = Self.corners(arguments.texture(3), row: 2, count: size.height, tileStep: gridColumns * entries * 4)
    unsafe arguments.texture(2).withSamples(of: UInt16.self) { table in
      unsafe source.withSamples(of: type) { source in
        unsafe destination.withMutableSamples(of: type) { destination in
          RowBands(size).concurrently { _, band in
            for y in band {
              unsafe applyRow(
                UnsafeBufferPointer(rebasing: source[y * size.width * samples..<(y + 1) * size.width * samples]),
                UnsafeMutableBufferPointer(rebasing: destination[(y * size.width * samples)...]), table, columns,
                rows[y])
            }
          }
        }
      }
    }
  }

  private func applyRow<Sample: UnsignedSample>(
    _ source: UnsafeBufferPointer<Sample>, _ destination: UnsafeMutableBufferPointer<Sample>,
    _ table: UnsafeBufferPointer<UInt16>, _ columns: [Corner], _ row: Corner
  ) {
    let (samples, planes, countsLuma) = (variant.format.samplesPerPixel, variant.planes, variant.countsLuma)
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
    _ table: UnsafeBufferPointer<UInt16>, _ value: Int, plane: Int, _ column: Corner, _ row: Corner, _ maximum: Int32
  ) -> Int32 {
    let entry = value * 4 + plane
    let upperLeft = unsafe Float(table[row.first + column.first + entry])
    let upperRight = unsafe Float(table[row.first + column.second + entry])
    let lowerLeft = unsafe Float(table[row.second + column.first + entry])
    let lowerRight = unsafe Float(table[row.second + column.second + entry])
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

  private static func corners(_ weights: TextureMemory, row: Int, count: Int, tileStep: Int) -> [Corner] {
    unsafe weights.withSamples(of: UInt16.self) { samples in
      (0..<count).map { place in
        let bits = (row * weights.size.width + place) * 4
        let tiles = bits + weights.size.width * 4
        return unsafe Corner(
          first: Int(samples[tiles]) * tileStep, second: Int(samples[tiles + 1]) * tileStep,
          weight0: Float(bitPattern: UInt32(samples[bits + 2]) << 16 | UInt32(samples[bits + 3])),
          weight1: Float(bitPattern: UInt32(samples[bits]) << 16 | UInt32(samples[bits + 1])))
      }
    }
  }
}
