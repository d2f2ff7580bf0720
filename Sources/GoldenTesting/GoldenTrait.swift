internal import SafelightGolden
internal import SafelightImage
public import Testing

/// What the comparisons of a test or suite go by, and that there are any.
public struct GoldenTrait: TestTrait, SuiteTrait, TestScoping {
  let tolerance: String?
  let folder: String?
  let comparisons: Int?

  /// Holds for the tests of a suite too; what they say themselves goes first.
  public var isRecursive: Bool { true }

  /// Counts what the test compares: a test that compares nothing fails, as it could not fail otherwise.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let outer = GoldenSettings.current
    let settings = GoldenSettings(
      tolerance: try tolerance.map { try Tolerance($0) } ?? outer.tolerance, folder: folder ?? outer.folder,
      tally: outer.tally ?? ComparisonTally())
    try await GoldenSettings.$current.withValue(settings) { try await function() }
    let compared = settings.tally?.compared ?? 0
    if let comparisons, compared != comparisons {
      Issue.record("\(compared) comparisons were made, \(comparisons) expected", sourceLocation: test.sourceLocation)
    } else if outer.tally == nil, compared == 0, settings.tally?.failed == 0 {
      Issue.record(
        "nothing was compared; a test with the trait .golden calls expectGolden, expectConforms or expectSequence",
        sourceLocation: test.sourceLocation)
    }
  }
}

extension Trait where Self == GoldenTrait {
  /// The comparisons of a test, or of each test of a suite.
  ///
  /// - Parameters:
  ///   - tolerance: What passes, as a sentence; nil is what an outer suite says, and `exact` without one. A golden is
  ///     judged by its own, and an issue tells where that is another.
  ///   - folder: Where the goldens lie, beside the file of the test unless absolute; nil is what an outer suite says, and `Goldens`
  ///     without one.
  ///   - comparisons: How many each case makes, no more and no fewer; nil is at least one.
  public static func golden(_ tolerance: String? = nil, in folder: String? = nil, comparisons: Int? = nil) -> Self {
    GoldenTrait(tolerance: tolerance, folder: folder, comparisons: comparisons)
  }
}

/// What ``GoldenTrait`` says, for the test's own task.
package struct GoldenSettings: Sendable {
  var tolerance: Tolerance?
  var folder: String?
  package var tally: ComparisonTally?

  @TaskLocal package static var current = GoldenSettings()

  /// Counts a comparison, for the test and for the process.
  func count(_ status: ComparisonStatus, byVariant: Bool = false) {
    tally?.count(status, byVariant: byVariant)
    ComparisonTally.ofProcess.count(status, byVariant: byVariant)
  }
}
