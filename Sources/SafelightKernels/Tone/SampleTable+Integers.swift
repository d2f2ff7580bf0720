public import SafelightImage

extension SampleTable {
  /// Light becomes dark: `maximum − v`.
  public static func inverted(_ depth: SampleDepth) -> SampleTable {
    let maximum = (1 << depth.rawValue) - 1
    return SampleTable(depth) { maximum - $0 }
  }

  /// So many values alone, each for as many of the values there are, evenly from 0 to the maximum.
  ///
  ///     k   = floor(v · levels / (maximum + 1))
  ///     out = floor((2 · k · maximum + levels − 1) / (2 · (levels − 1)))
  ///
  /// - Parameter levels: from 2 to 256.
  public static func posterized(_ depth: SampleDepth, levels: Int) -> SampleTable {
    trap(unless: (2...256).contains(levels), "a picture has 2 to 256 levels when posterized, not \(levels)")
    let maximum = (1 << depth.rawValue) - 1
    return SampleTable(depth) { value in
      let level = value * levels / (maximum + 1)
      return (2 * level * maximum + levels - 1) / (2 * (levels - 1))
    }
  }
}
