internal import SafelightGPU
internal import SafelightImage

extension ImageHistogramEqualization {
  /// The twin of `equalization_transform.comp`.
  static func transformTwin(rule: Rule, entries: Int, planes: Int, sampleBits: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let first = Int(arguments.words(2)[0])
      let counts = unsafe arguments.buffer(0).withWords { words in
        (0..<planes).map { unsafe Array(words[(first + $0 * entries)..<(first + ($0 + 1) * entries)]) }
      }
      switch sampleBits {
      case 8: fill(UInt8.self, arguments.texture(1), counts, entries: entries, rule: rule)
      default: fill(UInt16.self, arguments.texture(1), counts, entries: entries, rule: rule)
      }
    }
  }

  private static func fill<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ table: TextureMemory, _ counts: [[UInt32]], entries: Int, rule: Rule
  ) {
    let last: Int = (0..<entries).last { entry in counts.contains { $0[entry] > 0 } } ?? 0
    unsafe table.withMutableSamples(of: type) { table in
      for plane in 0..<4 {
        let outputs =
          plane < counts.count ? rule.table(counts[plane], maximum: UInt64(Sample.max), last: last) : nil
        for entry in 0..<(plane < counts.count ? entries : 0) {
          unsafe table[entry * 4 + plane] = Sample(truncatingIfNeeded: outputs?[entry] ?? UInt64(entry))
        }
        unsafe table[entries * 4 + plane] = outputs == nil ? 1 : 0
      }
    }
  }

  /// The twin of `equalization_apply.glsl`.
  static func applyTwin(bins: HistogramBins, planes: Int, usesLuma: Bool, format: PixelFormat) -> PointKernel.Twin {
    { arguments, source, destination in
      switch format.bytesPerSample {
      case 1:
        apply(
          UInt8.self, table: arguments.texture(2), source, destination, bins: bins, planes: planes, usesLuma: usesLuma)
      default:
        apply(
          UInt16.self, table: arguments.texture(2), source, destination, bins: bins, planes: planes, usesLuma: usesLuma)
      }
    }
  }

  private static func apply<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, table: TextureMemory, _ source: TextureMemory, _ destination: TextureMemory,
    bins: HistogramBins, planes: Int, usesLuma: Bool
  ) {
    let values = outputs(type, table: table, bins: bins, planes: planes)
    let samples = source.pixelFormat.samplesPerPixel
    let plane = Int(Sample.max) + 1
    unsafe values.withUnsafeBufferPointer { values in
      unsafe source.withSamples(of: type) { source in
        unsafe destination.withMutableSamples(of: type) { destination in
          if usesLuma {
            unsafe applyLuma(values, source, destination)
          } else if samples == 1 {
            for index in 0..<source.count { unsafe destination[index] = unsafe values[Int(source[index])] }
          } else {
            for pixel in stride(from: 0, to: source.count, by: 4) {
              unsafe destination[pixel] = unsafe values[Int(source[pixel])]
              unsafe destination[pixel + 1] = unsafe values[plane + Int(source[pixel + 1])]
              unsafe destination[pixel + 2] = unsafe values[2 * plane + Int(source[pixel + 2])]
              let alpha = unsafe source[pixel + 3]
              unsafe destination[pixel + 3] = unsafe planes == 4 ? values[3 * plane + Int(alpha)] : alpha
            }
          }
        }
      }
    }
  }

  private static func applyLuma<Sample: FixedWidthInteger & UnsignedInteger>(
    _ values: UnsafeBufferPointer<Sample>, _ source: UnsafeBufferPointer<Sample>,
    _ destination: UnsafeMutableBufferPointer<Sample>
  ) {
    let maximum = Int32(Sample.max)
    for pixel in stride(from: 0, to: source.count, by: 4) {
      let luma = unsafe LumaWeights.bt601.luma(
        UInt32(source[pixel]), UInt32(source[pixel + 1]), UInt32(source[pixel + 2]))
      let shift = unsafe Int32(values[Int(luma)]) - Int32(luma)
      for channel in pixel..<pixel + 3 {
        unsafe destination[channel] = unsafe Sample(min(max(Int32(source[channel]) + shift, 0), maximum))
      }
      unsafe destination[pixel + 3] = unsafe source[pixel + 3]
    }
  }

  /// What becomes of each sample value, plane after plane: the entry of its bin, or itself.
  private static func outputs<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, table: TextureMemory, bins: HistogramBins, planes: Int
  ) -> [Sample] {
    let count = Int(Sample.max) + 1
    return unsafe table.withSamples(of: type) { table in
      unsafe [Sample](unsafeUninitializedCapacity: planes * count) { values, initialized in
        for plane in 0..<planes {
          let isEmpty = unsafe table[bins.entries * 4 + plane] != 0
          for value in 0..<count {
            let entry = unsafe table[bins.bin(UInt32(value), plane: plane) * 4 + plane]
            unsafe values.initializeElement(at: plane * count + value, to: isEmpty ? Sample(value) : entry)
          }
        }
        initialized = planes * count
      }
    }
  }
}
