internal import Glibc
internal import Synchronization

/// What was compared, in one test and in the whole process.
final class ComparisonTally: Sendable {
  enum Outcome {
    case exact, within, differs, failed, skipped
    /// With the variant of a golden; counted beside how it ended.
    case byVariant
  }

  private let counts = Mutex<[Outcome: Int]>([:])

  /// How many comparisons there were.
  var compared: Int { counts.withLock { counts in [.exact, .within, .differs].reduce(0) { $0 + (counts[$1] ?? 0) } } }

  /// How many could not be made, which was said.
  var failed: Int { counts.withLock { $0[.failed] ?? 0 } }

  func count(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

  /// As the last line of a run: `golden: 12 compared: 10 exact, 2 within, 0 differ; 0 not comparable, 3 skipped`.
  var summary: String {
    let counts = counts.withLock { $0 }
    func number(_ outcome: Outcome) -> Int { counts[outcome] ?? 0 }
    let variants = number(.byVariant) > 0 ? "; \(number(.byVariant)) by variants" : ""
    return
      "golden: \(compared) compared: \(number(.exact)) exact, \(number(.within)) within, \(number(.differs)) differ; "
      + "\(number(.failed)) not comparable, \(number(.skipped)) skipped\(variants)"
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
