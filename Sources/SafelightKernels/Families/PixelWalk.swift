internal import SafelightGPU
internal import SafelightImage

/// Makes each pixel of `destination` from the pixel of `source` at its place; what a point kernel's twin consists of.
///
/// `body` gets the samples as integers from 0 to the format's maximum, and what it returns must lie there too. The
/// samples that a format lacks are 0, alpha the maximum, where a shader's alpha is 1 in formats of integers: it must
/// not count in them. They are not stored. Both textures are the bands of rows that ``PointFunction`` gives to twins.
@inline(__always)
func walkPixels(
  from source: TextureMemory, to destination: TextureMemory, variant: Int = 0,
  _ body: (SIMD4<Int32>, PointSamples) -> SIMD4<Int32>
) {
  switch source.pixelFormat.bytesPerSample {
  case 1: walkPixels(of: UInt8.self, from: source, to: destination, variant, body)
  case 2: walkPixels(of: UInt16.self, from: source, to: destination, variant, body)
  default: trap("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
  }
}

@inline(__always)
private func walkPixels<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
  of type: Sample.Type, from source: TextureMemory, to destination: TextureMemory, _ variant: Int,
  _ body: (SIMD4<Int32>, PointSamples) -> SIMD4<Int32>
) {
  let maximum = Int32(Sample.max)
  let samples = source.pixelFormat.samplesPerPixel
  // Not within a closure: `body` is then part of the loop and not called by it.
  let (from, to) = unsafe (source.cutSamples(of: type), destination.cutSamples(of: type))
  // Maximum and kind are constants to each loop: what divides by the maximum multiplies instead.
  if samples == 4 {
    let kind = PointSamples(maximum: maximum, hasColors: true, variant: variant)
    for pixel in stride(from: 0, to: from.count, by: 4) {
      let made = unsafe body(
        SIMD4(Int32(from[pixel]), Int32(from[pixel + 1]), Int32(from[pixel + 2]), Int32(from[pixel + 3])), kind)
      unsafe to[pixel] = Sample(truncatingIfNeeded: made.x)
      unsafe to[pixel + 1] = Sample(truncatingIfNeeded: made.y)
      unsafe to[pixel + 2] = Sample(truncatingIfNeeded: made.z)
      unsafe to[pixel + 3] = Sample(truncatingIfNeeded: made.w)
    }
    return
  }
  let kind = PointSamples(maximum: maximum, hasColors: false, variant: variant)
  for pixel in stride(from: 0, to: from.count, by: samples) {
    let green = samples == 2 ? unsafe Int32(from[pixel + 1]) : 0
    let made = unsafe body(SIMD4(Int32(from[pixel]), green, 0, maximum), kind)
    for channel in 0..<samples { unsafe to[pixel + channel] = Sample(truncatingIfNeeded: made[channel]) }
  }
}
