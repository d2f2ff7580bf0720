internal import SafelightGPU
internal import SafelightImage

extension HistogramLookUp {
  /// The twin of `equalization_gain.glsl`.
  static let gainTwin: PointFunction.Twin = { arguments, source, destination in
    let table = LevelTable(arguments.texture(2))
    let isGray = source.pixelFormat.samplesPerPixel < 4
    walkPixels(from: source, to: destination) { pixel, _ in
      let sample = UInt32(truncatingIfNeeded: pixel.x)
      if isGray {
        return pixel.replacing(
          with: SIMD4(truncatingIfNeeded: table.atLevel(SIMD4(repeating: sample), sample)),
          where: SIMDMask([true, false, false, false]))
      }
      let color = SIMD4<UInt32>(truncatingIfNeeded: pixel)
      var result = table.atLevel(color, CountedLuma.histeq.luma(color.x, color.y, color.z))
      result.w = color.w
      return SIMD4(truncatingIfNeeded: result)
    }
  }
}

/// The levels for lumas that a transform by ``ImageHistogramEqualization/Rule/ffmpeg`` left in a table.
private struct LevelTable {
  /// Those below 0 in two's complement.
  private let levels: [UInt32]
  /// Whether nothing was counted.
  private let isEmpty: Bool

  init(_ table: TextureMemory) {
    (levels, isEmpty) = unsafe table.withSamples(of: UInt16.self) { table in
      let levels = (0..<256).map { luma in
        unsafe UInt32(bitPattern: Int32(Int16(bitPattern: table[luma * 4])))
      }
      return unsafe (levels, table[256 * 4] != 0)
    }
  }

  /// `color` with its `luma` at the level of the table, its products modulo 2³² as ffmpeg's are.
  @inline(__always)
  func atLevel(_ color: SIMD4<UInt32>, _ luma: UInt32) -> SIMD4<UInt32> {
    if luma == 0 { return isEmpty ? color : .zero }
    let level = levels[Int(luma)]
    let brightest = max(color.x, color.y, color.z)
    if Int32(bitPattern: level) >= 0 && brightest &* level / luma > 255 { return color &* 255 / brightest }
    return (color &* level / luma) & 255
  }
}
