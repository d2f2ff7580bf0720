import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Runs the tool as a person would, in a process of its own.
struct Tool {
  /// How a run ended.
  struct Outcome {
    /// The arguments of the run.
    let line: String
    let code: Int32
    let output: String
    let errors: String

    /// Expects the exit code `code`.
    @discardableResult func ends(_ code: some BinaryInteger, at place: SourceLocation = #_sourceLocation) -> Outcome {
      expect(self.code == code, place)
    }

    /// Expects each of `texts` on standard error, or `only` and nothing else.
    @discardableResult func says(
      _ texts: String..., only: String? = nil, at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
      for text in texts { expect(errors.contains(text), place) }
      return expect(only == nil || errors == only, place)
    }

    /// Expects each of `texts` on standard output, `first` at its beginning, `last` at its end, or `only` and nothing
    /// else.
    @discardableResult func prints(
      _ texts: String..., first: String = "", last: String = "", only: String? = nil,
      at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
      for text in texts { expect(output.contains(text), place) }
      expect(output.hasPrefix(first) && output.hasSuffix(last), place)
      return expect(only == nil || output == only, place)
    }

    @discardableResult private func expect(_ holds: Bool, _ place: SourceLocation) -> Outcome {
      #expect(holds, "\(self)", sourceLocation: place)
      return self
    }

    /// The object that was printed.
    var json: [String: Any] {
      get throws { try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]) }
    }

    /// The lines of `--progress json`.
    var events: [[String: Any]] {
      get throws {
        try errors.split(separator: "\n").map { line in
          try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
      }
    }
  }

  /// The package's folder.
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A path under fixtures/.
  static func fixture(_ path: String) -> String { package.appending(path: "fixtures/\(path)").path }

  /// The same as a word for the shell.
  static func word(_ path: String) -> String { "'\(fixture(path))'" }

  /// A picture, and a folder of 24 of them.
  static let haze = word("haze/haze.png")
  static let darkRoom = word("dark-room")

  /// The executable, which the package manager puts beside the bundle of tests.
  static let executable: URL = {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 where !FileManager.default.isExecutableFile(atPath: folder.appending(path: "safelight").path) {
      folder.deleteLastPathComponent()
    }
    return folder.appending(path: "safelight")
  }()

  /// Begins a run; `environment` is added to that of the tests. It runs as for a person, also on a build server.
  static func start(
    _ arguments: [String], environment: [String: String] = [:], of program: URL = executable
  ) throws -> (Process, Pipe, Pipe) {
    let process = Process()
    process.executableURL = program
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
    try run(arguments, environment: environment)
  }

  /// Runs to the end.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    let (process, output, errors) = try start(arguments, environment: environment)
    return try end(process, output, errors)
  }

  /// Runs until `isTime`, and ends by `signal`.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], until signal: Int32, _ isTime: () -> Bool
  ) throws -> Outcome {
    let (process, output, errors) = try start(arguments, environment: environment)
    while process.isRunning, !isTime() { usleep(1000) }
    if process.isRunning { kill(process.processIdentifier, signal) }
    return try end(process, output, errors)
  }

  /// True once the tool has a handler for SIGTERM (proc(5), SigCgt).
  static func hearsSignals(_ process: Process) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    return status?.contains(/SigCgt:.*[4-7c-f]...\n/) == true
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
      line: (process.arguments ?? []).joined(separator: " "), code: process.terminationStatus,
      output: String(decoding: bytes, as: UTF8.self), errors: String(decoding: errorBytes, as: UTF8.self))
  }
}

extension TemporaryFolder {
  /// The object in the file `name`.
  func json(_ name: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(bytes(name))) as? [String: Any])
  }

  /// The report of a run in the file `name`.
  func report(_ name: String) throws -> RunReport { try JSONDecoder().decode(RunReport.self, from: Data(bytes(name))) }

  func areEqual(_ one: String, _ other: String) -> Bool {
    FileManager.default.contentsEqual(atPath: path(one), andPath: path(other))
  }

  /// Writes pictures of noise that differ in one sample: in/f0.png and so on.
  func writeFrames(_ count: Int) throws {
    try make("in")
    for number in 0..<count {
      var image = SyntheticImage.noise.image(Size(20, 10), channels: .rgb, depth: .bits8)
      image[x: 0, y: 0, sample: 0] = number
      try write(image, to: "in/f\(number).png")
    }
  }

  /// Copies the folder of shaders, with `wrong` for `right` in `file`; the path of the copy.
  func shaders(_ file: String, with wrong: String, for right: String) throws -> String {
    try copy(Tool.package.appending(path: "Shaders").path, to: "shaders")
    let text = try text("shaders/\(file)")
    #expect(text.contains(right), "the defect no longer fits the shader")
    try write(text.replacing(right, with: wrong), to: "shaders/\(file)")
    return path("shaders")
  }
}

/// `--report`, as programs read it.
struct RunReport: Decodable {
  struct Frame: Decodable {
    let index: Int
    let output: String?
    let status: String
    let pixels: String?
    let error: String?
  }
  struct Summary: Decodable { let done, skipped, failed, untouched, code: Int }
  let device: String?
  let error: String?
  let shard: String?
  let frames: [Frame]
  let summary: Summary
}
