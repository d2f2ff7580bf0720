internal import SafelightGPU
internal import SafelightImage

/// The twin of `rgb_to_ycbcr`: the same sums, in integers of 64 bits.
struct RGBToYCbCrTwin {
  private let source: TextureMemory
  private let target: TextureMemory
  private let parameters: RGBToYCbCrParameters

  /// Nil where the bindings do not go together.
  init?(_ arguments: TwinArguments) {
    guard let target = arguments.colorAttachment,
      arguments.words(1).count * 4 >= MemoryLayout<RGBToYCbCrParameters>.size
    else { return nil }
    source = arguments.texture(0)
    self.target = target
    parameters = arguments.value(RGBToYCbCrParameters.self, 1)
    let (spacing, format) = (parameters.spacing, source.pixelFormat)
    guard format.samplesPerPixel != 2, format.bytesPerSample <= 2, format.sampleKind != .float,
      format.isColor, target.pixelFormat.isColor, target.pixelFormat.sampleKind != .float,
      target.pixelFormat.samplesPerPixel <= 2, target.pixelFormat.bytesPerSample == format.bytesPerSample,
      (1...2).contains(spacing.x), (1...2).contains(spacing.y), (0...8).contains(spacing.w),
      (0...65535).contains(spacing.z), Int(spacing.z) << Int(spacing.w) <= format.maximum,
      Self.sumToFour(parameters.columns), Self.sumToFour(parameters.rows),
      Self.holds(parameters.first, format.maximum), Self.holds(parameters.second, format.maximum)
    else { return nil }
  }

  /// True where the first three are weights of a sum that is divided by 4.
  private static func sumToFour(_ weights: SIMD4<Int32>) -> Bool {
    (0..<3).allSatisfy { (0...4).contains(weights[$0]) } && weights[0] + weights[1] + weights[2] == 4
  }

  /// True where no sum of samples up to `maximum` with these coefficients overflows.
  private static func holds(_ row: SIMD4<Int32>, _ maximum: Int) -> Bool {
    (0...65535).contains(row.w) && YCbCrCoding.holds(row, reach: SIMD3(repeating: 16 * maximum))
  }

  func run() {
    if target.pixelFormat.bytesPerSample == 1 { run(UInt8.self) } else { run(UInt16.self) }
  }

  private func run<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_ type: Sample.Type) {
    unsafe source.withSamples(of: type) { source in
      unsafe target.withMutableSamples(of: type) { target in unsafe fill(target, from: source) }
    }
  }

  private func fill<Sample: FixedWidthInteger & UnsignedInteger>(
    _ target: UnsafeMutableBufferPointer<Sample>, from source: UnsafeBufferPointer<Sample>
  ) {
    let (size, planeSize) = (self.source.size, self.target.size)
    let (samples, channels) = (self.source.pixelFormat.samplesPerPixel, self.target.pixelFormat.samplesPerPixel)
    let (green, blue) = samples == 4 ? (1, 2) : (0, 0)
    let rows = [parameters.first, parameters.second]
    let (largest, shift) = (Int(parameters.spacing.z), Int(parameters.spacing.w))
    for y in 0..<planeSize.height {
      for x in 0..<planeSize.width {
        let (firstX, firstY) = (Int(parameters.spacing.x) * x, Int(parameters.spacing.y) * y)
        var sum = SIMD3<Int>.zero
        for down in 0..<3 where parameters.rows[down] != 0 {
          let line = min(max(firstY + down - 1, 0), size.height - 1) * size.width
          for across in 0..<3 where parameters.columns[across] != 0 {
            let pixel = (line + min(max(firstX + across - 1, 0), size.width - 1)) * samples
            let weight = Int(parameters.columns[across] &* parameters.rows[down])
            let colors = unsafe SIMD3(Int(source[pixel]), Int(source[pixel + green]), Int(source[pixel + blue]))
            sum &+= weight &* colors
          }
        }
        for channel in 0..<channels {
          let row = rows[channel]
          let mixed = (Int(row.x) * sum.x + Int(row.y) * sum.y + Int(row.z) * sum.z + (1 << 22)) >> 23
          let sample = min(max(mixed + Int(row.w), 0), largest) << shift
          unsafe target[(y * planeSize.width + x) * channels + channel] = Sample(sample)
        }
      }
    }
  }
}
