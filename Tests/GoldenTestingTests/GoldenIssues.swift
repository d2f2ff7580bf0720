import GoldenTesting
import Synchronization
import Testing

/// What is said of comparisons that do not pass.
enum GoldenIssues {
  /// Runs `body` as a test with the trait would, and gives the texts of its issues.
  static func of(
    tolerance: String? = nil, in folder: String, comparisons: Int? = nil,
    _ body: @escaping @Sendable () throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let texts = Texts()
    try await withKnownIssue(isIntermittent: true) {
      try await GoldenTrait.golden(tolerance, in: folder, comparisons: comparisons)
        .provideScope(for: test, testCase: nil) { try body() }
    } matching: {
      texts.append($0.comments.map(\.rawValue).joined())
      return true
    }
    return texts.all
  }
}

/// Texts that come one after the other.
private final class Texts: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func append(_ text: String) { texts.withLock { $0.append(text) } }
}
