public import SafelightImage

/// A kernel that makes each channel a mixture of the three, like a channel mixer. The formula is on its ``card``.
public struct ImageChannelMix: ColorMatrixKernel {
  /// The colors that a mixture keeps.
  public enum Kept: String, Sendable, CaseIterable {
    /// None: rows are used as given.
    case nothing
    /// Grays: each row is divided by its sum.
    case white
  }

  /// The parts, each from −2 to 2; there is no bias.
  public var parts = ColorVectors.identity
  /// The colors that are kept.
  public var keep = Kept.nothing

  /// Makes the mixture that changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "channel-mix", "each channel as a mixture of the three, as a channel mixer has it",
    discussion: """
      Parameters are named after the new sample and what goes into it: rg is the part of green in the new red. With
      keep=white each row is divided by its sum, which must not be 0, so that grays stay.

      \(KernelCard<Self>.quantizedMatrix)
      Gray pictures are refused unless all rows have the same sum.
      """,
    ParameterBinding.rows(\.parts, in: -2...2) + [.choice("keep", "what the mixture leaves as it is", \.keep)],
    examples: ["channel-mix=rr=0.5:rg=0.7:rb=-0.2", "channel-mix=rg=1:gb=0.5:br=2:keep=white"])

  /// Checks that sums are large enough to divide by.
  public func check() throws(SafelightError) {
    for (name, given, row) in [
      ("red", parts.red, vectors.red), ("green", parts.green, vectors.green), ("blue", parts.blue, vectors.blue),
    ] {
      try ensure(
        (0..<3).allSatisfy { ColorVectors.coefficients.contains(row[$0]) }, .usage, "filter 'channel-mix'",
        why: "the parts of the new \(name) add up to \(given.sum()), too close to 0 to divide by",
        remedy: "choose other parts, or write keep=nothing")
    }
  }

  /// The rows, divided by their sums if white is kept.
  public var vectors: ColorVectors {
    guard keep == .white else { return parts }
    return ColorVectors(
      red: parts.red / parts.red.sum(), green: parts.green / parts.green.sum(), blue: parts.blue / parts.blue.sum())
  }
}

extension ImageChannelMix.Kept: ParameterWord {
  /// The values by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.nothing, "nothing", "rows as they are given"), (.white, "white", "grays: rows have the sum 1"),
  ]
}
