public import SafelightImage

/// What came of comparing one picture with its golden.
public struct GoldenOutcome: Sendable {
  /// The golden's name.
  public let name: String
  /// How it ended.
  public let status: ComparisonStatus
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
  /// How long the comparison took; nil if nobody measured it.
  public internal(set) var duration: Duration?
  /// For a missing golden, the name of an extra picture that has its very pixels; nil if there is none.
  public internal(set) var renamedTo: String?
  /// For an extra picture, the name of a missing golden whose very pixels it has; nil if there is none.
  public internal(set) var renamedFrom: String?
  /// True for an extra picture that is allowed to be there.
  public var isAllowed: Bool { status == .extra && error == nil }

  init(
    _ name: String, _ status: ComparisonStatus, golden: Golden? = nil, tolerance: Tolerance? = nil,
    verdict: Verdict? = nil,
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

  /// What `error`, thrown while comparing, amounts to; `unread` where something could not be read.
  init(_ name: String, golden: Golden? = nil, error: SafelightError, unread: ComparisonStatus = .damaged) {
    let status: ComparisonStatus =
      switch error.kind {
      case .incomparable: .incomparable
      case .missingFrame, .missingInput: .missing
      case .difference: .differs
      default: unread
      }
    self.init(name, status, golden: golden, error: error)
  }
}
