internal import SafelightGLES
internal import SafelightImage

/// A color attachment on the CPU: blending, the write mask and the format's rounding.
struct ColorTarget {
  let memory: TextureMemory
  let state: ColorAttachmentState
  let blendColor: SIMD4<Float>

  private var format: PixelFormat { memory.pixelFormat }

  /// Writes a fragment function's output to those samples of a pixel whose bits are set.
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
      memory.setBits(samples[channel], at: first + channel * format.bytesPerSample)
    }
  }

  private static let channels: [ColorWriteMask] = [.red, .green, .blue, .alpha]

  private func samples(_ words: SIMD4<UInt32>, _ first: Int) -> SIMD4<UInt32> {
    guard format.sampleKind != .integer else { return words }
    var color = SIMD4<Float>()
    for channel in 0..<4 { color[channel] = Float(bitPattern: words[channel]) }
    if state.isBlendingEnabled { color = blend(clamped(color), clamped(memory.numbers(at: first))) }
    if format.sampleKind == .normalized { color.replace(with: 0, where: color .!= color) }
    var samples = SIMD4<UInt32>()
    for channel in 0..<4 { samples[channel] = format.bits(ofNumber: color[channel]) }
    return samples
  }

  /// Clamps the values that fixed-point targets blend to 0 to 1 (ES 3.2 §15.1.5).
  private func clamped(_ color: SIMD4<Float>) -> SIMD4<Float> {
    format.sampleKind == .normalized ? color.clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 1)) : color
  }

  // MARK: Fetching

  /// The color of a pixel with one sample.
  func color(_ x: Int, _ y: Int) -> SIMD4<Float> { memory.numbers(at: memory.offset(x, y)) }

  /// The integers of a pixel with one sample.
  func integers(_ x: Int, _ y: Int) -> SIMD4<UInt32> {
    var integers = SIMD4<UInt32>(0, 0, 0, 1)
    let first = memory.offset(x, y)
    for channel in 0..<format.samplesPerPixel {
      integers[channel] = memory.bits(at: first + channel * format.bytesPerSample)
    }
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
      case .sourceAlphaSaturated: SIMD4(SIMD3(repeating: min(source.w, 1 - destination.w)), 1)
      case .blendColor: constant
      case .oneMinusBlendColor: 1 - constant
      case .blendAlpha: SIMD4(repeating: constant.w)
      case .oneMinusBlendAlpha: SIMD4(repeating: 1 - constant.w)
      }
    }
  }
}

/// The depth and stencil tests of a pass on the CPU (ES 3.2 §15.1.2, §15.1.3).
struct DepthStencilTarget {
  /// Nil if the pass has none: its test passes then.
  let depth: TextureMemory?
  let stencil: TextureMemory?
  let state: DepthStencilRaster

  /// Tests those samples of a pixel whose bits are set, and updates their depths and stencils; returns the bits of
  /// those that pass.
  func passing(
    _ x: Int, _ y: Int, samples: UInt32, isFrontFacing: Bool, depth newDepth: (_ sample: Int) -> Float
  ) -> UInt32 {
    guard let tests = state.tests, let memory = depth ?? stencil else { return samples }
    let test = isFrontFacing ? tests.frontFaceStencil : tests.backFaceStencil
    let reference = UInt8(truncatingIfNeeded: isFrontFacing ? state.references.front : state.references.back)
    let count = memory.descriptor.sampleCount
    let first = (y * memory.size.width + x) * count
    var passed: UInt32 = 0
    for sample in 0..<count where samples & 1 << UInt32(sample) != 0 {
      if !passesStencil(test, reference, first + sample) {
        change(test.stencilFailureOperation, test, reference, first + sample)
        continue
      }
      let passes = passesDepth(tests, newDepth(sample), first + sample)
      let operation = passes ? test.depthStencilPassOperation : test.depthFailureOperation
      change(operation, test, reference, first + sample)
      if passes { passed |= 1 << UInt32(sample) }
    }
    return passed
  }

  private func passesDepth(_ tests: DepthStencilDescriptor, _ value: Float, _ index: Int) -> Bool {
    guard let depth else { return true }
    let value = depth.pixelFormat.keptDepth(value)
    guard tests.depthCompareFunction.holds(value, depth.depth(at: index)) else { return false }
    if tests.isDepthWriteEnabled { depth.setDepth(value, at: index) }
    return true
  }

