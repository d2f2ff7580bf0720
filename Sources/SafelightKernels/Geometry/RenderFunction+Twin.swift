internal import SafelightGPU
internal import SafelightImage

extension RenderFunction {
  /// The twin of `image_rendering.glsl`.
  func paint<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
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
}

/// The pixels that are painted, and what they are painted over.
private struct Target {
  let region: Region
  let memory: TextureMemory
  /// Begins with the first pixel of the region; nil where it does not matter.
  let backdrop: TextureMemory?

  /// Sets each pixel to what `front` gives for its place in the region, laid over the backdrop.
  @inline(__always)
  func paint<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
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
  private func set<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
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
  /// Four samples as they lie in memory.
  @inline(__always)
  init<Sample: FixedWidthInteger & UnsignedInteger>(reading samples: UnsafeBufferPointer<Sample>, at index: Int) {
    unsafe self.init(
      UInt32(samples[index]), UInt32(samples[index + 1]), UInt32(samples[index + 2]), UInt32(samples[index + 3]))
  }

  /// Source-over with straight alpha, as ``ImageRenderer/Blend/sourceOver`` says.
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
