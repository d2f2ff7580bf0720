import Foundation
import Testing

/// The compiler, asked what it thinks of a text that uses the package's modules.
enum Compiler {
  /// What it says; empty where the text is right.
  static func diagnostics(_ text: String) throws -> String {
    let source = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString).swift")
    try text.write(to: source, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: source) }
    // Modules of C are found by their maps.
    let maps =
      try [package.appending(path: "Sources"), build].flatMap { try moduleMaps(below: $0) }
      + checkouts.flatMap { try moduleMaps(below: $0.appending(path: "Sources")) }
    let headers = package.appending(path: "Sources/CPNGRows/include")
    return try run(
      [
        "-typecheck", "-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility", "-I",
        build.appending(path: "Modules").path,
      ]
        + (maps.map { "-fmodule-map-file=\($0.path)" } + ["-I\(headers.path)"]).flatMap { ["-Xcc", $0] } + [source.path]
    )
  }

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Beside the bundle of tests lie the modules that it was made of.
  private static let build: URL = {
    var build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 where !FileManager.default.fileExists(atPath: build.appending(path: "Modules").path) {
      build.deleteLastPathComponent()
    }
    return build.resolvingSymlinksInPath()
  }()

  /// The packages that this one needs.
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
