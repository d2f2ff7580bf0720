internal import SafelightGPU
internal import SafelightImage

/// Makes each pixel of `destination` from the pixel of `source` at its place; what a point kernel's twin consists of.
///
/// `body` gets the samples as integers from 0 to the format's maximum, and what it returns must lie there too. As in a
/// shader, the samples that a format lacks are 0, alpha the maximum; they are not stored.
@inline(__always)
func walkPixels(
  from source: TextureMemory, to destination: TextureMemory, _ body: (SIMD4<Int32>) -> SIMD4<Int32>
) {
  switch source.pixelFormat.bytesPerSample {
  case 1: walkPixels(of: UInt8.self, from: source, to: destination, body)
  case 2: walkPixels(of: UInt16.self, from: source, to: destination, body)
  default: preconditionFailure("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
  }
}

@inline(__always)
private func walkPixels<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
  of type: Sample.Type, from source: TextureMemory, to destination: TextureMemory,
  _ body: (SIMD4<Int32>) -> SIMD4<Int32>
) {
  let maximum = Int32(Sample.max)
  let samples = source.pixelFormat.samplesPerPixel
  unsafe source.withSamples(of: type) { source in
    unsafe destination.withMutableSamples(of: type) { destination in
      if samples == 4 {
        for pixel in stride(from: 0, to: source.count, by: 4) {
          let made = unsafe body(
            SIMD4(
              Int32(source[pixel]), Int32(source[pixel + 1]), Int32(source[pixel + 2]), Int32(source[pixel + 3])))
          for channel in 0..<4 { unsafe destination[pixel + channel] = Sample(truncatingIfNeeded: made[channel]) }
        }
        return
      }
      for pixel in stride(from: 0, to: source.count, by: samples) {
        let green = samples == 2 ? unsafe Int32(source[pixel + 1]) : 0
        let made = unsafe body(SIMD4(Int32(source[pixel]), green, 0, maximum))
        for channel in 0..<samples { unsafe destination[pixel + channel] = Sample(truncatingIfNeeded: made[channel]) }
      }
    }
  }
}
