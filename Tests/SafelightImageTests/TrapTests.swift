import SafelightImage
import Testing

/// A caller's mistake is reported in every build; these tests run on optimized code.
@Suite struct TrapTests {
  @Test func aBrokenRequirementPrintsWhereAndWhy() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      trap(unless: CommandLine.arguments.isEmpty, "an odd \(CommandLine.argc > 0 ? "width" : ""); pass an even one")
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.contains("SafelightImageTests/TrapTests.swift:"))
    #expect(printed.contains(": an odd width; pass an even one"))
  }

  @Test func aKeptRequirementCostsNoText() {
    var isAsked = false
    func text() -> String {
      isAsked = true
      return ""
    }
    trap(unless: true, text())
    #expect(!isAsked)
  }
}
