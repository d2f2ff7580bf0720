internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// `histogram_extrema.comp` for one kind of source.
struct ExtremaFunction: Hashable, Sendable {
  var channels: Int
  /// Nil where samples are looked at as they are.
  var luma: CountedLuma?
  var format: PixelFormat

  init(channels: Int, luma: CountedLuma?, format: PixelFormat) {
    self.channels = channels
    self.luma = luma
    self.format = format
  }

  init(_ info: HistogramInfo, _ format: PixelFormat) {
    let luma = info.luma(of: format)
    self.init(channels: luma == nil ? format.samplesPerPixel : 1, luma: luma, format: format)
  }

  var pipeline: ComputePipelineState { Self.library[self] }

  private static let library = PipelineLibrary<ExtremaFunction, ComputePipelineState> { function in
    let reading = HistogramFunction.reading(function.format)
    return ComputePipelineState(
      ShaderFunction(
        name: "histogram_extrema",
        assembly: ShaderAssembly(
          reading.texts + [.histogramExtrema],
          constants: reading.constants + [
            ShaderAssembly.Constant("CHANNELS", function.channels),
            ShaderAssembly.Constant("COUNTS_LUMA", function.luma?.rawValue ?? 0),
          ]),
        arguments: [.sampledTexture(0), .storageBuffer(1), .bytes(2)], twin: function.twin))
  }

  /// The twin of `histogram_extrema.comp`.
  var twin: ShaderTwin {
    ShaderTwin { arguments in
      let words = arguments.words(2)
      let area = Region(x: Int(words[0]), y: Int(words[1]), width: Int(words[2]), height: Int(words[3]))
      var least = SIMD4<UInt32>.zero
      var greatest = SIMD4<UInt32>.zero
      func see(_ sample: UInt32, _ channel: Int) {
        least[channel] = max(least[channel], ~sample)
        greatest[channel] = max(greatest[channel], sample)
      }
      let source = arguments.texture(0)
      switch (format.sampleKind, format.bytesPerSample) {
      case (.float, _):
        source.forEachFloat(in: area) { value, channel in
          if !value.isNaN { see(FloatKey.key(value), channel) }
        }
      case (_, 1): forEachSample(of: UInt8.self, source, area, see)
      default: forEachSample(of: UInt16.self, source, area, see)
      }
      unsafe arguments.buffer(1).withWords { words in
        for channel in 0..<channels {
          unsafe words[channel] = max(words[channel], least[channel])
          unsafe words[4 + channel] = max(words[4 + channel], greatest[channel])
        }
      }
    }
  }

  private func forEachSample<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    of type: Sample.Type, _ source: TextureMemory, _ area: Region, _ see: (UInt32, Int) -> Void
  ) {
    let samples = format.samplesPerPixel
    unsafe source.withSamples(of: type) { pixels in
      for y in area.y..<area.y + area.size.height {
        let first = (y * source.size.width + area.x) * samples
        for pixel in stride(from: first, to: first + area.size.width * samples, by: samples) {
          if let luma {
            let value = unsafe luma.luma(
              UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
            see(value, 0)
          } else {
            for channel in 0..<samples { see(unsafe UInt32(pixels[pixel + channel]), channel) }
          }
        }
      }
    }
  }
}
