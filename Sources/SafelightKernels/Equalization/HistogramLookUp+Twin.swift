internal import SafelightGPU
internal import SafelightImage

extension HistogramLookUp {
  /// The twin of `equalization_apply.glsl`.
  static func twin(bins: HistogramBins, planes: Int, usesLuma: Bool, format: PixelFormat) -> PointFunction.Twin {
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
    let size = source.size
    let samples = source.pixelFormat.samplesPerPixel
    let plane = Int(Sample.max) + 1
    unsafe values.withUnsafeBufferPointer { values in
      unsafe source.withSamples(of: type) { source in
        unsafe destination.withMutableSamples(of: type) { destination in
          let (source, destination) = unsafe (source, destination)
          let pixels = size.width * samples
          RowBands(size).concurrently { _, rows in
            let range = rows.lowerBound * pixels..<rows.upperBound * pixels
            if usesLuma {
              unsafe applyLuma(values, source, destination, range)
            } else if samples < 4 {
              for index in range {
                let (channel, value) = unsafe (index % samples, source[index])
                unsafe destination[index] = unsafe channel < planes ? values[channel * plane + Int(value)] : value
              }
            } else {
              unsafe applyEach(values, source, destination, range, planes: planes)
            }
          }
        }
      }
    }
  }

  private static func applyEach<Sample: FixedWidthInteger & UnsignedInteger>(
    _ values: UnsafeBufferPointer<Sample>, _ source: UnsafeBufferPointer<Sample>,
    _ destination: UnsafeMutableBufferPointer<Sample>, _ range: Range<Int>, planes: Int
  ) {
    let plane = Int(Sample.max) + 1
    for pixel in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      unsafe destination[pixel] = unsafe values[Int(source[pixel])]
      unsafe destination[pixel + 1] = unsafe values[plane + Int(source[pixel + 1])]
      unsafe destination[pixel + 2] = unsafe values[2 * plane + Int(source[pixel + 2])]
      let alpha = unsafe source[pixel + 3]
      unsafe destination[pixel + 3] = unsafe planes == 4 ? values[3 * plane + Int(alpha)] : alpha
    }
  }

  private static func applyLuma<Sample: FixedWidthInteger & UnsignedInteger>(
    _ values: UnsafeBufferPointer<Sample>, _ source: UnsafeBufferPointer<Sample>,
    _ destination: UnsafeMutableBufferPointer<Sample>, _ range: Range<Int>
  ) {
    let maximum = Int32(Sample.max)
    for pixel in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
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
    return unsafe table.withSamples(of: UInt16.self) { table in
      unsafe [Sample](unsafeUninitializedCapacity: planes * count) { values, initialized in
        for plane in 0..<planes {
          let isEmpty = unsafe table[bins.entries * 4 + plane] != 0
          for value in 0..<count {
            let entry = unsafe table[bins.bin(UInt32(value), plane: plane) * 4 + plane]
            unsafe values.initializeElement(
              at: plane * count + value, to: isEmpty ? Sample(value) : Sample(truncatingIfNeeded: entry))
          }
        }
        initialized = planes * count
      }
    }
  }
}
