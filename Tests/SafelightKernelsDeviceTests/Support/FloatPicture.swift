import SafelightGPU
import SafelightImage

/// Halves or floats on their way to a texture, with what is hard about floats among them.
struct FloatPicture: CustomStringConvertible {
  let size: Size
  let format: PixelFormat
  /// Pixel after pixel, as the texture holds them.
  let samples: [Float]

  var description: String { "\(size) \(format.rawValue)" }

  /// `special` values first, then numbers drawn from `range`.
  init(_ size: Size, _ format: PixelFormat, in range: ClosedRange<Float>, special: [Float] = FloatPicture.special) {
    self.size = size
    self.format = format
    var state: UInt64 = 20
    let drawn = (0..<size.area * format.samplesPerPixel).map { index -> Float in
      if index < special.count { return special[index] }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + (range.upperBound - range.lowerBound) * Float(state >> 40) / Float(1 << 24)
    }
    samples = format.bytesPerSample == 4 ? drawn : drawn.map { PixelFormat.float(halfBits: PixelFormat.halfBits($0)) }
  }

  static let formats: [PixelFormat] = [.r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float, .rgba32Float]

  static let special: [Float] = [
    .nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
    -.leastNormalMagnitude, .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    Float(bitPattern: 0xFFC0_0001), 1, Float(1).nextDown, Float(1).nextUp, 0.5, Float(0.5).nextDown, 0.25, 0.75, -1, 2,
    65504, -65504,
  ]

  var bytes: [UInt8] {
    format.bytesPerSample == 4
      ? samples.withUnsafeBytes { Array($0) }
      : samples.map { PixelFormat.halfBits($0) }.withUnsafeBytes { Array($0) }
  }

  func channel(_ number: Int) -> [Float] {
    stride(from: number, to: samples.count, by: format.samplesPerPixel).map { samples[$0] }
  }

  func source(_ batch: Batch) throws -> Texture {
    let texture = try batch.device.makeTexture(size, format)
    batch.blit { $0.write(bytes, to: texture) }
    return texture
  }

  /// The histogram by its documentation; ranges must be multiples of 2⁻³², so that no edge but 0 is nearer to 0 than
  /// 2⁻⁵⁰.
  func expectedCounts(
    _ info: HistogramRange, entries: Int, planes: Int, threshold: Float = -.infinity
  ) -> [Int] {
    var counts = [Int](repeating: 0, count: planes * entries)
    for plane in 0..<planes {
      for value in channel(plane) where !value.isNaN {
        let value = value.isSubnormal ? 0 : value
        if value >= threshold {
          counts[plane * entries + Self.entry(value, info.low[plane], info.high[plane], entries)] += 1
        }
      }
    }
    return counts
  }

  /// floor(entries · (v − low) / (high − low)) in whole numbers of 2⁻⁸⁰.
  static func entry(_ value: Float, _ low: Float, _ high: Float, _ entries: Int) -> Int {
    if value <= low { return 0 }
    if value >= high { return entries - 1 }
    let quotient = Int128(entries) * (fixed(value) - fixed(low)) / (fixed(high) - fixed(low))
    return min(Int(quotient), entries - 1)
  }

  private static func fixed(_ value: Float) -> Int128 {
    // What is nearer to 0 than any edge need only keep its side.
    abs(value) < 0x1p-56 ? (value > 0 ? 1 : value < 0 ? -1 : 0) : Int128(Double(value) * 0x1p80)
  }
}

/// The range of each channel.
struct HistogramRange {
  var low: SIMD4<Float>
  var high: SIMD4<Float>
}
