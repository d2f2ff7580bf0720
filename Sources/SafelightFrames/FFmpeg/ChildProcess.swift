import Glibc
import SafelightImage
import Subprocess
import Synchronization
import SystemPackage

/// A program that is run for its output. It never outlives ``run(reading:_:)``: it is killed if the task is cancelled
/// or its output refused, and always reaped.
struct ChildProcess {
  struct Ending {
    /// "status 1" or "signal 9"; nil if it succeeded.
    let failure: String?
    /// The last nonempty lines that it wrote to its standard error, up to 4096 bytes.
    let lines: [String]
    let lineCount: Int

    /// True if a signal ended it.
    var isKilled: Bool { failure?.hasPrefix("signal") == true }
    var messages: String { lines.suffix(3).joined(separator: " · ") }
  }

  /// Makes the child end; the reason is kept beside.
  private struct Refused: Error {}

  let name: String
  /// The folder of the program; nil to search `PATH`.
  let folder: String?
  let arguments: [String]

  /// Runs the program to its end and passes its standard output to `consume`, piece by piece; the child waits for
  /// `consume`. Its standard input is `descriptor`, which is closed here, or empty. `reports` takes the lines of its
  /// standard error, of which then only errors are messages.
  ///
  /// Returns what `consume` threw, for which the child was killed, and the child's end.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if it cannot be run.
  func run(
    reading descriptor: Int32? = nil, reports: FrameReports? = nil,
    _ consume: (SubprocessOutputSequence.Buffer) async throws(SafelightError) -> Void
  ) async throws(SafelightError) -> (failure: SafelightError?, ending: Ending) {
    if let folder, FileStatus(path(folder, name))?.kind != .file {
      if let descriptor { close(descriptor) }
      throw missing
    }
    let messages = LastLines()
    var failure: SafelightError?
    let input: Int32
    do throws(SafelightError) {
      try ChildStart.prepare(name)
      input = if let descriptor { descriptor } else { try ChildStart.noInput(of: name) }
    } catch {
      if let descriptor { close(descriptor) }
      throw error
    }
    do {
      let result = try await Subprocess.run(
        .name(name), arguments: Arguments(arguments), environment: environment, platformOptions: Self.ownGroup,
        input: .fileDescriptor(FileDescriptor(rawValue: input), closeAfterSpawningProcess: true), output: .sequence,
        error: .sequence
      ) { execution in
        let errors = execution.standardError
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await messages.read(errors, reports) }
          do {
            for try await piece in execution.standardOutput {
              do throws(SafelightError) {
                try await consume(piece)
              } catch {
                failure = error
                throw Refused()
              }
            }
          } catch {
            // The child may be silent and alive: only its death ends the other stream.
            try? execution.send(signal: .kill)
            // Throwing cancels the group, which would cut the messages short.
            try await group.waitForAll()
            throw error
          }
          try await group.waitForAll()
        }
      }
      return (nil, messages.ending(Self.failure(result.terminationStatus)))
    } catch is Refused {
      return (failure, messages.ending(nil))
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw missing
    } catch {
      if let shortage = ChildStart.shortage(error, of: name) { throw shortage }
      throw SafelightError(
        .environment, name, why: "it cannot be run: \(error)", remedy: "check that `\(name) -version` works")
    }
  }

  /// Keeps the child out of the terminal's process group, which Ctrl-C signals: the child is still needed for the
  /// frames under way. Once this process is gone, its pipes end the child.
  private static var ownGroup: PlatformOptions {
    var options = PlatformOptions()
    options.processGroupID = 0
    return options
  }

  private static func failure(_ status: TerminationStatus) -> String? {
    switch status {
    case .exited(0): nil
    case .exited(let code): "status \(code)"
    case .signaled(let signal): "signal \(signal)"
    }
  }

  private var missing: SafelightError {
    SafelightError(
      .environment, name, why: folder.map { "there is no such program in \($0)" } ?? "there is no such program on PATH",
      remedy: "install it: apt-get install ffmpeg")
  }

  private var environment: Environment {
    // The messages of ffmpeg are parsed: these variables would color them, or add a line about a log file.
    var changes: [Environment.Key: String?] = ["AV_LOG_FORCE_NOCOLOR": "1", "AV_LOG_FORCE_COLOR": nil, "FFREPORT": nil]
    if let folder {
      let others = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
      changes["PATH"] = "\(folder):\(others)"
    }
    return .inherit.updating(changes)
  }
}

