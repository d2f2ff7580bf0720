internal import SafelightGLES
internal import SafelightImage

/// One attachment as the CPU writes it: blending, write mask and the format's rounding.
struct ColorTarget {
  let memory: TextureMemory
  let state: ColorAttachmentState
  let blendColor: SIMD4<Float>

  private var format: PixelFormat { memory.pixelFormat }

  /// Writes the colour that a fragment function made to the samples of a pixel whose bits are set.
  func write(_ words: SIMD4<UInt32>, _ x: Int, _ y: Int, samples: UInt32) {
    let count = memory.descriptor.sampleCount
    let pixel = (y * memory.size.width + x) * count
    for sample in 0..<count where samples & 1 << UInt32(sample) != 0 {
      write(words, at: (pixel + sample) * format.bytesPerPixel)
    }
  }

  private func write(_ words: SIMD4<UInt32>, at first: Int) {
    let samples = samples(words, first)
    for channel in 0..<format.samplesPerPixel where state.writeMask.contains(Self.channels[channel]) {
      let place = first + channel * format.bytesPerSample
      for byte in 0..<format.bytesPerSample {
        memory.bytes[place + byte] = UInt8(truncatingIfNeeded: samples[channel] >> UInt32(8 * byte))
      }
    }
  }

  private static let channels: [ColorWriteMask] = [.red, .green, .blue, .alpha]

  private func samples(_ words: SIMD4<UInt32>, _ first: Int) -> SIMD4<UInt32> {
    guard format.sampleKind != .integer else { return words }
    var color = SIMD4<Float>()
    for channel in 0..<4 { color[channel] = Float(bitPattern: words[channel]) }
    if state.isBlendingEnabled { color = blend(clamped(color), clamped(destination(first))) }
    var samples = SIMD4<UInt32>()
    for channel in 0..<4 { samples[channel] = format.bits(ofSample: color[channel]) }
    return samples
  }

  /// Fixed-point targets blend values from 0 to 1 (ES 3.2 §15.1.5).
  private func clamped(_ color: SIMD4<Float>) -> SIMD4<Float> {
    format.sampleKind == .normalized ? color.clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 1)) : color
  }

  /// The colour already there; what the format lacks is 0, 0, 0, 1.
  private func destination(_ first: Int) -> SIMD4<Float> {
    var color = SIMD4<Float>(0, 0, 0, 1)
    for channel in 0..<format.samplesPerPixel { color[channel] = format.float(ofBits: bits(first, channel)) }
    return color
  }

  private func bits(_ first: Int, _ channel: Int) -> UInt32 {
    let place = first + channel * format.bytesPerSample
    return memory.bytes[place..<place + format.bytesPerSample].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: Fetching

  /// The colour of a pixel of one sample.
  func color(_ x: Int, _ y: Int) -> SIMD4<Float> { destination((y * memory.size.width + x) * format.bytesPerPixel) }

  /// The integers of a pixel of one sample.
  func integers(_ x: Int, _ y: Int) -> SIMD4<UInt32> {
    var integers = SIMD4<UInt32>(0, 0, 0, 1)
    let first = (y * memory.size.width + x) * format.bytesPerPixel
    for channel in 0..<format.samplesPerPixel { integers[channel] = bits(first, channel) }
    return integers
  }

  // MARK: Blending

  private func blend(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
    let colors = Colors(source: source, destination: destination, constant: clamped(blendColor))
    var color = Self.join(
      state.rgbBlendOperation, source, colors.factor(state.sourceRGBBlendFactor), destination,
      colors.factor(state.destinationRGBBlendFactor))
    let alpha = Self.join(
      state.alphaBlendOperation, source, colors.factor(state.sourceAlphaBlendFactor), destination,
      colors.factor(state.destinationAlphaBlendFactor))
    color.w = alpha.w
    return color
  }

  private static func join(
    _ operation: BlendOperation, _ source: SIMD4<Float>, _ sourceFactor: SIMD4<Float>, _ destination: SIMD4<Float>,
    _ destinationFactor: SIMD4<Float>
  ) -> SIMD4<Float> {
    switch operation {
    case .add: source * sourceFactor + destination * destinationFactor
    case .subtract: source * sourceFactor - destination * destinationFactor
    case .reverseSubtract: destination * destinationFactor - source * sourceFactor
    case .min: pointwiseMin(source, destination)
    case .max: pointwiseMax(source, destination)
    }
  }

  /// What factors are made of.
  private struct Colors {
    var source, destination, constant: SIMD4<Float>

    /// ES 3.2 table 15.2.
    func factor(_ factor: BlendFactor) -> SIMD4<Float> {
      switch factor {
      case .zero: SIMD4()
      case .one: SIMD4(repeating: 1)
      case .sourceColor: source
      case .oneMinusSourceColor: 1 - source
      case .sourceAlpha: SIMD4(repeating: source.w)
      case .oneMinusSourceAlpha: SIMD4(repeating: 1 - source.w)
      case .destinationColor: destination
      case .oneMinusDestinationColor: 1 - destination
      case .destinationAlpha: SIMD4(repeating: destination.w)
      case .oneMinusDestinationAlpha: SIMD4(repeating: 1 - destination.w)
      case .sourceAlphaSaturated:
        SIMD4(SIMD3(repeating: min(source.w, 1 - destination.w)), 1)
      case .blendColor: constant
      case .oneMinusBlendColor: 1 - constant
      case .blendAlpha: SIMD4(repeating: constant.w)
      case .oneMinusBlendAlpha: SIMD4(repeating: 1 - constant.w)
      }
    }
  }
}

extension PixelFormat {
  /// The bits of the sample nearest to a value; normalised and float formats.
  fileprivate func bits(ofSample value: Float) -> UInt32 {
    switch (sampleKind, bytesPerSample) {
    case (.float, 2): UInt32(Self.halfBits(value))
    case (.float, _): value.bitPattern
    default: UInt32(sample(normalized: value.isNaN ? 0 : value))
    }
  }

  /// The value of a sample's bits.
  fileprivate func float(ofBits bits: UInt32) -> Float {
    switch (sampleKind, bytesPerSample) {
    case (.float, 2): Self.float(halfBits: UInt16(truncatingIfNeeded: bits))
    case (.float, _): Float(bitPattern: bits)
    default: Float(bits) / Float(maximum)
    }
  }
}
