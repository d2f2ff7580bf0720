import SafelightGPU
import SafelightImage
import Testing

/// Twins that read between pixels.
@Suite struct TextureSamplingTests {
  /// GPUs return some pixel if a coordinate is NaN. Twins do so too and must not trap.
  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30, -1e30])
  func coordinatesThatAreNoneReadSomePixel(_ place: Float) {
    let memory = TextureMemory(TextureDescriptor(Size(3, 2), .rgba8Unorm, mipmapped: true))
    memory.bytes = [UInt8](repeating: 255, count: 24)
    for address in [SamplerDescriptor.AddressMode.clampToEdge, .repeat, .mirrorRepeat] {
      for filter in [SamplerDescriptor.Filter.nearest, .linear] {
        let sampler = SamplerDescriptor(filter: filter, address: address)
        #expect(memory.sample(sampler, place, 0.5) == SIMD4(repeating: 1))
        #expect(memory.sample(sampler, 0.5, place, level: .nan) == SIMD4(repeating: 1))
      }
    }
  }
}
