import ArgumentParser
import Safelight
import SafelightGolden

/// The results of a comparison for people and programs, gathered pair by pair.
struct CompareOutcomes {
  private var report: CompareReport
  /// The content of the files of `--report`.
  private var page: ComparisonReport
  private let paths: ReportPaths
  /// The heading of the frames of a sequence, which are one entry with a chart.
  private let sequence: String?
  private let display: ProgressDisplay
  private let start = ContinuousClock().now

  /// `total` is nil if the number of pairs is unknown.
  init(
    _ report: CompareReport, _ paths: ReportPaths, _ title: String, isSequence: Bool, progress: ProgressStyle,
    total: Int?
  ) {
    self.report = report
    self.paths = paths
    page = ComparisonReport(title: title, version: SafelightCommand.version)
    sequence = isSequence ? title : nil
    display = ProgressDisplay(progress, total: total)
  }

  /// Adds a pair; its pictures are not kept.
  mutating func add(_ frame: FrameComparison, _ findings: CompareStudy.Findings?) throws {
    report.add(frame, findings?.figures)
    report.addFacts(of: frame.pair)
    if !paths.isEmpty { try addPage(frame, flip: findings?.flip) }
    let pair = frame.pair
    display.frameCounted(Frame(index: pair.index, number: pair.index + 1, path: pair.actual), since: start)
  }

  /// Adds what two films state.
  mutating func add(_ facts: FactFindings) { report.facts = facts }

  private mutating func addPage(_ frame: FrameComparison, flip: Image?) throws {
    let difference = frame.verdict?.difference
    var one =
      if let verdict = frame.verdict {
        ComparisonReport.Case(frame.pair.name, verdict.difference, verdict)
      } else if let error = frame.error {
        ComparisonReport.Case(frame.pair.name, frame.status, text: error.message)
      } else {
        ComparisonReport.Case(frame.pair.name, .exact, text: "identical")
      }
    (one.sequence, one.frame, one.flicker) = (sequence, frame.pair.number, frame.flicker)
    (one.expectedPath, one.actualPath) = (frame.pair.expected, frame.pair.actual)
    try page.add(
      one, expected: difference?.expected, actual: difference?.actual, flip: flip, mask: difference?.mask,
      duration: frame.duration)
  }

  /// Writes everything that was asked for, and returns the code of the worst result; nil if all pairs pass.
  mutating func finish(_ comparison: SequenceComparison, _ format: ListingFormat) throws -> ExitCode? {
    display.countingEnded(comparison.statuses.count)
    if comparison.statuses.isEmpty, comparison.pairing.missing.isEmpty, comparison.pairing.extra.isEmpty {
      throw SafelightError(
        .missingInput, "comparison", why: "neither side has a picture", remedy: "name films or folders that have some")
    }
    // A full disk does not take the result away from whoever reads it here.
    let written = Result { try writePage(comparison) }
    try deliver(format == .json ? report.json(comparison) : report.text(comparison))
    try written.get()
    if let error = report.errors.first(where: { $0.kind != .incomparable }) { return error.exitCode }
    if comparison.counts[.incomparable] > 0 { return .incomparable }
    if !comparison.pairing.missing.isEmpty || !comparison.pairing.extra.isEmpty { return .missingFrame }
    return comparison.passes && !report.facts.fails ? nil : .differs
  }

  private mutating func writePage(_ comparison: SequenceComparison) throws {
    guard !paths.isEmpty else { return }
    for missing in comparison.pairing.missing { try page.add(.init(missing.path, .missing, text: missing.why)) }
    for extra in comparison.pairing.extra { try page.add(.init(extra.path, .extra, text: extra.why)) }
    page.canary = comparison.canary?.description
    if let canary = comparison.canary, !canary.isSound {
      try page.add(.init("canary", .unsound, text: canary.description))
    }
    if report.facts.fails, let text = report.facts.text { try page.add(.init("times", .differs, text: text)) }
    try paths.write(page)
  }
}

/// The study of a pair while its pictures are in memory.
struct CompareStudy: Sendable {
  struct Findings: Sendable {
    let figures: CompareFigures?
    /// The FLIP map, for pictures that differ.
    let flip: Image?
  }

  /// The files for pictures of differences; nil if none are wanted.
  let differences: DifferenceFiles?
  let wantsFigures: Bool
  let wantsFlip: Bool

  /// Writes the picture of the difference, and measures what was asked for.
  func findings(_ pair: FramePairing.Pair, _ comparison: PictureComparison, _ expected: Image) throws -> Findings {
    try differences?.write(comparison, of: pair, expected)
    let flip = wantsFlip && comparison.status == .differs ? comparison.verdict?.difference.flipPicture : nil
    return Findings(figures: wantsFigures ? CompareFigures(comparison) : nil, flip: flip)
  }
}
