public import SafelightImage

/// What became of one pair of pictures.
public struct FrameComparison: Sendable {
  /// How it ended.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// No sample that counts differs.
    case exact
    /// Some differ, and the tolerance lets them.
    case within
    /// More differ than the tolerance lets.
    case differs
    /// The pictures have not one size, kind and depth.
    case incomparable
    /// One of them cannot be read.
    case unreadable

    /// True where the pictures were compared and the tolerance lets what differs.
    public var passes: Bool { self == .exact || self == .within }
  }

  /// Which pictures.
  public let pair: FramePairing.Pair
  /// How it ended.
  public let status: Status
  /// The figures; nil where every sample is equal, or nothing could be compared.
  public let verdict: Verdict?
  /// Why nothing could be compared.
  public let error: SafelightError?
  /// How much the difference itself changed since the frame before: the mean of |(bᵢ − bᵢ₋₁) − (aᵢ − aᵢ₋₁)| over the samples, in steps, for
  /// the expected frames a and the actual ones b. Steady differences do not flicker. nil for the first frame and behind one of
  /// another kind.
  public let flicker: Double?
}
