internal import SafelightGPU
internal import SafelightImage

extension ImageContrastLimitedEqualization {
  // MARK: Counts

  /// The twin of `clahe_count.comp`.
  static func countTwin(_ variant: Variant) -> ShaderTwin {
    ShaderTwin { arguments in
      switch variant.format.bytesPerSample {
      case 1: count(UInt8.self, arguments, variant)
      default: count(UInt16.self, arguments, variant)
      }
    }
  }

  private static func count<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ arguments: TwinArguments, _ variant: Variant
  ) {
    let source = arguments.texture(0)
    let parts = arguments.words(2)
    let samples = variant.format.samplesPerPixel
    let (planes, entries) = (variant.planes, variant.tables.entries)
    unsafe source.withSamples(of: type) { pixels in
      unsafe arguments.buffer(1).withWords { counts in
        for part in stride(from: 0, to: arguments.depth * 8, by: 8) {
          let (x, y, width, height) = (
            Int(parts[part]), Int(parts[part + 1]), Int(parts[part + 2]), Int(parts[part + 3])
          )
          let first = Int(parts[part + 4])
          for row in y..<y + height {
            let begin = (row * source.size.width + x) * samples
            for pixel in stride(from: begin, to: begin + width * samples, by: samples) {
              if variant.countsLuma {
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

  // MARK: Tables

  /// The twin of `clahe_transform.comp`.
  static func transformTwin(_ tables: TileTables) -> ShaderTwin {
    ShaderTwin { arguments in
      let words = arguments.words(2)
      let scale = Float(bitPattern: words[1])
      unsafe arguments.buffer(0).withWords { counts in
        unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { texels in
          for tile in 0..<arguments.grid.width / 64 {
            for plane in 0..<tables.planes {
              let first = tables.countWords(tile) + plane * tables.entries
              let texel = tile * tables.entries * 4 + plane
              unsafe fill(
                UnsafeMutableBufferPointer(rebasing: texels[texel...]),
                UnsafeBufferPointer(rebasing: counts[first..<first + tables.entries]), greatest: words[0], scale: scale)
            }
          }
        }
      }
    }
  }

  /// Writes the table of one tile and plane into every fourth sample. Sums of counts that no picture has wrap.
  private static func fill(
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

  // MARK: Look-up

  /// The twin of `clahe_apply.glsl`.
  static func applyTwin(_ variant: Variant) -> PointFunction.Twin {
    { arguments, source, destination in
      switch variant.format.bytesPerSample {
      case 1: apply(UInt8.self, arguments, source, destination, variant)
      default: apply(UInt16.self, arguments, source, destination, variant)
      }
    }
  }

  private static func apply<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory,
    _ variant: Variant
  ) {
    let size = source.size
    let samples = variant.format.samplesPerPixel
    let entries = variant.tables.entries
    let gridColumns = Int(arguments.words(4)[0])
    let columns = corners(arguments.texture(3), row: 0, count: size.width, tileStep: entries * 4)
    let rows = corners(arguments.texture(3), row: 2, count: size.height, tileStep: gridColumns * entries * 4)
    unsafe arguments.texture(2).withSamples(of: UInt16.self) { table in
      unsafe source.withSamples(of: type) { source in
        unsafe destination.withMutableSamples(of: type) { destination in
          RowBands(size).concurrently { _, band in
            for y in band {
              unsafe applyRow(
                UnsafeBufferPointer(rebasing: source[y * size.width * samples..<(y + 1) * size.width * samples]),
                UnsafeMutableBufferPointer(rebasing: destination[(y * size.width * samples)...]), table, columns,
                rows[y], variant)
            }
          }
        }
      }
    }
  }

  private static func applyRow<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ source: UnsafeBufferPointer<Sample>, _ destination: UnsafeMutableBufferPointer<Sample>,
    _ table: UnsafeBufferPointer<UInt16>, _ columns: [Corner], _ row: Corner, _ variant: Variant
  ) {
    let samples = variant.format.samplesPerPixel
    let maximum = Int32(Sample.max)
    var pixel = 0
    for column in columns {
      if variant.countsLuma {
        let luma = unsafe LumaWeights.bt601.luma(
          UInt32(source[pixel]), UInt32(source[pixel + 1]), UInt32(source[pixel + 2]))
        let shift = unsafe mean(table, Int(luma), plane: 0, column, row, maximum) - Int32(luma)
        for channel in pixel..<pixel + 3 {
          unsafe destination[channel] = unsafe Sample(min(max(Int32(source[channel]) + shift, 0), maximum))
        }
      } else {
        for plane in 0..<variant.planes {
          unsafe destination[pixel + plane] = unsafe Sample(
            mean(table, Int(source[pixel + plane]), plane: plane, column, row, maximum))
        }
      }
      if samples == 4 { unsafe destination[pixel + 3] = unsafe source[pixel + 3] }
      pixel += samples
    }
  }

  /// In floats, as OpenCV does.
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
