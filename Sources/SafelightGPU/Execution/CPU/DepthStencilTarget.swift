internal import Glibc
internal import SafelightGLES
internal import SafelightImage

/// The depths and stencils of a pass on the CPU: which samples of a draw pass, and what they leave (ES 3.2 §15.1.2,
/// §15.1.3).
struct DepthStencilTarget {
  /// Nil where the pass has none: tests pass then.
  let depth: TextureMemory?
  let stencil: TextureMemory?
  let state: DepthStencilRaster

  /// One fragment before its tests.
  struct Fragment {
    let x: Int
    let y: Int
    /// The samples that it covers, by bits.
    let samples: UInt32
    let isFrontFacing: Bool
  }

  /// Tests and keeps the depths and stencils of a fragment's samples; returns those that pass.
  func passing(_ fragment: Fragment, depth newDepth: (_ sample: Int) -> Float) -> UInt32 {
    guard let tests = state.tests, let memory = depth ?? stencil else { return fragment.samples }
    let test = fragment.isFrontFacing ? tests.frontFaceStencil : tests.backFaceStencil
    let count = memory.descriptor.sampleCount
    let first = (fragment.y * memory.size.width + fragment.x) * count
    var passed: UInt32 = 0
    for sample in 0..<count where fragment.samples & 1 << UInt32(sample) != 0 {
      if !passesStencil(test, fragment, first + sample) {
        change(test.stencilFailureOperation, test, fragment, first + sample)
        continue
      }
      let passes = passesDepth(tests, newDepth(sample), first + sample)
      let operation = passes ? test.depthStencilPassOperation : test.depthFailureOperation
      change(operation, test, fragment, first + sample)
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

  private func passesStencil(_ test: StencilDescriptor, _ fragment: Fragment, _ index: Int) -> Bool {
    guard let stencil else { return true }
    let mask = UInt8(truncatingIfNeeded: test.readMask)
    return test.stencilCompareFunction.holds(reference(fragment) & mask, stencil.stencil(at: index) & mask)
  }

  private func reference(_ fragment: Fragment) -> UInt8 {
    UInt8(truncatingIfNeeded: fragment.isFrontFacing ? state.references.front : state.references.back)
  }

  private func change(
    _ operation: StencilOperation, _ test: StencilDescriptor, _ fragment: Fragment, _ index: Int
  ) {
    guard let stencil, operation != .keep else { return }
    let old = stencil.stencil(at: index)
    let new = operation.result(old, reference(fragment))
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

/// What a draw does to the depths of its triangles.
struct DepthRules {
  let clipMode: DepthClipMode
  let bias: DepthBias
  /// The depths that are tested and kept.
  private let range: ClosedRange<Float>
  /// The least difference between depths; nil where it depends on them.
  private let step: Double?

  init(_ state: RasterState, format: PixelFormat?) {
    clipMode = state.depthStencil.clipMode
    bias = format == nil ? DepthBias() : state.depthStencil.bias
    range = clipMode == .clamp ? min(state.near, state.far)...max(state.near, state.far) : 0...1
    step = format == .depth16Unorm ? 1 / 65535 : nil
  }

  /// What is tested of a triangle's depth, or of one that a function wrote (EXT_depth_clamp).
  func tested(_ depth: Float) -> Float { max(range.lowerBound, min(range.upperBound, depth)) }

  /// What a function sees of a triangle's depth: clamped depths are so at the test, and not before.
  func seen(_ depth: Float) -> Float { clipMode == .clamp ? depth : tested(depth) }

  /// What is added to the depths of a triangle that reaches `greatest` and rises by `slope` from pixel to pixel (ES 3.2
  /// §13.8.2).
  func offset(slope: Double, greatest: Double) -> Double {
    guard bias != DepthBias() else { return 0 }
    // Floats have 23 bits behind the first.
    let step = self.step ?? scalbn(1, (greatest == 0 ? -126 : Int32(greatest.exponent)) - 23)
    let offset = slope * Double(bias.slopeScale) + step * Double(bias.bias)
    if bias.clamp > 0 { return min(offset, Double(bias.clamp)) }
    return bias.clamp < 0 ? max(offset, Double(bias.clamp)) : offset
  }
}

/// The depths of a triangle, which are linear on the target (ES 3.2 §13.8.1): exact where all corners have one.
struct DepthPlane {
  private let x: Int
  private let y: Int
  private let depth: Double
  /// The rise from place to place of the rasterizer's grid.
  private let alongX: Double
  private let alongY: Double

  /// The plane through three places of the grid that enclose an area.
  init(
    _ a: (x: Int, y: Int, depth: Float), _ b: (x: Int, y: Int, depth: Float), _ c: (x: Int, y: Int, depth: Float),
    _ rules: DepthRules
  ) {
    let area = Double((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
    let (toB, toC) = (Double(b.depth) - Double(a.depth), Double(c.depth) - Double(a.depth))
    alongX = (toB * Double(c.y - a.y) - toC * Double(b.y - a.y)) / area
    alongY = (toC * Double(b.x - a.x) - toB * Double(c.x - a.x)) / area
    let slope = max(alongX.magnitude, alongY.magnitude) * Double(Rasterizer.subpixels)
    let greatest = Double(max(a.depth.magnitude, b.depth.magnitude, c.depth.magnitude))
    (x, y) = (a.x, a.y)
    depth = Double(a.depth) + rules.offset(slope: slope, greatest: greatest)
  }

  /// The depth at a place of the grid.
  func depth(_ x: Int, _ y: Int) -> Float {
    Float(depth + Double(x - self.x) * alongX + Double(y - self.y) * alongY)
  }
}

extension PixelFormat {
  /// What a texture of this format keeps of a depth: whole numbers of steps in fixed point (ES 3.2 §2.3.5.2).
  func keptDepth(_ depth: Float) -> Float {
    let depth = max(0, min(1, depth.isNaN ? 0 : depth))
    return self == .depth16Unorm ? Float(sample(normalized: depth)) : depth
  }
}

/// Samples by number: that of their pixel times the samples of a pixel, and their own.
extension TextureMemory {
  /// The depth of a sample, as ``PixelFormat/keptDepth(_:)`` says.
  func depth(at index: Int) -> Float {
    let place = index * pixelFormat.bytesPerPixel
    let count = pixelFormat.bytesPerSample
    let bits = bytes[place..<place + count].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return count == 2 ? Float(bits) : Float(bitPattern: bits)
  }

  func setDepth(_ kept: Float, at index: Int) {
    let place = index * pixelFormat.bytesPerPixel
    let count = pixelFormat.bytesPerSample
    let bits = count == 2 ? UInt32(kept) : kept.bitPattern
    for byte in 0..<count { bytes[place + byte] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte)) }
  }

  func stencil(at index: Int) -> UInt8 { bytes[stencilPlace(index)] }

  func setStencil(_ stencil: UInt8, at index: Int) { bytes[stencilPlace(index)] = stencil }

  /// Behind the depth, where there is one.
  private func stencilPlace(_ index: Int) -> Int {
    index * pixelFormat.bytesPerPixel + (pixelFormat.hasDepth ? pixelFormat.bytesPerSample : 0)
  }

  /// Fills the depths.
  func clearDepth(to depth: Float) {
    let kept = pixelFormat.keptDepth(depth)
    for index in 0..<size.area * descriptor.sampleCount { setDepth(kept, at: index) }
  }

  /// Fills the stencils.
  func clearStencil(to stencil: UInt32) {
    let stencil = UInt8(truncatingIfNeeded: stencil)
    for index in 0..<size.area * descriptor.sampleCount { setStencil(stencil, at: index) }
  }
}

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
