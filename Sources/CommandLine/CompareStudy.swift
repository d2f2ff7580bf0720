import Safelight
import SafelightGolden

/// What is found out of a pair while its pictures are there.
struct CompareStudy: Sendable {
  /// What is kept of it.
  struct Findings: Sendable {
    let figures: CompareFigures?
    /// FLIP's map, of pictures that differ.
    let flip: Image?
  }

  /// Nil if nobody wants pictures of differences.
  let differences: DifferenceFiles?
  let wantsFigures: Bool
  let wantsFlip: Bool

  /// Writes the difference, and measures what was asked for.
  func findings(_ pair: FramePairing.Pair, _ comparison: PictureComparison, _ expected: Image) throws -> Findings {
    try differences?.write(comparison, of: pair, expected)
    let flip = wantsFlip && comparison.status == .differs ? comparison.verdict?.difference.flipPicture : nil
    return Findings(figures: wantsFigures ? CompareFigures(comparison) : nil, flip: flip)
  }
}
