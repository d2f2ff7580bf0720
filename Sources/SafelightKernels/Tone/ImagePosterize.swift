public import SafelightImage

/// A kernel that reduces each channel to a few values, evenly from 0 to the maximum; Core Image's `CIColorPosterize`.
/// The formula is on its ``card``.
public struct ImagePosterize: TableKernel {
  /// The number of values, from 2 to 256.
  public var levels = 4

  /// Makes the kernel with 4 levels.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "posterize", "reduces each channel to a few values",
    discussion: """
          k   = floor(v * levels / (maximum + 1))
          out = floor((2 * k * maximum + levels - 1) / (2 * (levels - 1)))

      for red, green and blue, or gray. Alpha stays.
      """,
    [.integer("levels", "the number of values", \.levels, in: 2...256)], examples: ["posterize=2", "posterize=7"])

  /// The tables of the formula.
  public func tables(_ depth: SampleDepth) -> ChannelTables {
    let maximum = (1 << depth.rawValue) - 1
    return ChannelTables(
      SampleTable(depth) { value in
        let level = value * levels / (maximum + 1)
        return (2 * level * maximum + levels - 1) / (2 * (levels - 1))
      })
  }
}
