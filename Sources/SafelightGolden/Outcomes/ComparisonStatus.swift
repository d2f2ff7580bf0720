/// What came of comparing two pictures, from the best to the worst.
public enum ComparisonStatus: String, Codable, Hashable, Sendable, CaseIterable {
  /// No sample that counts differs.
  case exact
  /// Some differ, and the tolerance lets them.
  case within
  /// They were not compared, for a reason that somebody gave.
  case skipped
  /// More differ than the tolerance lets.
  case differs
  /// There is an actual picture that nobody expects, or a golden's file without a row.
  case extra
  /// An expected picture has no actual one, or a golden no file.
  case missing
  /// Size, channels or depth differ.
  case incomparable
  /// A picture cannot be read.
  case unreadable
  /// The golden cannot be read, or is not what was approved.
  case damaged
  /// The comparison did not see the damage that was planted for it.
  case unsound

  /// True where they were compared and nothing is to be done.
  public var passes: Bool { self == .exact || self == .within }

  /// True where somebody has to act.
  public var fails: Bool { !passes && self != .skipped }

  /// True where pixels were compared.
  public var isCompared: Bool { passes || self == .differs }

  /// How bad it is, from 0.
  var rank: Double { Double(Self.allCases.firstIndex(of: self) ?? 0) }

  /// As lines that count say it.
  var words: String {
    switch self {
    case .differs: "differ"
    case .incomparable: "not comparable"
    case .unreadable: "not readable"
    case .exact, .within, .skipped, .extra, .missing, .damaged, .unsound: rawValue
    }
  }
}
