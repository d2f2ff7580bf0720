import Foundation
import GoldenTesting
import SafelightGPU
import SafelightGolden
import Testing

/// ``ChildTests`` in a process of its own: how that ends and its last line are what continuous integration sees.
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
  /// The golden folder that this process is to compare with; nil in all but children.
  static let goldens = ProcessInfo.processInfo.environment[variable]
}

/// Tests of which some fail: only children run them.
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

  @Test(.requiresGPU(.node("/dev/dri/no-such-node"))) func needsADevice() throws { try expectGolden(picture, "a") }
}
