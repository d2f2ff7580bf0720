import Foundation
import GoldenTesting
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct OutputTests {
  @Test func theOtherSideIsRefused() throws {
    let twins = try Device.open(.cpu)
    let image = GoldenFixture.picture(0)
    expectError(.incomparable) { try Output<GPU>(image, by: twins) }
    #expect(throws: Never.self) { try Output<CPU>(image, by: twins) }
  }

  /// The comparison that cannot fail: it must not even compile.
  @Test func aSideCannotBeComparedWithItself() throws {
    let snippet = """
      import GoldenTesting
      import Testing
      func compare(_ gpu: Output<GPU>, _ cpu: Output<CPU>) throws { _ = try expectConforms(FIRST, to: SECOND) }
      """
    func diagnostics(_ first: String, _ second: String) throws -> String {
      try Compiler.diagnostics(
        snippet.replacingOccurrences(of: "FIRST", with: first).replacingOccurrences(of: "SECOND", with: second))
    }
    let right = try diagnostics("gpu", "cpu")
    #expect(right.isEmpty, "\(right)")
    #expect(try diagnostics("cpu", "cpu").contains("cannot convert value of type 'Output<CPU>'"))
    #expect(try diagnostics("gpu", "gpu").contains("cannot convert value of type 'Output<GPU>'"))
    #expect(try diagnostics("cpu", "gpu").contains("cannot convert value of type"))
  }

  /// Every type that expectations take and return is visible.
  @Test func oneImportIsEnough() throws {
    let said = try Compiler.diagnostics(
      """
      import GoldenTesting
      func compare(_ picture: Image, _ buffer: CommandBuffer, _ result: Readback, at place: SourceLocation) throws {
        let (device, twins): (Device, Device) = (try Device.open(.auto), try Device.open(.cpu))
        let outcome: GoldenOutcome = try expectGolden(picture, "a", tolerance: "max<=1", sourceLocation: place)
        let golden: Golden? = outcome.golden
        let (mask, verdict): (ImageMask?, Verdict?) = (golden?.mask, outcome.verdict)
        let (gpu, cpu) = (try Output<GPU>(picture, by: device), try Output<CPU>(picture, by: twins))
        let comparison: PictureComparison = try expectConforms(gpu, to: cpu, tolerance: try Tolerance("psnr>=40"))
        let interval: IntervalDifference = try expectConforms(gpu, toUnrounded: [], epsilon: 0.1)
        let descriptor = ImageDescriptor(size: Size(1, 1), channels: Channels.gray, depth: SampleDepth.bits8)
        let recorded = RecordedOutput("result", result, descriptor)
        try expectConforms(buffer, on: device, [recorded])
        let file = try PNGFile(reading: "a.png")
        let (status, info): (ComparisonStatus, DeviceInfo) = (comparison.status, gpu.device)
        if golden == nil, mask == nil, verdict == nil, interval.passes, file.image == picture, status.passes,
          info.isCPU
        {
          throw SafelightError(.usage, "all of it", why: "it is to compile")
        }
      }
      """)
    #expect(said.isEmpty, "\(said)")
  }
}

/// The compiler, asked for its diagnostics of a text that uses the package's modules.
enum Compiler {
  /// Returns the diagnostics; empty if the text is correct.
  static func diagnostics(_ text: String) throws -> String {
    let source = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString).swift")
    try text.write(to: source, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: source) }
    // C modules are found by their maps.
    let maps =
      try [package.appending(path: "Sources"), build].flatMap { try moduleMaps(below: $0) }
      + checkouts.flatMap { try moduleMaps(below: $0.appending(path: "Sources")) }
    let headers = ["CPNGRows", "CGoldenRows"].map { "-I" + package.appending(path: "Sources/\($0)/include").path }
    return try run(
      [
        "-typecheck", "-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility", "-I",
        build.appending(path: "Modules").path,
      ]
        + (maps.map { "-fmodule-map-file=\($0.path)" } + headers).flatMap { ["-Xcc", $0] } + [source.path]
    )
  }

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder beside the test bundle with the modules that it was built from.
  private static let build: URL = {
    var build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 where !FileManager.default.fileExists(atPath: build.appending(path: "Modules").path) {
      build.deleteLastPathComponent()
    }
    return build.resolvingSymlinksInPath()
  }()

  /// The checkouts of the packages that this one depends on.
  private static var checkouts: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: build.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts"),
        includingPropertiesForKeys: nil)
    }
  }

  private static func moduleMaps(below folder: URL) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("C") || $0.lastPathComponent.hasPrefix("_") }
      .flatMap { [$0.appending(path: "module.modulemap"), $0.appending(path: "include/module.modulemap")] }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  private static func run(_ arguments: [String]) throws -> String {
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["swiftc"] + arguments
    let output = Pipe()
    compiler.standardError = output
    compiler.standardOutput = output
    try compiler.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }
}
