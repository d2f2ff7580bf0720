public import SafelightImage

/// What came of comparing one picture with its golden.
public struct GoldenOutcome: Sendable {
  /// How it ended.
  public enum Status: String, Codable, Sendable, CaseIterable {
    /// The same pixels.
    case exact
    /// Others, that the tolerance allows.
    case within
    /// Others.
    case differs
    /// A golden without its picture, or without its own file.
    case missing
    /// A picture without a golden, or a golden's file without a row.
    case extra
    /// Another size, depth or number of channels.
    case incomparable
    /// The golden cannot be read, or is not what was approved.
    case damaged

    /// True where nothing is to be done.
    public var passes: Bool { self == .exact || self == .within }
  }

  /// The golden's name.
  public let name: String
  /// How it ended.
  public let status: Status
  /// The golden; nil where there is none.
  public let golden: Golden?
  /// By which tolerance it was judged.
  public let tolerance: Tolerance?
  /// The measurements; nil where the pixels are the same or nothing could be measured.
  public let verdict: Verdict?
  /// Why it does not pass; its kind says what a command ends with.
  public let error: SafelightError?
  /// What else should be known of it: nothing, most of the time.
  public let notes: [String]
  /// Where the picture was read; nil for one that never was a file.
  public var actualPath: String?

  init(
    _ name: String, _ status: Status, golden: Golden? = nil, tolerance: Tolerance? = nil, verdict: Verdict? = nil,
    error: SafelightError? = nil, notes: [String] = []
  ) {
    self.name = name
    self.status = status
    self.golden = golden
    self.tolerance = tolerance
    self.verdict = verdict
    self.error = error
    self.notes = notes
  }

  /// What `error`, thrown while comparing, amounts to.
  init(_ name: String, golden: Golden? = nil, error: SafelightError) {
    let status: Status =
      switch error.kind {
      case .incomparable: .incomparable
      case .missingFrame, .missingInput: .missing
      case .difference: .differs
      default: .damaged
      }
    self.init(name, status, golden: golden, error: error)
  }
}