/// The end of a program's messages.
private final class LastLines: Sendable {
  private static let limit = 4096
  private let text = Mutex((bytes: [UInt8](), lineCount: 0))

  func read(_ pieces: SubprocessOutputSequence, _ reports: FrameReports?) async {
    defer { reports?.end() }
    // The beginning of a line whose end has not come yet.
    var begun: [UInt8] = []
    // A broken pipe ends the messages, and nothing else.
    do {
      for try await piece in pieces {
        let piece = unsafe piece.withUnsafeBytes { unsafe Array($0) }
        guard let reports else {
          add(piece)
          continue
        }
        begun += piece
        while let end = begun.firstIndex(of: UInt8(ascii: "\n")) {
          if let error = reports.take(String(decoding: begun[..<end], as: UTF8.self)) { add(Array("\(error)\n".utf8)) }
          begun.removeFirst(end + 1)
        }
      }
    } catch {}
    if let error = reports?.take(String(decoding: begun, as: UTF8.self)) { add(Array(error.utf8)) }
  }

  private func add(_ bytes: [UInt8]) {
    text.withLock { text in
      text.bytes += bytes
      text.bytes.removeFirst(max(0, text.bytes.count - Self.limit))
      text.lineCount += bytes.count { $0 == UInt8(ascii: "\n") }
    }
  }

  func ending(_ failure: String?) -> ChildProcess.Ending {
    let (bytes, count) = text.withLock { ($0.bytes, $0.lineCount) }
    // A decoder's address in ffmpeg's memory helps nobody, and makes equal lines differ.
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { AddressText.withoutSecrets(String($0).replacing(#/ @ 0x[0-9a-f]+/#, with: "")) }
    return ChildProcess.Ending(failure: failure, lines: lines, lineCount: count)
  }
}

/// The output of `ffprobe -of flat`: a line `streams.stream.0.width=640` for each value, texts in quotes.
struct FlatListing {
  private(set) var values: [String: String] = [:]

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let sign = line.firstIndex(of: "=") else { continue }
      values[String(line[..<sign])] = Self.unquoted(line[line.index(after: sign)...])
    }
  }

  /// Takes the frames of `other` in the place of its own.
  mutating func takeFrames(of other: FlatListing) {
    values = values.filter { !$0.key.hasPrefix("frames.") }
    values.merge(other.values) { $1 }
  }

  /// The value of `name`; nil if it is missing or one of ffprobe's words for unknown values.
  subscript(_ name: String) -> String? {
    guard let value = values[name], !["unknown", "N/A", "unspecified"].contains(value) else { return nil }
    return value
  }

  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// The fraction `numerator/denominator` of `name`; nil unless both are above 0.
  func fraction(_ name: String) -> MediaTime? {
    let parts = self[name]?.split(separator: "/").map { Int128($0) ?? 0 } ?? []
    return parts.count == 2 && parts.allSatisfy { $0 > 0 } ? MediaTime(seconds: parts[0], over: parts[1]) : nil
  }

  /// Removes the quotes; quotes, backslashes and line ends inside are escaped as in C (ffprobe's flat writer).
  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
    let quoted = text.dropFirst().dropLast()
    guard quoted.contains("\\") else { return String(quoted) }
    return String(quoted.replacing(/\\(.)/) { ["n": "\n", "r": "\r"][$0.1] ?? String($0.1) })
  }
}
