public import SafelightGPU

/// A kernel that copies every pixel.
public struct ImagePassthrough: PointKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "passthrough", "copies every sample as it is",
    discussion: "Upload, one pass over the picture, readback: what the road to the device costs.",
    examples: ["passthrough"], defects: [])

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    pixel
  }

  /// Copies all samples at once.
  public static func paint(
    _ destination: TextureMemory, from source: TextureMemory, _ uniforms: NoUniforms, variant: Int
  ) {
    unsafe source.withSamples(of: UInt8.self) { source in
      unsafe destination.withMutableSamples(of: UInt8.self) { _ = unsafe $0.update(fromContentsOf: source) }
    }
  }
}
