/// Mixes colors with the gray of their luma; the twin of `gray_mix.glsl`.
///
///     out = clamp((gray · 4096 + (v − gray) · gain + 2048) >> 12, 0, maximum)
///
/// With a gain of at most 4 · 4096 the product stays below 2³⁰. Shifts floor.
enum GrayMix {
  /// The luma of a pixel by weights in 1/65536.
  @inline(__always)
  static func luma(_ pixel: SIMD4<Int32>, _ weights: SIMD4<Int32>) -> Int32 {
    // One by one: loops over pixels become vectors, and vectors within a pixel would stand in their way.
    @inline(__always) func product(_ channel: Int) -> UInt32 {
      UInt32(truncatingIfNeeded: pixel[channel]) &* UInt32(truncatingIfNeeded: weights[channel])
    }
    return Int32(truncatingIfNeeded: (product(0) &+ product(1) &+ product(2) &+ 32768) >> 16)
  }

  /// The pixel with its colors at `gain`, in 1/4096, from its gray; alpha stays.
  @inline(__always)
  static func mixed(_ pixel: SIMD4<Int32>, gray: Int32, gain: Int32, maximum: Int32) -> SIMD4<Int32> {
    let base = gray &* 4096 &+ 2048
    @inline(__always) func mixed(_ value: Int32) -> Int32 {
      min(max((base &+ (value &- gray) &* gain) >> 12, 0), maximum)
    }
    return SIMD4(mixed(pixel.x), mixed(pixel.y), mixed(pixel.z), pixel.w)
  }
}
