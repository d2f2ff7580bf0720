import Foundation
import Testing

/// Runs the tool as a person would, in a process of its own.
struct Tool {
  /// How a run ended.
  struct Outcome {
    var code: Int32
    var output: String
    var errors: String
  }

  /// The package's folder.
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A path under fixtures/.
  static func fixture(_ path: String) -> String { package.appending(path: "fixtures/\(path)").path }

  /// The executable, which the package manager puts beside the bundle of tests.
  static let executable: URL = {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 where !FileManager.default.isExecutableFile(atPath: folder.appending(path: "safelight").path) {
      folder.deleteLastPathComponent()
    }
    return folder.appending(path: "safelight")
  }()

  /// Begins a run; `environment` is added to that of the tests. It runs as for a person, also on a build server.
  static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> (Process, Pipe, Pipe) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["CI": ""]) { $1 }.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output, errors)
  }

  /// Runs to the end.
  static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
    let (process, output, errors) = try start(arguments, environment: environment)
    return try end(process, output, errors)
  }

  /// Waits for the end; both pipes are drained at once, so that neither can fill up and block the tool.
  static func end(_ process: Process, _ output: Pipe, _ errors: Pipe) throws -> Outcome {
    let reading = DispatchQueue(label: "errors")
    nonisolated(unsafe) var errorBytes = Data()
    // Safe: written in the block, read after `sync` has waited for it.
    reading.async { errorBytes = errors.fileHandleForReading.readDataToEndOfFile() }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    reading.sync {}
    return Outcome(
      code: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }
}

/// A folder that is gone with the test.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "safelight-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Issue.record("\(url.path) stays behind: \(error)")
    }
  }

  var path: String { url.path }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// What the file `name` holds.
  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// The path of everything inside, at any depth.
  func allNames(_ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path(folder)).sorted()
  }

  /// Every name inside, hidden ones too.
  func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? path : path(folder)).sorted()
  }
}
