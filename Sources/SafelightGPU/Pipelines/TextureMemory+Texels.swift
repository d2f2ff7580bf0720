internal import SafelightImage

extension TextureMemory {
  /// The pixel at (`x`, `y`) as a shader's `texelFetch` gives it: values from 0 to 1 in normalised formats, sample values in all others;
  /// channels that the format lacks are 0, alpha 1 (ES 3.2 §15.2.1). Swizzles apply.
  public func texel(_ x: Int, _ y: Int) -> SIMD4<Float> {
    var values = SIMD4<Float>(0, 0, 0, 1)
    let count = pixelFormat.samplesPerPixel
    let first = (y * size.width + x) * count
    // Beside a depth lies a stencil, which is no channel.
    for channel in 0..<(pixelFormat.isColor ? count : 1) { values[channel] = sample(first + channel) }
    return descriptor.swizzle == [.red, .green, .blue, .alpha] ? values : swizzled(values)
  }

  /// Sets the pixel at (`x`, `y`); what lies outside 0 to 1 is cut in normalised formats, rounded to nearest.
  public func setTexel(_ value: SIMD4<Float>, _ x: Int, _ y: Int) {
    let count = pixelFormat.samplesPerPixel
    let width = pixelFormat.bytesPerSample
    let first = (y * size.width + x) * count
    for channel in 0..<count {
      let sample =
        pixelFormat.sampleKind == .integer
        ? integerBytes(value[channel]) : pixelFormat.bytes(ofSample: value[channel])
      let at = (first + channel) * width
      bytes.replaceSubrange(at..<at + width, with: sample)
    }
  }

  private func integerBytes(_ value: Float) -> [UInt8] {
    let word = UInt32(max(0, min(Double(pixelFormat.maximum), Double(value))))
    return (0..<pixelFormat.bytesPerSample).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }

  private func sample(_ index: Int) -> Float {
    switch (pixelFormat.sampleKind, pixelFormat.bytesPerSample) {
    case (.stencil, _): Float(bytes[index])
    case (.normalized, 1): Float(bytes[index]) / 255
    case (.normalized, _), (.depth, 2): unsafe withSamples(of: UInt16.self) { unsafe Float($0[index]) } / 65535
    case (.integer, 2): unsafe withSamples(of: UInt16.self) { unsafe Float($0[index]) }
    case (.integer, _): unsafe withSamples(of: UInt32.self) { unsafe Float($0[index]) }
    case (.float, 2): unsafe withSamples(of: UInt16.self) { unsafe PixelFormat.float(halfBits: $0[index]) }
    case (.float, _), (.depth, _): unsafe withSamples(of: Float.self) { unsafe $0[index] }
    }
  }

  private func swizzled(_ values: SIMD4<Float>) -> SIMD4<Float> {
    var result = SIMD4<Float>()
    for (channel, swizzle) in descriptor.swizzle.prefix(4).enumerated() {
      result[channel] =
        switch swizzle {
        case .red: values[0]
        case .green: values[1]
        case .blue: values[2]
        case .alpha: values[3]
        case .zero: 0
        case .one: 1
        }
    }
    return result
  }
}
