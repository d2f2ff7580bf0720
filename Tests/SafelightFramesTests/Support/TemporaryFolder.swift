import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// A folder that is removed when its owner is deallocated.
final class TemporaryFolder {
  let path: String

  init() {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)")
    path = url.path
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      Issue.record(error)
    }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) was not removed: \(error)") }
  }

  /// The path of `name` inside.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes `bytes` to the file `name`, creating folders as needed; returns its path.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8] = []) throws -> String {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Writes a shell script; returns its path.
  ///
  /// Another process creates the file: children of this process, which tests start all the time, inherit its open files
  /// for a moment, and a file that is open for writing cannot be run (ETXTBSY).
  @discardableResult
  func writeProgram(_ name: String, _ script: String) throws -> String {
    let source = try write(name + ".source", Array("#!/bin/sh\n\(script)\n".utf8))
    let install = Process()
    install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
    install.arguments = ["-m", "755", source, self(name)]
    try install.run()
    install.waitUntilExit()
    return self(name)
  }

  /// Runs ffmpeg with `arguments`, divided at spaces.
  func ffmpeg(_ arguments: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
    process.arguments = ["-v", "error"] + arguments.split(separator: " ").map(String.init)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// The bytes of the file `name`.
  func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: self(name)))) }

  /// All names inside, hidden ones included, sorted.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

extension TemporaryFolder {
  /// The number of a child, as soon as it has written it to the file `pid`.
  func process() async throws -> Int32 {
    while true {
      if fileExists(self("pid")) {
        let text = String(decoding: try read("pid"), as: UTF8.self)
        if text.hasSuffix("\n") { return try #require(Int32(text.dropLast())) }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// Waits until the process is gone and reaped: a zombie would still exist.
func waitForEnd(of process: Int32) async throws {
  while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
  #expect(errno == ESRCH)
}

/// Runs `operation`, which must throw a ``SafelightError`` of `kind` whose message contains `texts`; returns it.
@discardableResult
func expectError(
  _ kind: SafelightError.Kind, mentioning texts: String..., sourceLocation: SourceLocation = #_sourceLocation,
  _ operation: () throws -> Void
) -> SafelightError? {
  let error = #expect(throws: SafelightError.self, sourceLocation: sourceLocation) { try operation() }
  return error.map { checked($0, kind, texts, sourceLocation) }
}

/// The same for an asynchronous operation.
@discardableResult
func expectError(
  _ kind: SafelightError.Kind, mentioning texts: String..., sourceLocation: SourceLocation = #_sourceLocation,
  _ operation: () async throws -> Void
) async -> SafelightError? {
  let error = await #expect(throws: SafelightError.self, sourceLocation: sourceLocation) { try await operation() }
  return error.map { checked($0, kind, texts, sourceLocation) }
}

extension FrameSource {
  /// Returns the number of frames before the error, which must be of `kind` and mention `texts`.
  func count(
    before kind: SafelightError.Kind, mentioning texts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> Int {
    var count = 0
    let error = await #expect(throws: SafelightError.self, sourceLocation: sourceLocation) {
      for try await _ in self { count += 1 }
    }
    _ = error.map { checked($0, kind, texts, sourceLocation) }
    return count
  }
}

private func checked(
  _ error: SafelightError, _ kind: SafelightError.Kind, _ texts: [String], _ sourceLocation: SourceLocation
) -> SafelightError {
  #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
  for text in texts { #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation) }
  return error
}
