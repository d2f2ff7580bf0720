internal import SafelightImage

extension TextureMemory {
  /// Writes the mean of each pixel's samples to `target`, or of integers the first (ES 3.2 §16.2.1).
  func resolve(into target: TextureMemory) {
    let count = descriptor.sampleCount
    let channels = pixelFormat.samplesPerPixel
    for pixel in 0..<size.area {
      for channel in 0..<channels {
        let samples = (0..<count).map { sample in bits((pixel * count + sample) * channels + channel) }
        target.setBits(mean(samples), pixel * channels + channel)
      }
    }
  }

  private func mean(_ samples: [UInt32]) -> UInt32 {
    switch (pixelFormat.sampleKind, pixelFormat.bytesPerSample) {
    // Depths and stencils are never resolved.
    case (.integer, _), (.depth, _), (.stencil, _): samples[0]
    case (.normalized, _):
      (samples.reduce(0, +) + UInt32(samples.count / 2)) / UInt32(samples.count)
    case (.float, 2):
      UInt32(
        PixelFormat.halfBits(samples.reduce(0) { $0 + PixelFormat.float(halfBits: UInt16($1)) } / Float(samples.count)))
    case (.float, _):
      (samples.reduce(0) { $0 + Float(bitPattern: $1) } / Float(samples.count)).bitPattern
    }
  }

  private func bits(_ index: Int) -> UInt32 {
    let width = pixelFormat.bytesPerSample
    return (0..<width).reversed().reduce(0) { $0 << 8 | UInt32(bytes[index * width + $1]) }
  }

  private func setBits(_ bits: UInt32, _ index: Int) {
    let width = pixelFormat.bytesPerSample
    for byte in 0..<width { bytes[index * width + byte] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte)) }
  }
}
