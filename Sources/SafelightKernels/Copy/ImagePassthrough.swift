internal import SafelightImage

/// A kernel that copies every pixel.
public struct ImagePassthrough: PointKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "passthrough", "copies every sample as it is",
    discussion: "Upload, one pass over the picture, readback: what the road to the device costs.",
    examples: ["passthrough"])

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
    pixel
  }

  /// Copies row by row.
  public static func make(_ memory: PassMemory, _ uniforms: NoUniforms, variant: Int) {
    let (region, count) = (memory.region, memory.region.size.width * memory.output.pixelFormat.bytesPerPixel)
    for y in region.y..<region.y + region.size.height {
      unsafe memory.output.pixel(x: region.x, y: y)
        .copyMemory(from: memory.inputs[0].pixel(x: region.x, y: y), byteCount: count)
    }
  }
}
