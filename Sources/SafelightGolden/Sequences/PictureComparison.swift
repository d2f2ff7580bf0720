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
    // A mask must fit also where there is nothing to hide.
    let isEqual = mask == nil && Self.isEqual(expected, actual)
    self.init(
      expected.channels, isEqual ? nil : try ImageDifference(expected: expected, actual: actual, mask: mask), tolerance)
  }

  /// Compares a part of a picture as if it were all of it.
  package init(_ part: CanaryPart, actual: Image, tolerance: Tolerance) throws(SafelightError) {
    self.init(part.picture.channels, try ImageDifference(part, actual: actual), tolerance)
  }

  /// Nil is a difference that is known to be none.
  private init(_ channels: Channels, _ difference: ImageDifference?, _ tolerance: Tolerance) {
    channelNames = channels.sampleIndices.map { ImageDifference.name(of: $0, in: channels) }
    guard let difference else {
      (status, verdict) = (.exact, nil)
      return
    }
    let verdict = tolerance.verdict(on: difference)
    status = difference.isIdentical ? .exact : verdict.passes ? .within : .differs
    self.verdict = verdict
  }

  private static func isEqual(_ a: Image, _ b: Image) -> Bool {
    a.size == b.size && a.channels == b.channels && a.depth == b.depth && a.bytes.hasSameBytes(as: b.bytes)
  }
}
