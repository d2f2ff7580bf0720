public import SafelightGPU

/// Copies every pixel as it is.
public struct ImagePassthrough: PointKernel {
  /// Makes the kernel; there is nothing to set.
  public init() {}

  /// Makes the kernel; there is nothing to set.
  public init(device: Device) {}

  /// What there is to know of it.
  public static let card = KernelCard<Self>(
    "passthrough", "copies every sample as it is",
    discussion: "Upload, one pass over the picture, readback: what the road to the device costs.",
    examples: ["passthrough"], defects: [])

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    pixel
  }

  /// All at once.
  public static let twin = PointTwin<NoUniforms> { source, destination, _, _ in
    unsafe source.withSamples(of: UInt8.self) { source in
      unsafe destination.withMutableSamples(of: UInt8.self) { _ = unsafe $0.update(fromContentsOf: source) }
    }
  }
}