  private func passesStencil(_ test: StencilDescriptor, _ reference: UInt8, _ index: Int) -> Bool {
    guard let stencil else { return true }
    let mask = UInt8(truncatingIfNeeded: test.readMask)
    return test.stencilCompareFunction.holds(reference & mask, stencil.stencil(at: index) & mask)
  }

  private func change(_ operation: StencilOperation, _ test: StencilDescriptor, _ reference: UInt8, _ index: Int) {
    guard let stencil, operation != .keep else { return }
    let old = stencil.stencil(at: index)
    let new = operation.result(old, reference)
    let mask = UInt8(truncatingIfNeeded: test.writeMask)
    stencil.setStencil(new & mask | old & ~mask, at: index)
  }
}

extension CompareFunction {
  fileprivate func holds<Number: Comparable>(_ new: Number, _ old: Number) -> Bool {
    switch self {
    case .never: false
    case .less: new < old
    case .equal: new == old
    case .lessEqual: new <= old
    case .greater: new > old
    case .notEqual: new != old
    case .greaterEqual: new >= old
    case .always: true
    }
  }
}

extension StencilOperation {
  fileprivate func result(_ old: UInt8, _ reference: UInt8) -> UInt8 {
    switch self {
    case .keep: old
    case .zero: 0
    case .replace: reference
    case .incrementClamp: old == .max ? .max : old + 1
    case .decrementClamp: old == 0 ? 0 : old - 1
    case .invert: ~old
    case .incrementWrap: old &+ 1
    case .decrementWrap: old &- 1
    }
  }
}

extension PixelFormat {
  /// Returns the depth as a texture of this format stores it; a whole number of steps in fixed point (ES 3.2 §2.3.5.2).
  func keptDepth(_ depth: Float) -> Float {
    let depth = max(0, min(1, depth.isNaN ? 0 : depth))
    return self == .depth16Unorm ? Float(sample(normalized: depth)) : depth
  }
}

/// Samples by index: that of their pixel times the samples per pixel, plus their own.
extension TextureMemory {
  /// Returns the depth of a sample, as ``PixelFormat/keptDepth(_:)`` makes it.
  func depth(at index: Int) -> Float {
    let bits = bits(at: index * pixelFormat.bytesPerPixel)
    return pixelFormat.bytesPerSample == 2 ? Float(bits) : Float(bitPattern: bits)
  }

  func setDepth(_ kept: Float, at index: Int) {
    let bits = pixelFormat.bytesPerSample == 2 ? UInt32(kept) : kept.bitPattern
    setBits(bits, at: index * pixelFormat.bytesPerPixel)
  }

  func stencil(at index: Int) -> UInt8 { bytes[stencilPlace(index)] }
  func setStencil(_ stencil: UInt8, at index: Int) { bytes[stencilPlace(index)] = stencil }

  /// The offset of a stencil: after the depth, if any.
  private func stencilPlace(_ index: Int) -> Int {
    index * pixelFormat.bytesPerPixel + (pixelFormat.hasDepth ? pixelFormat.bytesPerSample : 0)
  }

  func clearDepth(to depth: Float) {
    let kept = pixelFormat.keptDepth(depth)
    for index in 0..<size.area * descriptor.sampleCount { setDepth(kept, at: index) }
  }

  func clearStencil(to stencil: UInt32) {
    let stencil = UInt8(truncatingIfNeeded: stencil)
    for index in 0..<size.area * descriptor.sampleCount { setStencil(stencil, at: index) }
  }
}

extension TextureMemory {
  /// Writes the mean of each pixel's samples to `target`; for integers, the first sample (ES 3.2 §16.2.1).
  func resolve(into target: TextureMemory) {
    let count = descriptor.sampleCount
    let (length, width) = (pixelFormat.bytesPerPixel, pixelFormat.bytesPerSample)
    for pixel in 0..<size.area {
      for channel in 0..<pixelFormat.samplesPerPixel {
        let samples = (0..<count).map { sample in bits(at: (pixel * count + sample) * length + channel * width) }
        target.setBits(mean(samples), at: pixel * length + channel * width)
      }
    }
  }

  private func mean(_ samples: [UInt32]) -> UInt32 {
    switch pixelFormat.sampleKind {
    // Depth and stencil are never resolved.
    case .integer, .depth, .stencil: samples[0]
    case .normalized: (samples.reduce(0, +) + UInt32(samples.count / 2)) / UInt32(samples.count)
    case .float:
      pixelFormat.bits(ofNumber: samples.reduce(0) { $0 + pixelFormat.number(ofBits: $1) } / Float(samples.count))
    }
  }
}
