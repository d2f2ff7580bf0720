public import SafelightImage

/// A kernel that turns light into dark; Core Image's `CIColorInvert`. The formula is on its ``card``.
public struct ImageInvert: TableKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "invert", "turns light into dark",
    discussion: "    out = maximum - v\n\nfor red, green and blue, or gray. Alpha stays.",
    examples: ["invert"])

  /// The tables of the formula.
  public func tables(_ depth: SampleDepth) -> ChannelTables {
    ChannelTables(SampleTable(depth) { (1 << depth.rawValue) - 1 - $0 })
  }
}
