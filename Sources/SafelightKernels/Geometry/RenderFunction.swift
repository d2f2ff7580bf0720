internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A variant of the function that paints a picture.
struct RenderFunction: SampledFunction {
  /// Nil if the picture has the size of its bounds.
  var filter: ImageRenderer.Filter?
  var blends: Bool
  var sourceIsGray: Bool
  var sampleBits: Int

  static let shaders = [ShaderSource.imageRendering]
  /// The filters in the order of the shader's macro.
  private static let filters: [ImageRenderer.Filter?] = [nil, .nearest, .linear, .area]
  static func macro(of filter: ImageRenderer.Filter?) -> Int { filters.firstIndex(of: filter) ?? 0 }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("SAMPLE_BITS", sampleBits), .init("FILTER", Self.macro(of: filter)),
      .init("BLENDS", blends), .init("SOURCE_IS_GRAY", sourceIsGray),
    ]
  }
  var arguments: [ShaderArgument] { (blends ? [.sampledTexture(2)] : []) + [.bytes(3)] }

  /// Both forms, made at first use.
  var forms: FunctionForms {
    functionForms.value(self) {
      FunctionForms(
        name: name, body: Self.shaders.map(ShaderText.init), constants: constants, arguments: arguments,
        twin: ShaderTwin { run($0) }, wrappers: (.imageRenderingCompute, .imageRenderingFragment))
    }
  }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let source = call.texture(0), let placement = call.block(RenderPlacement.self, 3),
      let destination = call.target, let filter = call["FILTER", 0...3].map({ filters[$0] }),
      let blends = call[isSet: "BLENDS"], let sourceIsGray = call[isSet: "SOURCE_IS_GRAY"],
      let bits = call["SAMPLE_BITS", 8...16], ImageRenderer.formats.contains(source.pixelFormat),
      ImageRenderer.formats.contains(destination.pixelFormat),
      source.pixelFormat.bytesPerSample * 8 == bits, destination.pixelFormat.bytesPerSample * 8 == bits,
      sourceIsGray == (source.pixelFormat.samplesPerPixel == 1),
      sourceIsGray || destination.pixelFormat.samplesPerPixel == 4,
      placement.isSound(filter, from: source.size, to: destination.size),
      !blends
        || (destination.pixelFormat.samplesPerPixel == 4
          && call.hasPixels(2, size: placement.region.size, sampleBits: bits))
    else { return nil }
    return Self(filter: filter, blends: blends, sourceIsGray: sourceIsGray, sampleBits: bits)
  }

  func run<Sample: UnsignedSample>(_ type: Sample.Type, _ arguments: TwinArguments) {
    let source = arguments.texture(0)
    let picture = ScaledPicture(
      arguments.value(RenderPlacement.self, 3), filter: filter, width: source.size.width, isGray: sourceIsGray)
    let target = Target(region: picture.region, memory: arguments.target, backdrop: blends ? arguments.texture(2) : nil)
    unsafe source.withSamples(of: type) { samples in
      switch filter {
      case nil, .nearest: target.paint(type) { x, y in unsafe picture.nearest(samples, x, y) }
      case .linear: target.paint(type) { x, y in unsafe picture.linear(samples, x, y) }
      case .area: target.paint(type) { x, y in unsafe picture.area(samples, x, y) }
      }
    }
  }
}

extension RenderPlacement {
  /// Returns whether the function stays inside both textures and below 32 bits.
  fileprivate func isSound(_ filter: ImageRenderer.Filter?, from source: Size, to destination: Size) -> Bool {
    guard region.isInside(destination), !region.size.isEmpty, let columns = span(0, filter),
      let rows = span(1, filter), (0..<4).allSatisfy({ (-1...1).contains(turn[$0]) })
    else { return false }
    return [columns.lowerBound, columns.upperBound].allSatisfy { x in
      [rows.lowerBound, rows.upperBound].allSatisfy { y in
        let stored = (
          Int(turn.x) * x + Int(turn.y) * y + Int(extent.x), Int(turn.z) * x + Int(turn.w) * y + Int(extent.y)
        )
        return (0..<source.width).contains(stored.0) && (0..<source.height).contains(stored.1)
      }
    }
  }

  /// Returns the upright pixels that are read along an axis.
  private func span(_ axis: Int, _ filter: ImageRenderer.Filter?) -> ClosedRange<Int>? {
    let (from, to, first) = (scale[2 * axis], scale[2 * axis + 1], Int(offset[axis]))
    let last = first + Int(target[2 + axis]) - 1
    guard (1...1 << 16).contains(from), (1...1 << 22).contains(to), extent[2 + axis] >= 0,
      (2 * last + 1) * Int(from) < 1 << 31
    else { return nil }
    let low = span(UInt32(first), axis: axis, filter).low
    let high = span(UInt32(last), axis: axis, filter).high
    return low <= high && high <= Int(extent[2 + axis]) ? low...high : nil
  }
}

/// The pixels that are painted, and their backdrop.
private struct Target {
  let region: Region
  let memory: TextureMemory
  /// A copy of the region's pixels from (0, 0) on; nil if they are replaced.
  let backdrop: TextureMemory?

  /// Sets each pixel to what `front` gives for its place in the region, laid over the backdrop.
  @inline(__always)
  func paint<Sample: UnsignedSample>(_ type: Sample.Type, _ front: (_ x: Int, _ y: Int) -> SIMD4<UInt32>) {
    guard let backdrop else { return set(type, front) }
    let width = backdrop.size.width
    unsafe backdrop.withSamples(of: type) { samples in
      set(type) { x, y in
        let back = unsafe SIMD4<UInt32>(reading: samples, at: 4 * (y * width + x))
        return front(x, y).over(back, maximum: UInt32(Sample.max))
      }
    }
  }

  @inline(__always)
  private func set<Sample: UnsignedSample>(_ type: Sample.Type, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<UInt32>) {
    let channels = memory.pixelFormat.samplesPerPixel
    let width = memory.size.width
    unsafe memory.withMutableSamples(of: type) { samples in
      for y in 0..<region.size.height {
        var index = ((region.y + y) * width + region.x) * channels
        for x in 0..<region.size.width {
          let pixel = pixel(x, y)
          for channel in 0..<channels { unsafe samples[index + channel] = Sample(truncatingIfNeeded: pixel[channel]) }
          index += channels
        }
      }
    }
  }
}

extension SIMD4<UInt32> {
  /// Reads four samples as they lie in memory.
  @inline(__always)
  init<Sample: UnsignedSample>(reading samples: UnsafeBufferPointer<Sample>, at index: Int) {
    unsafe self.init(
      UInt32(samples[index]), UInt32(samples[index + 1]), UInt32(samples[index + 2]), UInt32(samples[index + 3]))
  }

  /// Returns the pixel over `back` by ``ImageRenderer/Blend/sourceOver``.
  @inline(__always)
  fileprivate func over(_ back: Self, maximum: UInt32) -> Self {
    let share = (back.w * (maximum - w) + maximum / 2) / maximum
    let alpha = w + share
    if alpha == 0 { return back }
    var result = (self &* Self(repeating: w) &+ back &* Self(repeating: share) &+ alpha / 2) / alpha
    result.w = alpha
    return result
  }
}
