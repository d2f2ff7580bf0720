internal import SafelightGPU
internal import SafelightImage

extension HistogramFunction {
  /// The twin of all three `histogram_….comp`.
  var twin: ShaderTwin {
    ShaderTwin { arguments in
      let words = arguments.words(2)
      let area = Region(
        x: Int(Int32(bitPattern: words[0])), y: Int(Int32(bitPattern: words[1])), width: Int(words[2]),
        height: Int(words[3]))
      let threshold = SIMD4(words[8], words[9], words[10], words[11])
      let source = arguments.texture(0)
      unsafe arguments.buffer(1).withWords { counts in
        let counts = unsafe UnsafeMutableBufferPointer(rebasing: counts[Int(words[4])...])
        switch (format.sampleKind, format.bytesPerSample) {
        case (.float, _): unsafe countFloats(source, area, edges(arguments), threshold, counts)
        case (_, 1): unsafe count(UInt8.self, source, area, bins(arguments), threshold, counts)
        default: unsafe count(UInt16.self, source, area, bins(arguments), threshold, counts)
        }
      }
    }
  }

  private func bins(_ arguments: TwinArguments) -> HistogramBins {
    if sorting == .values { return HistogramBins(entries: entries, low: .zero, high: .zero, areValues: true) }
    let (low, high) = arguments.value((SIMD4<UInt32>, SIMD4<UInt32>).self, 3)
    return HistogramBins(entries: entries, low: low, high: high, areValues: false)
  }

  private func edges(_ arguments: TwinArguments) -> [HistogramEdges] {
    unsafe arguments.texture(4).withSamples(of: UInt32.self) { keys in
      (0..<planes).map { plane in
        HistogramEdges(keys: unsafe Array(keys[plane * entries..<(plane + 1) * entries]))
      }
    }
  }

  private func count<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ source: TextureMemory, _ area: Region, _ bins: HistogramBins, _ threshold: SIMD4<UInt32>,
    _ counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    let samples = format.samplesPerPixel
    if bins.areValues && planes == 3 && samples == 4 && !hasThreshold && luma == nil {
      return unsafe ColorCounts.add(type, source, area, to: counts)
    }
    unsafe source.withSamples(of: type) { pixels in
      for y in area.y..<area.y + area.size.height {
        let first = (y * source.size.width + area.x) * samples
        let row = first..<first + area.size.width * samples
        if let luma {
          for pixel in stride(from: row.lowerBound, to: row.upperBound, by: 4) {
            let value = unsafe luma.luma(
              UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
            if value >= threshold[0] { unsafe counts[bins.bin(value, plane: 0)] &+= 1 }
          }
        } else {
          for pixel in stride(from: row.lowerBound, to: row.upperBound, by: samples) {
            for plane in 0..<planes {
              let value = unsafe UInt32(pixels[pixel + plane])
              if value >= threshold[plane] {
                unsafe counts[plane * entries + bins.bin(value, plane: plane)] &+= 1
              }
            }
          }
        }
      }
    }
  }

  private func countFloats(
    _ source: TextureMemory, _ area: Region, _ edges: [HistogramEdges], _ threshold: SIMD4<UInt32>,
    _ counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    source.forEachFloat(in: area) { value, channel in
      guard channel < planes else { return }
      let key = FloatKey.key(value)
      if key >= threshold[channel] { unsafe counts[channel * entries + edges[channel].bin(key)] &+= 1 }
    }
  }
}

extension TextureMemory {
  /// Visits the samples of an area of halves or floats, each with its channel.
  func forEachFloat(in area: Region, _ body: (Float, Int) -> Void) {
    let samples = pixelFormat.samplesPerPixel
    for y in area.y..<area.y + area.size.height {
      let first = (y * size.width + area.x) * samples
      let row = first..<first + area.size.width * samples
      if pixelFormat.bytesPerSample == 2 {
        unsafe withSamples(of: UInt16.self) { halves in
          for index in row { body(PixelFormat.float(halfBits: unsafe halves[index]), (index - first) % samples) }
        }
      } else {
        unsafe withSamples(of: Float.self) { floats in
          for index in row { body(unsafe floats[index], (index - first) % samples) }
        }
      }
    }
  }
}
