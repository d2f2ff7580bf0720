import GoldenTesting
import TestSupport
import Testing

@Suite struct TestMutationTrialTests {
  /// Even if many tests ask at once.
  @Test func whatIsSoundIsNotTriedAgain() async throws {
    let canary = TestMutationTrial()
    let tally = ComparisonTally()
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          try canary.check("a", "key", .exact) {
            tally.count(.exact, byVariant: false)
            return (true, "canary ok")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(tally.compared == 1)
  }

  /// Another picture may have more to damage.
  @Test func whatIsUnsoundIsTriedAgain() throws {
    let canary = TestMutationTrial()
    expectError(what: "a", why: .containing("(all passes)")) {
      try canary.check("a", "key", .exact) { (false, "all passes") }
    }
    try canary.check("b", "key", .exact) { (true, "") }
    try canary.check("a", "key", .exact) { (false, "") }
  }
}
