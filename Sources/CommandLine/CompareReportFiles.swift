import Safelight
import SafelightGolden

/// The files of `--report`, by the ends of their names: a page, JSON, JUnit's XML.
struct CompareReportFiles {
  /// FLIP's maps take long; more pairs than these have none.
  private static let pairsWithFlip = 12

  private let paths: ReportPaths
  private let sequence: String?
  private let hasFlip: Bool
  private var report: ComparisonReport

  /// Makes sure that they replace nothing that is compared.
  init(_ paths: ReportPaths, _ title: String, _ pairing: FramePairing) throws {
    try self.init(
      paths, title,
      beside: pairing.pairs.flatMap { [$0.expected, $0.actual] } + (pairing.missing + pairing.extra).map(\.path),
      isSequence: pairing.pairs.count > 1 && pairing.pairs.allSatisfy { $0.number != nil },
      hasFlip: pairing.pairs.count <= Self.pairsWithFlip)
  }

  /// Makes sure that they replace none of `inputs`. The frames of a sequence are one entry with a chart.
  init(_ paths: ReportPaths, _ title: String, beside inputs: [String], isSequence: Bool, hasFlip: Bool) throws {
    try paths.check(beside: inputs)
    self.paths = paths
    self.hasFlip = hasFlip
    sequence = isSequence ? title : nil
    report = ComparisonReport(title: title, version: SafelightCommand.version)
  }

  /// Whether pairs that differ should come with FLIP's map.
  var wantFlip: Bool { hasFlip && paths.hasPage }

  /// Notes a frame with its pictures.
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

  /// Writes them all.
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
