/// A kernel that measures the mean of each channel; Metal Performance Shaders' `MPSImageStatisticsMean`. The formula is
/// on its ``card``.
public struct ImageMean: ReductionKernel {
  /// The pixels whose colors are averaged.
  public var counts = CountedPixels.visible

  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "mean", "notes the mean of each channel in the report, and leaves the picture as it is",
    discussion: """
          mean = (sum of all samples) / (pixels * maximum),  from 0 to 1

      Colors of pixels of alpha 0 do not count where alpha is straight, unless counts=all; if all are such pixels, there
      is no mean but alpha's, which always counts. The sum is exact, in integers; only the division is not. The report
      of a run has it for each frame (--report): "measured": {"mean": {"red": 0.41, "green": 0.37, "blue": 0.3}}, gray
      for gray pictures, and alpha where there is one. In a chain it is the mean of what the filters before it made.
      """,
    [.choice("counts", "the pixels whose colors count", \.counts)],
    examples: ["mean", "mean=counts=all"])

  /// The body in Swift.
  public static func reduced(_ value: SIMD4<UInt32>, _ pixel: SIMD4<UInt32>) -> SIMD4<UInt32> { value &+ pixel }

  /// Returns the sum of both.
  public static func joined(_ one: SIMD4<UInt64>, _ other: SIMD4<UInt64>) -> SIMD4<UInt64> { one &+ other }

  /// Returns the mean.
  public static func number(_ value: UInt64, count: Int, maximum: Int) -> Double {
    Double(value) / (Double(count) * Double(maximum))
  }
}
