import Safelight
import SafelightGolden

struct GoldenReport {
  var comparison: ComparisonReport
  private let command: String
  /// The number of FLIP maps that may still be drawn: only for the first pictures that differ.
  private var flipsLeft: Int

  init(
    _ paths: ReportPaths, _ goldens: String, _ actual: String, _ variant: String?, _ canaries: [GoldenMutationTrial]
  ) throws {
    flipsLeft = paths.hasPage ? ImageDifference.mostFlipMaps : 0
    comparison = ComparisonReport(
      title: "\(goldens) and \(actual)", version: SafelightCommand.version,
      canary: canaries.isEmpty
        ? "none was sent" : canaries.map { "“\($0.tolerance)”: \($0.text)" }.joined(separator: "; "))
    for canary in canaries where !canary.isSound {
      try comparison.add(.init("canary: \(canary.golden)", .unsound, text: "“\(canary.tolerance)”: \(canary.text)"))
    }
    command =
      "safelight golden approve \(goldens.quotedForShell) \(actual.quotedForShell)"
      + (variant.map { " --variant \($0)" } ?? "")
  }

  /// Adds a case, with the pictures that exist if somebody has to act.
  mutating func add(_ outcome: GoldenOutcome) throws {
    let difference = outcome.verdict?.difference
    let isShown = !outcome.status.passes && !outcome.isAllowed
    // A picture that cannot be read is left out; the text is about it.
    let expected = difference?.expected ?? (isShown ? (try? outcome.golden?.picture()) : nil)
    let actual =
      difference?.actual ?? (isShown ? outcome.actualPath.flatMap { try? PNGFile(reading: $0).image } : nil)
    var one: ComparisonReport.Case
    if let difference, let verdict = outcome.verdict {
      one = ComparisonReport.Case(outcome.name, difference, verdict)
    } else {
      let text =
        outcome.error?.description
        ?? ((outcome.status == .exact ? ["identical"] : []) + outcome.notes).joined(separator: "; ")
      let status = outcome.isAllowed ? .skipped : outcome.status
      one = ComparisonReport.Case(outcome.name, status, text: text, like: expected ?? actual)
    }
    one.expectedPath = outcome.golden?.path
    one.actualPath = outcome.actualPath
    if isShown, outcome.actualPath != nil {
      let renaming = outcome.renamedFrom == nil ? nil : outcome.error?.remedy
      one.approve = renaming ?? "\(command) \(outcome.name.quotedForShell) --reason TEXT"
    }
    let flip = outcome.status == .differs && flipsLeft > 0 ? difference?.flipPicture : nil
    if flip != nil { flipsLeft -= 1 }
    try comparison.add(
      one, expected: expected, actual: actual, flip: flip, mask: outcome.golden?.mask,
      duration: outcome.duration)
  }
}
