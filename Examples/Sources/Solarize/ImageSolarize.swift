import Safelight

/// Turns dark what is lighter than a threshold.
public struct ImageSolarize: PointKernel {
  /// From 0 to 1; what is lighter turns dark.
  public var threshold = 0.5

  /// Makes the kernel with a threshold of 0.5.
  public init() {}

  /// What there is to know of it.
  public static let card = KernelCard<Self>(
    "solarize", "turns dark what is lighter than a threshold",
    discussion: """
          out = v > t ? maximum - v : v,  t = floor(threshold * maximum + 1/2)

      for red, green and blue, or gray. Alpha stays.
      """,
    [.number("threshold", "what is lighter turns dark", \.threshold, in: 0...1)],
    examples: ["solarize=0.3", "solarize=1"])

  /// The shader, which is embedded in the program.
  public static let shader = ShaderText(name: "solarize.glsl", bytes: PackageResources.solarize_glsl)

  /// Gray pictures are solarized too.
  public static var grays: GrayPictures { .processed }

  /// The threshold in samples of the depth.
  public func uniforms(for format: PixelFormat) -> SIMD4<UInt32> {
    SIMD4(repeating: UInt32((threshold * Double(format.maximum)).rounded()))
  }

  /// The body in Swift.
  @inline(__always)
  public static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: SIMD4<UInt32>, _ samples: PointSamples) -> SIMD4<Int32> {
    var made = pixel
    for channel in 0..<3 where UInt32(truncatingIfNeeded: pixel[channel]) > uniforms[channel] {
      made[channel] = samples.maximum - pixel[channel]
    }
    return made
  }
}
