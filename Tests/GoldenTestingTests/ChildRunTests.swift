import Foundation
import GoldenTesting
import SafelightFrames
import SafelightGPU
import SafelightGolden
import Testing

/// The last line and the exit of a whole test run.
@Suite struct ChildRunTests {
  private func run(_ tests: String, _ environment: [String: String] = [:]) async throws -> ChildRun {
    let picture = GoldenFixture.picture(0)
    return try await GoldenFixture.with(["a": picture, "loose/a": picture]) { folder in
      try GoldenFixture.loosen("\(folder)/loose", to: "max<=9")
      return try ChildRun(tests, in: folder, environment)
    }
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

/// A run of ``ChildTests`` in a process of its own: its exit code and last line are what continuous integration sees.
struct ChildRun {
  let code: Int32
  let text: String
  var lastLine: Substring { text.split(separator: "\n").last ?? "" }

  /// Runs `tests`, a pattern of their functions' names, with the goldens of `folder`.
  init(_ tests: String, in folder: String, _ environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["--testing-library", "swift-testing", "--filter", "ChildTests/(\(tests))\\("]
    var inherited = ProcessInfo.processInfo.environment
    inherited["SAFELIGHT_REQUIRE_GPU"] = nil
    inherited[Self.variable] = folder
    process.environment = inherited.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    code = process.terminationStatus
  }

  private static let variable = "SAFELIGHT_CHILD_GOLDENS"
  /// The golden folder of a child process; nil in the parent.
  static let goldens = ProcessInfo.processInfo.environment[variable]
  /// The picture that a child compares with the golden `full`.
  static let picture = ProcessInfo.processInfo.environment["SAFELIGHT_CHILD_PICTURE"]
}

/// Tests of which some fail: only child processes run them.
@Suite(.enabled(if: ChildRun.goldens != nil, "only a child of another test runs them"), .golden(in: ChildRun.goldens))
struct ChildTests {
  private let picture = GoldenFixture.picture(0)

  @Test func passes() throws {
    try expectGolden(picture, "a")
    try expectGolden(GoldenFixture.off(picture), "loose/a", tolerance: "max<=9")
  }

  @Test func fails() throws {
    try expectGolden(GoldenFixture.off(picture), "a")
    try expectGolden(GoldenFixture.picture(1), "a")
  }

  @Test(.golden(comparisons: 2)) func comparesOne() throws { try expectGolden(picture, "a") }

  /// The comparison that scripts/check-golden-time measures.
  @Test(.enabled(if: ChildRun.picture != nil, "only scripts/check-golden-time runs it")) func comparesAFile() throws {
    try expectGolden(PNGFile(reading: try #require(ChildRun.picture)).image, "full")
  }

  @Test(.requiresGPU(.node("/dev/dri/no-such-node"))) func needsADevice() throws { try expectGolden(picture, "a") }
}

@Suite struct ComparisonTallyTests {
  @Test func whatCouldNotBeComparedIsOneNumber() {
    let tally = ComparisonTally()
    for status in ComparisonStatus.allCases { tally.count(status, byVariant: false) }
    #expect(tally.compared == 3 && tally.failed == 6)
    #expect(tally.summary == "golden: 3 compared: 1 exact, 1 within, 1 differ; 6 not comparable, 1 skipped")
  }

  /// Variants are exceptions and therefore reported.
  @Test func variantsAreCounted() {
    let tally = ComparisonTally()
    tally.count(.exact, byVariant: true)
    tally.count(.differs, byVariant: true)
    tally.count(.exact, byVariant: false)
    #expect(
      tally.summary == "golden: 3 compared: 2 exact, 0 within, 1 differ; 0 not comparable, 0 skipped; 2 by variants")
  }
}
