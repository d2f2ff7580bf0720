internal import Glibc
package import SafelightGolden
internal import SafelightImage
internal import Synchronization
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

/// What was compared, in one test and in the whole process.
package final class ComparisonTally: Sendable {
  private struct State {
    var counts = ComparisonCounts()
    /// Those with the variant of a golden.
    var byVariant = 0
    /// Those that could not be made, which was said.
    var failed = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many comparisons there were.
  package var compared: Int { state.withLock { $0.counts.compared } }

  /// How many could not be made, which was said.
  package var failed: Int { state.withLock { $0.failed } }

  package func count(_ status: ComparisonStatus, byVariant: Bool) {
    state.withLock {
      $0.counts.add(status)
      if byVariant { $0.byVariant += 1 }
      if status.fails && !status.isCompared { $0.failed += 1 }
    }
  }

  /// As the last line of a run: `golden: 12 compared: 10 exact, 2 within, 0 differ; 0 not comparable, 3 skipped`.
  package var summary: String {
    let state = state.withLock { $0 }
    let variants = state.byVariant > 0 ? "; \(state.byVariant) by variants" : ""
    return "golden: \(state.counts); \(state.failed) not comparable, \(state.counts.text(.skipped))\(variants)"
  }

  /// All of the process; what it holds is said when the process ends, so that skips are seen in a run that passes.
  static let ofProcess: ComparisonTally = {
    atexit {
      var line = Array((ComparisonTally.ofProcess.summary + "\n").utf8)
      unsafe line.withUnsafeMutableBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
    return ComparisonTally()
  }()
}

/// The test that expects something.
///
/// Comparisons belong to a test: elsewhere what they find would be lost, and the run would pass (`Test.current` is nil on threads and in
/// detached tasks).
struct ExpectationPlace {
  let test: Test

  /// - Throws: ``SafelightError`` of the kind `usage` outside a test.
  init(_ call: String) throws(SafelightError) {
    guard let test = Test.current else {
      throw SafelightError(
        .usage, call, why: "it was called outside a test of Swift Testing, where a difference would be lost",
        remedy: "call it from a @Test function, on the test's own task")
    }
    self.test = test
  }

  /// Whether the test runs once for each of several arguments.
  var isParameterized: Bool { Test.Case.current?.isParameterized ?? false }

  /// The test's function without its labels.
  var name: String { String(test.name.prefix { $0 != "(" }) }
}
