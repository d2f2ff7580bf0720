internal import SafelightGolden
internal import SafelightImage
internal import Testing

/// One comparison of a test with a picture that is no golden, from two pictures to an issue.
struct Comparison {
  let name: String
  let expected: Image
  let actual: Image
  /// The tolerance of the call; nil takes that of the trait, or `exact` if there is none.
  let tolerance: (any ToleranceConvertible)?
  /// What was compared with what.
  let sides: String

  /// Compares after the canary, counts, and records an issue where the tolerance does not let the difference pass.
  func judge(_ sourceLocation: SourceLocation) throws -> PictureComparison {
    let tolerance = tolerance?.tolerance(at: sourceLocation) ?? GoldenSettings.current.tolerance ?? .exact
    try TestCanary.ofProcess.check(expected, name, tolerance)
    let comparison = try PictureComparison(expected: expected, actual: actual, tolerance: tolerance)
    GoldenSettings.current.count(comparison.status)
    if comparison.status == .differs, let verdict = comparison.verdict {
      Issue.record("\(name) differs (\(sides)): \(verdict)", sourceLocation: sourceLocation)
      try PictureAttachments(name: name, actual: actual, difference: verdict.difference).record(sourceLocation)
    }
    return comparison
  }
}
