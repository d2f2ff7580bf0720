import ArgumentParser
import Safelight
import SafelightGolden

/// The results of a comparison for people and programs, gathered pair by pair.
struct CompareOutcomes {
  private var report: CompareReport
  private var files: CompareReportFiles
  private let display: ProgressDisplay
  private let start = ContinuousClock().now

  /// `total` is nil if the number of pairs is unknown.
  init(_ report: CompareReport, _ files: CompareReportFiles, progress: ProgressStyle, total: Int?) {
    self.report = report
    self.files = files
    display = ProgressDisplay(progress, total: total)
  }

  /// Adds a pair; its pictures are not kept.
  mutating func add(_ frame: FrameComparison, _ findings: CompareStudy.Findings?) throws {
    report.add(frame, findings?.figures)
    try files.add(frame, flip: findings?.flip)
    let pair = frame.pair
    display.frameCounted(Frame(index: pair.index, number: pair.index + 1, path: pair.actual), since: start)
  }

  /// Writes everything that was asked for, and returns the code of the worst result; nil if all pairs pass.
  mutating func finish(_ comparison: SequenceComparison, _ format: ListingFormat) throws -> ExitCode? {
    display.countingEnded(comparison.statuses.count)
    // A full disk does not take the result away from whoever reads it here.
    let written = Result { try files.write(comparison) }
    try deliver(format == .json ? report.json(comparison) : report.text(comparison))
    try written.get()
    if let error = report.errors.first(where: { $0.kind != .incomparable }) { return error.exitCode }
    if comparison.counts[.incomparable] > 0 { return .incomparable }
    if !comparison.pairing.missing.isEmpty || !comparison.pairing.extra.isEmpty { return .missingFrame }
    return comparison.passes ? nil : .differs
  }
}

/// The files of `--report`, by their extensions: an HTML page, JSON, or JUnit XML.
struct CompareReportFiles {
  /// The most pairs that get FLIP maps, which take long.
  private static let pairsWithFlip = 12

  private let paths: ReportPaths
  private let sequence: String?
  private let hasFlip: Bool
  private var report: ComparisonReport

  /// Checks that the files replace nothing that is compared.
  init(_ paths: ReportPaths, _ title: String, _ pairing: FramePairing) throws {
    try self.init(
      paths, title,
      beside: pairing.pairs.flatMap { [$0.expected, $0.actual] } + (pairing.missing + pairing.extra).map(\.path),
      isSequence: pairing.pairs.count > 1 && pairing.pairs.allSatisfy { $0.number != nil },
      hasFlip: pairing.pairs.count <= Self.pairsWithFlip)
  }

  /// Checks that the files replace none of `inputs`. The frames of a sequence are one entry with a chart.
  init(_ paths: ReportPaths, _ title: String, beside inputs: [String], isSequence: Bool, hasFlip: Bool) throws {
    try paths.check(beside: inputs)
    self.paths = paths
    self.hasFlip = hasFlip
    sequence = isSequence ? title : nil
    report = ComparisonReport(title: title, version: SafelightCommand.version)
  }

  /// True if pairs that differ should come with a FLIP map.
  var wantFlip: Bool { hasFlip && paths.hasPage }

  /// Adds a frame with its pictures.
  mutating func add(_ frame: FrameComparison, flip: Image?) throws {
    guard !paths.isEmpty else { return }
    let difference = frame.verdict?.difference
    var one: ComparisonReport.Case
    switch (frame.verdict, frame.error) {
    case (let verdict?, _):
      one = ComparisonReport.Case(frame.pair.name, verdict.difference, verdict)
    case (nil, let error?):
      one = ComparisonReport.Case(frame.pair.name, frame.status, text: error.message)
    case (nil, nil): one = ComparisonReport.Case(frame.pair.name, .exact, text: "identical")
    }
    (one.sequence, one.frame, one.flicker) = (sequence, frame.pair.number, frame.flicker)
    (one.expectedPath, one.actualPath) = (frame.pair.expected, frame.pair.actual)
    try report.add(
      one, expected: difference?.expected, actual: difference?.actual, flip: flip, mask: difference?.mask,
      duration: frame.duration)
  }

  /// Writes all files.
  mutating func write(_ comparison: SequenceComparison) throws {
    guard !paths.isEmpty else { return }
    for missing in comparison.pairing.missing { try report.add(.init(missing.path, .missing, text: missing.why)) }
    for extra in comparison.pairing.extra { try report.add(.init(extra.path, .extra, text: extra.why)) }
    report.canary = comparison.canary?.description
    if let canary = comparison.canary, !canary.isSound {
      try report.add(.init("canary", .unsound, text: canary.description))
    }
    try paths.write(report)
  }
}

/// The study of a pair while its pictures are in memory.
struct CompareStudy: Sendable {
  /// The results that are kept.
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
