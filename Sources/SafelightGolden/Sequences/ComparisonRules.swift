import SafelightImage

/// What counts in a comparison of pictures, and how much of it may differ.
public struct ComparisonRules: Sendable {
  /// How much may differ.
  public let tolerance: Tolerance
  /// What is left out of every pair; nil if everything counts.
  public let mask: ComparisonMask?
  /// True if a picture without alpha is compared with one that has alpha as if it were opaque.
  public let takesMissingAlphaForOpaque: Bool
  /// True if color does not count where both pictures are transparent.
  public let ignoresTransparent: Bool

  /// Makes rules by which all samples of pictures of one kind count, except for what the other parameters say.
  public init(
    _ tolerance: Tolerance, mask: ComparisonMask? = nil, takesMissingAlphaForOpaque: Bool = false,
    ignoresTransparent: Bool = false
  ) {
    self.tolerance = tolerance
    self.mask = mask
    self.takesMissingAlphaForOpaque = takesMissingAlphaForOpaque
    self.ignoresTransparent = ignoresTransparent
  }

  /// The pictures as they are to be compared, and what is left out of them.
  func pair(_ expected: Image, _ actual: Image) throws(SafelightError) -> PicturePair {
    var (expected, actual) = (expected, actual)
    // The comparison itself refuses pictures of other kinds.
    guard expected.size == actual.size, expected.depth == actual.depth,
      expected.channels.isGray == actual.channels.isGray
    else { return PicturePair(expected: expected, actual: actual) }
    if expected.channels != actual.channels {
      guard takesMissingAlphaForOpaque else {
        throw SafelightError(
          .incomparable, "pictures", why: "the one has alpha and the other has none",
          remedy: "a missing alpha can be taken for opaque", setting: .missingAlpha)
      }
      (expected, actual) = (expected.withAlpha, actual.withAlpha)
    }
    let mask = try mask?.mask(of: expected.size)
    guard ignoresTransparent, expected.channels.hasAlpha else {
      return PicturePair(expected: expected, actual: actual, mask: mask)
    }
    let visible = ImageMask(hidingWhatIsTransparentIn: expected, and: actual, besides: mask)
    // Where nothing is left that can be seen, both look the same.
    if visible.hidden == expected.size.area { return PicturePair(expected: expected, actual: expected, mask: mask) }
    return PicturePair(expected: expected, actual: actual, mask: visible.hidden == 0 ? nil : visible)
  }
}
