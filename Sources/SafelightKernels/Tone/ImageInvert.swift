public import SafelightImage

/// Turns light into dark; Core Image's `CIColorInvert`. The formula is on its ``card``.
public struct ImageInvert: TableKernel {
  /// Makes the kernel; there is nothing to set.
  public init() {}

  /// What there is to know of it.
  public static let card = KernelCard<Self>(
    "invert", "turns light into dark",
    discussion: "    out = maximum - v\n\nfor red, green and blue, or gray. Alpha stays.",
    examples: ["invert"], defects: .ofLookup("invert"))

  /// The greatest sample less each.
  public func tables(_ depth: SampleDepth) -> ChannelTables {
    ChannelTables(SampleTable(depth) { (1 << depth.rawValue) - 1 - $0 })
  }
}
