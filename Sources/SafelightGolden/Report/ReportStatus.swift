extension ComparisonReport.Case {
  /// What came of a case, from the best to the worst.
  public enum Status: String, Codable, CaseIterable, Sendable {
    /// Every sample is equal.
    case exact
    /// Samples differ, and the tolerance holds.
    case within
    /// It was not run, for a reason that somebody gave.
    case skipped
    /// The tolerance is broken.
    case differs
    /// There is an actual picture that nobody expects.
    case extra
    /// An expected picture has no actual one, or an actual one has no golden yet.
    case missing
    /// Size, channels or depth differ.
    case incomparable
    /// The comparison did not see the damage that was planted for it.
    case unsound

    /// True where somebody has to act.
    public var fails: Bool { rank > Self.skipped.rank }

    var rank: Double { Double(Self.allCases.firstIndex(of: self) ?? 0) }

    /// As the line that counts says it.
    var words: String {
      switch self {
      case .within: "within tolerance"
      case .differs: "differ"
      case .exact, .skipped, .extra, .missing, .incomparable, .unsound: rawValue
      }
    }
  }
}
