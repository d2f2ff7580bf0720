import Glibc
import SafelightFrames
package import SafelightGolden
import SafelightImage
import Synchronization
import Testing

/// Compares what the GPU made with what the CPU made: sends the canary, compares, counts, and records an issue if the
/// tolerance rejects the difference. Without a `tolerance` the trait's counts, or `exact` if the trait has none.
func judge(
  _ name: String, _ actual: Output<GPU>, _ expected: Output<CPU>, _ tolerance: (any ToleranceConvertible)?,
  _ sourceLocation: SourceLocation
) throws -> PictureComparison {
  let tolerance = tolerance?.tolerance(at: sourceLocation) ?? GoldenSettings.current.tolerance ?? .exact
  try TestMutationTrial.ofProcess.check(expected.image, name, tolerance)
  let comparison = try PictureComparison(expected: expected.image, actual: actual.image, tolerance: tolerance)
  GoldenSettings.current.count(comparison.status)
  if comparison.status == .differs, let verdict = comparison.verdict {
    let sides = "\(expected.device.name) against \(actual.device.name)"
    Issue.record("\(name) differs (\(sides)): \(verdict)", sourceLocation: sourceLocation)
    try attach(name, actual.image, verdict.difference, at: sourceLocation)
  }
  return comparison
}

/// The test that a call of an expectation belongs to.
///
/// `Test.current` is nil on other threads and in detached tasks: a difference found there would be lost, and the run
/// would pass.
struct ExpectationContext {
  let test: Test

  /// - Throws: ``SafelightError`` of kind `usage` outside a test.
  init(_ call: String) throws(SafelightError) {
    guard let test = Test.current else {
      throw SafelightError(
        .usage, call, why: "it was called outside a test of Swift Testing, where a difference would be lost",
        remedy: "call it from a @Test function, on the test's own task")
    }
    self.test = test
  }

  var isParameterized: Bool { Test.Case.current?.isParameterized ?? false }

  /// The name of the test's function without its labels.
  var name: String { String(test.name.prefix { $0 != "(" }) }
}

/// The counts of comparisons in one test or in the whole process.
package final class ComparisonTally: Sendable {
  private struct State {
    var counts = ComparisonCounts()
    var byVariant = 0
    /// The number of comparisons that could not be made, each of which recorded an issue.
    var failed = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var compared: Int { state.withLock { $0.counts.compared } }
  /// The number of comparisons that could not be made, each of which recorded an issue.
  package var failed: Int { state.withLock { $0.failed } }

  package func count(_ status: ComparisonStatus, byVariant: Bool) {
    state.withLock {
      $0.counts.add(status)
      if byVariant { $0.byVariant += 1 }
      if status.fails && !status.isCompared { $0.failed += 1 }
    }
  }

  /// The last line of a run: `golden: 12 compared: 10 exact, 2 within, 0 differ; 0 not comparable, 3 skipped`.
  package var summary: String {
    let state = state.withLock { $0 }
    let variants = state.byVariant > 0 ? "; \(state.byVariant) by variants" : ""
    return "golden: \(state.counts); \(state.failed) not comparable, \(state.counts.text(.skipped))\(variants)"
  }

  /// The tally of the whole process. It is printed when the process ends, so that skips are seen in a run that passes.
  static let ofProcess: ComparisonTally = {
    atexit {
      var line = Array((ComparisonTally.ofProcess.summary + "\n").utf8)
      unsafe line.withUnsafeMutableBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
    return ComparisonTally()
  }()
}

/// Attaches the pictures of a comparison that failed; `swift test --attachments-path FOLDER` writes them to the folder.
/// `difference` is nil if the pictures could not be compared.
func attach(
  _ name: String, _ actual: Image, _ difference: ImageDifference?, at sourceLocation: SourceLocation
) throws {
  var pictures = [("actual", actual)]
  if let difference {
    pictures += [("expected", difference.expected), ("difference", DifferencePicture(difference).image)]
  }
  let stem = name.split(separator: "/").joined(separator: "-")
  for (kind, image) in pictures {
    Attachment.record(
      try PNGEncoder.encode(PNGFile(image: image.samplesAlone)), named: "\(stem)-\(kind).png",
      sourceLocation: sourceLocation)
  }
}
