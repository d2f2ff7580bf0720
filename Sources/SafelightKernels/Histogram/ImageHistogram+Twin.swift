internal import SafelightGPU
internal import SafelightImage

extension ImageHistogram {
  /// The twin of all three `histogram_….comp`.
  static func twin(planes: Int, countsLuma: Bool, bins: HistogramBins, format: PixelFormat) -> ShaderTwin {
    ShaderTwin { arguments in
      let words = arguments.words(2)
      let area = Region(
        x: Int(Int32(bitPattern: words[0])), y: Int(Int32(bitPattern: words[1])), width: Int(words[2]),
        height: Int(words[3]))
      let source = arguments.texture(0)
      let samples = format.samplesPerPixel
      unsafe arguments.buffer(1).withWords { counts in
        let counts = unsafe UnsafeMutableBufferPointer(rebasing: counts[Int(words[4])...])
        switch format.bytesPerSample {
        case 1:
          unsafe count(
            UInt8.self, source, area, samples: samples, planes: planes, countsLuma: countsLuma, bins: bins, counts)
        default:
          unsafe count(
            UInt16.self, source, area, samples: samples, planes: planes, countsLuma: countsLuma, bins: bins, counts)
        }
      }
    }
  }

  private static func count<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ source: TextureMemory, _ area: Region, samples: Int, planes: Int, countsLuma: Bool,
    bins: HistogramBins, _ counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    let entries = bins.entries
    unsafe source.withSamples(of: type) { pixels in
      for y in area.y..<area.y + area.size.height {
        let first = (y * source.size.width + area.x) * samples
        let row = first..<first + area.size.width * samples
        if countsLuma {
          for pixel in stride(from: row.lowerBound, to: row.upperBound, by: 4) {
            let luma = unsafe LumaWeights.bt601.luma(
              UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
            unsafe counts[bins.bin(luma, plane: 0)] &+= 1
          }
        } else if bins.areValues && planes == 3 {
          for pixel in stride(from: row.lowerBound, to: row.upperBound, by: 4) {
            unsafe counts[Int(pixels[pixel])] &+= 1
            unsafe counts[entries + Int(pixels[pixel + 1])] &+= 1
            unsafe counts[2 * entries + Int(pixels[pixel + 2])] &+= 1
          }
        } else {
          for pixel in stride(from: row.lowerBound, to: row.upperBound, by: samples) {
            for plane in 0..<planes {
              unsafe counts[plane * entries + bins.bin(UInt32(pixels[pixel + plane]), plane: plane)] &+= 1
            }
          }
        }
      }
    }
  }
}
