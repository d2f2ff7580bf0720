import FoundationEssentials
import Testing

/// Every program of Examples/ has a golden picture that somebody looked at. That every kernel has one is seen where
/// goldens are made.
@Suite struct GoldenCoverageTests {
  /// Theirs are called as the program, with a number behind it.
  @Test func everyExampleHasAGolden() throws {
    let programs = try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/Examples/Sources")
      // What they share, and a kernel with a tool of its own, whose golden lies beside its test.
      .filter { !$0.hasPrefix(".") && !["Running", "Solarize", "OwnTool"].contains($0) }
    #expect(programs.count >= 6)
    let goldens = try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/fixtures/golden/examples")
      .filter { $0.hasSuffix(".png") }.map { $0.dropLast(4) }
    for program in programs {
      #expect(
        goldens.contains { $0.hasPrefix("\(program).") }, "\(program) has no golden; see scripts/oracles/examples.py")
    }
  }
}
