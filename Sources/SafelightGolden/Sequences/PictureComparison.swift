public import SafelightImage

/// Two pictures under one tolerance: the one way in which verdicts are reached, for files, sequences, goldens and the ``Canary``.
public struct PictureComparison: Sendable {
  /// How it ended: `exact`, `within` or `differs`.
  public let status: ComparisonStatus
  /// The figures; nil where every sample is equal, which is known without any.
  public let verdict: Verdict?

  /// What the pictures' channels are called, as ``ImageDifference/channelNames``.
  public let channelNames: [String]

  /// Compares.
  ///
  /// - Throws: ``SafelightError`` as ``ImageDifference/init(expected:actual:mask:)`` does.
  public init(expected: Image, actual: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    let channels = expected.channels
    channelNames = channels.sampleIndices.map { ImageDifference.name(of: $0, in: channels) }
    // A mask must fit also where there is nothing to hide.
    if mask == nil, Self.isEqual(expected, actual) {
      (status, verdict) = (.exact, nil)
      return
    }
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    let verdict = tolerance.verdict(on: difference)
    status = difference.isIdentical ? .exact : verdict.passes ? .within : .differs
    self.verdict = verdict
  }

  private static func isEqual(_ a: Image, _ b: Image) -> Bool {
    a.size == b.size && a.channels == b.channels && a.depth == b.depth && a.bytes == b.bytes
  }
}
