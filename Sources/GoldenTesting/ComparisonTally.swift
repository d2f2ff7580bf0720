internal import Glibc
package import SafelightGolden
internal import Synchronization

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
