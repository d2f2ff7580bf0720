internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A variant of the function that paints a picture: one GLSL body in two forms, and one twin.
struct RenderFunction: Hashable, Sendable {
  /// Nil if the picture has the size of its bounds.
  let filter: ImageRenderer.Filter?
  let blends: Bool
  let sourceIsGray: Bool
  let sampleBits: Int

  init(filter: ImageRenderer.Filter?, blends: Bool, sourceIsGray: Bool, format: PixelFormat) {
    self.filter = filter
    self.blends = blends
    self.sourceIsGray = sourceIsGray
    sampleBits = format.bytesPerSample * 8
  }

  static let compute = PipelineLibrary<RenderFunction, ComputePipelineState> { function in
    ComputePipelineState(
      function.shader([.imageRenderingCompute], arguments: [.storageTexture(1)]) { $0.texture(1) })
  }

  static let render = PipelineLibrary<RenderFunction, RenderPipelineState> { function in
    RenderPipelineState(fullScreen: function.shader([.imageRenderingFragment], arguments: []) { $0.colorAttachment })
  }

  private func shader(
    _ form: [ShaderSource], arguments: [ShaderArgument],
    destination: @escaping @Sendable (TwinArguments) -> TextureMemory?
  ) -> ShaderFunction {
    ShaderFunction(
      name: "image_rendering",
      assembly: ShaderAssembly(
        [.pixels, .imageRendering] + form,
        constants: [
          .init("SAMPLE_BITS", sampleBits), .init("FILTER", Self.filters.firstIndex(of: filter) ?? 0),
          .init("BLENDS", blends), .init("SOURCE_IS_GRAY", sourceIsGray),
        ]),
      arguments: [.sampledTexture(0)] + arguments + (blends ? [.sampledTexture(2)] : []) + [.bytes(3)],
      twin: twin(destination))
  }

  /// The filters in the order of the shader's macro.
  private static let filters: [ImageRenderer.Filter?] = [nil, .nearest, .linear, .area]

  private func twin(_ destination: @escaping @Sendable (TwinArguments) -> TextureMemory?) -> ShaderTwin {
    ShaderTwin { arguments in
      guard let destination = destination(arguments) else { return }
      switch sampleBits {
      case 8: paint(UInt8.self, arguments, destination)
      default: paint(UInt16.self, arguments, destination)
      }
    }
  }

  private func paint<Sample: UnsignedSample>(
    _ type: Sample.Type, _ arguments: TwinArguments, _ destination: TextureMemory
  ) {
    let source = arguments.texture(0)
    let picture = ScaledPicture(
      arguments.value(RenderPlacement.Block.self, 3), filter: filter, width: source.size.width, isGray: sourceIsGray)
    let target = Target(region: picture.region, memory: destination, backdrop: blends ? arguments.texture(2) : nil)
    unsafe source.withSamples(of: type) { samples in
      switch filter {
      case nil, .nearest: target.paint(type) { x, y in unsafe picture.nearest(samples, x, y) }
      case .linear: target.paint(type) { x, y in unsafe picture.linear(samples, x, y) }
      case .area: target.paint(type) { x, y in unsafe picture.area(samples, x, y) }
      }
    }
  }

  /// Adds the twin of both forms, for captures.
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(captured: "image_rendering") { call in
      let arguments = call.arguments
      guard let source = call.texture(0), let block = call.block(RenderPlacement.Block.self, 3),
        let destination = arguments.colorAttachment ?? (arguments.has(stored: [1]) ? arguments.texture(1) : nil),
        let filter = call["FILTER", 0...3], let blends = call[isSet: "BLENDS"],
        let sourceIsGray = call[isSet: "SOURCE_IS_GRAY"], let bits = call["SAMPLE_BITS", 8...16],
        ImageRenderer.formats.contains(source.pixelFormat), ImageRenderer.formats.contains(destination.pixelFormat),
        source.pixelFormat.bytesPerSample * 8 == bits, destination.pixelFormat.bytesPerSample * 8 == bits,
        sourceIsGray == (source.pixelFormat.samplesPerPixel == 1),
        sourceIsGray || destination.pixelFormat.samplesPerPixel == 4,
        block.isSound(filters[filter], from: source.size, to: destination.size),
        !blends
          || (destination.pixelFormat.samplesPerPixel == 4
            && call.hasPixels(2, size: Size(Int(block.target.z), Int(block.target.w)), sampleBits: bits))
      else { return nil }
      return RenderFunction(
        filter: filters[filter], blends: blends, sourceIsGray: sourceIsGray, format: destination.pixelFormat
      ).twin { $0.colorAttachment ?? $0.texture(1) }
    }
  }
}

extension RenderPlacement.Block {
  /// Returns whether the function stays inside both textures and below 32 bits.
  fileprivate func isSound(_ filter: ImageRenderer.Filter?, from source: Size, to destination: Size) -> Bool {
    let painted = Region(x: Int(target.x), y: Int(target.y), width: Int(target.z), height: Int(target.w))
    guard painted.isInside(destination), !painted.size.isEmpty, let columns = span(0, filter),
      let rows = span(1, filter),
      (0..<4).allSatisfy({ (-1...1).contains(turn[$0]) })
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
    func pixels(_ place: Int) -> SampleSpan {
      SampleSpan(UInt32(place), filter, from: from, to: to, last: UInt32(extent[2 + axis]))
    }
    let (low, high) = (pixels(first).low, pixels(last).high)
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
  func paint<Sample: UnsignedSample>(
    _ type: Sample.Type, _ front: (_ x: Int, _ y: Int) -> SIMD4<UInt32>
  ) {
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
  private func set<Sample: UnsignedSample>(
    _ type: Sample.Type, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<UInt32>
  ) {
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
