public import SafelightGPU

/// A kernel that copies every pixel.
public struct ImagePassthrough: PointKernel {
  /// Makes the kernel.
  public init() {}

  /// Makes the kernel.
  public init(device: Device) {}

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
  public static let twin = PointTwin<NoUniforms> { source, destination, _, _ in
    unsafe source.withSamples(of: UInt8.self) { source in
      unsafe destination.withMutableSamples(of: UInt8.self) { _ = unsafe $0.update(fromContentsOf: source) }
    }
  }
}
