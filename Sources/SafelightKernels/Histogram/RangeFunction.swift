internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// What turns extrema into the range of a histogram: `histogram_range.comp` or `histogram_edges.comp`.
enum RangeFunction: Hashable, Sendable {
  case integers(sampleBits: Int)
  case edges(entries: Int)

  var pipeline: ComputePipelineState { Self.library[self] }

  private static let library = PipelineLibrary<RangeFunction, ComputePipelineState> { function in
    switch function {
    case .integers(let sampleBits):
      ComputePipelineState(
        ShaderFunction(
          name: "histogram_range",
          assembly: ShaderAssembly(
            [.histogramRange], constants: [ShaderAssembly.Constant("SAMPLE_BITS", sampleBits)]),
          arguments: [.readBuffer(0), .storageTexture(1), .storageBuffer(2), .bytes(3)], twin: function.twin))
    case .edges(let entries):
      ComputePipelineState(
        ShaderFunction(
          name: "histogram_edges",
          assembly: ShaderAssembly([.histogramEdges], constants: [ShaderAssembly.Constant("ENTRIES", entries)]),
          arguments: [.readBuffer(0), .storageTexture(1), .storageTexture(2), .bytes(3)], twin: function.twin))
    }
  }

  /// The twin of either.
  var twin: ShaderTwin {
    ShaderTwin { arguments in
      let (complements, greatest) = unsafe arguments.buffer(0).withWords { words in
        unsafe (SIMD4(words[0], words[1], words[2], words[3]), SIMD4(words[4], words[5], words[6], words[7]))
      }
      let (lowest, highest) = arguments.value((SIMD4<UInt32>, SIMD4<UInt32>).self, 3)
      switch self {
      case .integers(let bits):
        let least = (~complements).replacing(with: 0, where: complements .== 0)
        let low = pointwiseMax(least, lowest)
        let high = pointwiseMax(pointwiseMin(greatest, highest), low &+ 1)
        if bits == 8 {
          Self.store(SIMD4<UInt8>(truncatingIfNeeded: least), SIMD4(truncatingIfNeeded: greatest), arguments.texture(1))
        } else {
          Self.store(
            SIMD4<UInt16>(truncatingIfNeeded: least), SIMD4(truncatingIfNeeded: greatest), arguments.texture(1))
        }
        unsafe arguments.buffer(2).withWords { words in
          for channel in 0..<4 {
            unsafe words[channel] = low[channel]
            unsafe words[4 + channel] = high[channel]
          }
        }
      case .edges(let entries):
        let least = (~complements).replacing(with: FloatKey.zero, where: complements .== 0)
        let most = greatest.replacing(with: FloatKey.zero, where: complements .== 0)
        Self.store(Self.values(least), Self.values(most), arguments.texture(1))
        unsafe arguments.texture(2).withMutableSamples(of: UInt32.self) { edges in
          for plane in 0..<arguments.grid.height {
            let keys = HistogramEdges(
              low: FloatKey.value(max(least[plane], lowest[plane])),
              high: FloatKey.value(min(most[plane], highest[plane])), entries: entries
            ).keys
            for entry in 0..<entries { unsafe edges[plane * entries + entry] = keys[entry] }
          }
        }
      }
    }
  }

  private static func values(_ keys: SIMD4<UInt32>) -> SIMD4<Float> {
    SIMD4(FloatKey.value(keys[0]), FloatKey.value(keys[1]), FloatKey.value(keys[2]), FloatKey.value(keys[3]))
  }

  /// Stores two pixels at the head of a texture.
  private static func store<Sample: SIMDScalar & BitwiseCopyable>(
    _ first: SIMD4<Sample>, _ second: SIMD4<Sample>, _ texture: TextureMemory
  ) {
    unsafe texture.withMutableSamples(of: Sample.self) { samples in
      for channel in 0..<4 {
        unsafe samples[channel] = first[channel]
        unsafe samples[4 + channel] = second[channel]
      }
    }
  }
}
