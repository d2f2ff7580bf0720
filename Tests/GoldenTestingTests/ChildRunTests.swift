import Testing

/// What a whole run of tests says in the end, and how it ends.
@Suite struct ChildRunTests {
  private func run(_ tests: String, _ environment: [String: String] = [:]) async throws -> ChildRun {
    var run: ChildRun?
    let picture = GoldenFixture.picture(0)
    try await GoldenFixture.with(["a": picture, "loose/a": picture]) { folder in
      try GoldenFixture.loosen("\(folder)/loose", to: "max<=9")
      run = try ChildRun(tests, in: folder, environment)
    }
    return try #require(run)
  }

  @Test func whatIsSkippedPassesAndIsCounted() async throws {
    let run = try await run("passes|needsADevice")
    #expect(run.code == 0, "\(run.text)")
    #expect(
      run.lastLine == "golden: 2 compared: 1 exact, 1 within, 0 differ; 0 not comparable, 1 skipped", "\(run.text)")
    #expect(run.text.contains("needsADevice() is skipped: no device matches node:/dev/dri/no-such-node"), "\(run.text)")
  }

  @Test func whatIsSkippedFailsWhereADeviceMustBeThere() async throws {
    let run = try await run("passes|needsADevice", ["SAFELIGHT_REQUIRE_GPU": "1"])
    #expect(run.code != 0, "\(run.text)")
    #expect(
      run.lastLine == "golden: 2 compared: 1 exact, 1 within, 0 differ; 0 not comparable, 0 skipped", "\(run.text)")
    #expect(run.text.contains("no device matches node:/dev/dri/no-such-node"), "\(run.text)")
  }

  @Test func whatDiffersOrCannotBeComparedIsCounted() async throws {
    let run = try await run("passes|fails")
    #expect(run.code != 0, "\(run.text)")
    #expect(
      run.lastLine == "golden: 3 compared: 1 exact, 1 within, 1 differ; 1 not comparable, 0 skipped", "\(run.text)")
  }

  @Test func theExpectedNumberIsChecked() async throws {
    let run = try await run("comparesOne")
    #expect(run.code != 0 && run.text.contains("1 comparisons were made, 2 expected"), "\(run.text)")
    #expect(
      run.lastLine == "golden: 1 compared: 1 exact, 0 within, 0 differ; 0 not comparable, 0 skipped", "\(run.text)")
  }
}
