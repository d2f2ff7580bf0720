import ArgumentParser
import Safelight
import SafelightGolden

/// What a comparison leaves for people and programs, gathered pair by pair.
struct CompareOutcomes {
  private var report: CompareReport
  private var files: CompareReportFiles
  private let display: ProgressDisplay
  private let start = ContinuousClock().now

  /// `total` is nil if nobody knows how many pairs there are.
  init(_ report: CompareReport, _ files: CompareReportFiles, progress: ProgressStyle, total: Int?) {
    self.report = report
    self.files = files
    display = ProgressDisplay(progress, total: total)
  }

  /// Notes a pair; its pictures are not kept.
  mutating func add(_ frame: FrameComparison, _ findings: CompareStudy.Findings?) throws {
    report.add(frame, findings?.figures)
    try files.add(frame, flip: findings?.flip)
    let pair = frame.pair
    display.frameCounted(Frame(index: pair.index, number: pair.index + 1, path: pair.actual), since: start)
  }

  /// Writes all that was asked for, and returns the worst that was found; nil if all is as it should be.
  mutating func finish(_ comparison: SequenceComparison, _ format: ListingFormat) throws -> ExitCode? {
    display.countingEnded(comparison.statuses.count)
    try files.write(comparison)
    try deliver(format == .json ? report.json(comparison) : report.text(comparison))
    if let error = report.errors.first(where: { $0.kind != .incomparable }) { return error.exitCode }
    if comparison.counts[.incomparable] > 0 { return .incomparable }
    if !comparison.pairing.missing.isEmpty || !comparison.pairing.extra.isEmpty { return .missingFrame }
    return comparison.passes ? nil : .differs
  }
}
