import GoldenTesting
import Testing

/// Differences between a test's tolerance and the one in golden.json.
@Suite struct ExpectedToleranceTests {
  private let picture = GoldenFixture.picture(0)

  /// As for `safelight golden verify`.
  @Test func theGoldensToleranceCounts() async throws {
    try await GoldenFixture.with(["a": picture], tolerance: Tolerance("max<=9 && over(0)<=1px")) { folder in
      let found = try await GoldenIssues.of(in: folder) { [picture] in
        let outcome = try expectGolden(GoldenFixture.off(picture), "a")
        #expect(outcome.status == .within)
        try expectGolden(picture, "a", tolerance: "over(0)<=1px && max<=9")
        try expectGolden(picture, "a", tolerance: Tolerance("max<=9 && over(0)<=1px"))
      }
      #expect(found.isEmpty, "\(found)")
      let failing = try await GoldenIssues.of(in: folder) { [picture] in
        try expectGolden(GoldenFixture.off(picture, by: 10), "a")
      }
      #expect(failing.count == 1 && failing[0].contains("max 10 > 9"), "\(failing)")
    }
  }

  @Test(arguments: [nil, "max<=9"], ["max<=9", nil])
  func anotherToleranceOfTheTestIsAnIssue(ofCall: String?, ofTrait: String?) async throws {
    try await GoldenFixture.with(["a": picture]) { folder in
      let found = try await GoldenIssues.of(tolerance: ofTrait, in: folder) { [picture] in
        let outcome = try expectGolden(GoldenFixture.off(picture), "a", tolerance: ofCall)
        #expect(outcome.status == .differs)
      }
      guard ofCall != nil || ofTrait != nil else { return #expect(found.count == 1, "\(found)") }
      let text = try #require(found.last)
      #expect(found.count == 2 && text.contains("the test says “max<=9”, but golden.json says “exact”"), "\(found)")
      #expect(text.contains("safelight golden approve \(folder) PICTURES a --tolerance 'max<=9' --reason"), "\(text)")
    }
  }

  /// One issue covers the whole sequence.
  @Test func framesAreJudgedByTheirGoldens() async throws {
    let outputs = try (0..<3).map { try Output<CPU>(GoldenFixture.off(picture, by: 5 + $0), by: .open(.cpu)) }
    try await GoldenFixture.with(["pan/0001": picture, "pan/0002": picture, "pan/0003": picture]) { folder in
      try GoldenFixture.loosen("\(folder)/pan", to: "max<=9")
      let found = try await GoldenIssues.of(in: folder) { try expectSequence(outputs, "pan", tolerance: "max<=9") }
      #expect(found.isEmpty, "\(found)")
      let other = try await GoldenIssues.of(in: folder) { try expectSequence(outputs, "pan", tolerance: "max<=8") }
      #expect(other.count == 1 && other[0].contains("golden.json says “max<=9”"), "\(other)")
    }
  }

  @Test func wordsThatCannotBeReadAreAnIssue() async throws {
    let cpu = try Output<CPU>(picture, by: .open(.cpu))
    let found = try await GoldenIssues.of(["a": picture, "pan/0001": picture]) { [picture] in
      let outcomes = [try expectGolden(picture, "a", tolerance: "maxx<=1")]
      let frames = try expectSequence([cpu], "pan", tolerance: "max<1")
      #expect((outcomes + frames).map(\.status) == [.exact, .exact])
    }
    #expect(found.count == 2, "\(found)")
    #expect(found.first?.hasSuffix("did you mean max?\n  maxx<=1\n  ^") == true, "\(found)")
    #expect(found.last?.hasSuffix("expected <= after max\n  max<1\n     ^") == true, "\(found)")
  }
}
