internal import SafelightGolden
internal import SafelightImage
internal import Testing

/// One comparison of a test, from two pictures to an issue.
struct Comparison {
  let name: String
  let expected: Image
  let actual: Image
  let tolerance: Tolerance?
  /// What was compared with what.
  let sides: String

  /// Compares, counts, and records an issue where the tolerance does not let the difference pass.
  func judge(_ sourceLocation: SourceLocation) throws -> Verdict {
    let difference = try ImageDifference(expected: expected, actual: actual)
    let verdict = (tolerance ?? GoldenSettings.current.tolerance ?? .exact).verdict(on: difference)
    GoldenSettings.current.count(difference.isIdentical ? .exact : verdict.passes ? .within : .differs)
    if !verdict.passes {
      Issue.record("\(name) differs (\(sides)): \(verdict)", sourceLocation: sourceLocation)
      try PictureAttachments(name: name, expected: expected, actual: actual).record(sourceLocation)
    }
    return verdict
  }
}
