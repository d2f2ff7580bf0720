public import SafelightImage

/// What became of one pair of pictures.
public struct FrameComparison: Sendable {
  /// Which pictures.
  public let pair: FramePairing.Pair
  /// How it ended: as a comparison of pictures does, or `incomparable` or `unreadable`.
  public let status: ComparisonStatus
  /// The figures; nil where every sample is equal, or nothing could be compared.
  public let verdict: Verdict?
  /// Why nothing could be compared.
  public let error: SafelightError?
  /// How much the difference itself changed since the frame before: the mean of |(bᵢ − bᵢ₋₁) − (aᵢ − aᵢ₋₁)| over the samples, in steps, for
  /// the expected frames a and the actual ones b. Steady differences do not flicker. nil for the first frame and behind one of
  /// another kind.
  public let flicker: Double?
  /// How long reading and comparing took.
  public let duration: Duration
}
