import Glibc
import SafelightImage
import Subprocess
import Synchronization
import SystemPackage

/// A program that is run for what it writes. It never outlives ``run(_:)``: it is killed where that is cancelled or its
/// output refused, and always reaped.
struct ChildProcess {
  /// How it ended.
  struct Ending {
    /// "status 1" or "signal 9"; nil for success.
    let failure: String?
    /// The last lines that it wrote to its standard error and that say something, as many as 4096 bytes hold.
    let lines: [String]
    /// How many it wrote.
    let lineCount: Int

    /// The last three of them, joined by " · ".
    var messages: String { lines.suffix(3).joined(separator: " · ") }
  }

  /// Thrown inside to have the child killed; the reason is kept beside.
  private struct Refused: Error {}

  let name: String
  /// nil: wherever PATH has it.
  let folder: String?
  let arguments: [String]

  /// Runs it to its end and gives its standard output to `consume`, piece by piece; the child waits for `consume`. It reads `descriptor`,
  /// which is closed here, as its standard input, or nothing.
  ///
  /// What `consume` throws comes first in the result, and then the child was killed. Throws a ``SafelightError`` of kind
  /// `environment` where it cannot be run.
  func run(
    reading descriptor: Int32? = nil,
    _ consume: (SubprocessOutputSequence.Buffer) async throws(SafelightError) -> Void
  ) async throws(SafelightError) -> (failure: SafelightError?, ending: Ending) {
    guard let descriptor else { return try await run(.none, consume) }
    do {
      try checkFolder()
    } catch {
      close(descriptor)
      throw error
    }
    return try await run(
      .fileDescriptor(FileDescriptor(rawValue: descriptor), closeAfterSpawningProcess: true), consume)
  }

  private func run(
    _ input: some InputProtocol, _ consume: (SubprocessOutputSequence.Buffer) async throws(SafelightError) -> Void
  ) async throws(SafelightError) -> (failure: SafelightError?, ending: Ending) {
    try checkFolder()
    let messages = LastLines()
    var failure: SafelightError?
    do {
      let result = try await Subprocess.run(
        .name(name), arguments: Arguments(arguments), environment: environment, platformOptions: Self.ownGroup,
        input: input, output: .sequence, error: .sequence
      ) { execution in
        let errors = execution.standardError
        async let complaints: Void = messages.read(errors)
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
          await complaints
          throw error
        }
        await complaints
      }
      return (nil, messages.ending(Self.failure(result.terminationStatus)))
    } catch is Refused {
      return (failure, messages.ending(nil))
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw missing
    } catch {
      throw SafelightError(
        .environment, name, why: "it cannot be run: \(error)", remedy: "see whether `\(name) -version` works")
    }
  }

  /// Ctrl-C goes to the whole group of the terminal; the child is still needed for the frames on the way then. Once this process is gone, its
  /// pipes end it.
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

  private func checkFolder() throws(SafelightError) {
    guard let folder else { return }
    guard FileStatus(path(folder, name))?.kind == .file else { throw missing }
  }

  private var environment: Environment {
    guard let folder else { return .inherit }
    let others = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return .inherit.updating(["PATH": "\(folder):\(others)"])
  }
}

/// The end of what a program has to say.
private final class LastLines: Sendable {
  private static let limit = 4096
  private let text = Mutex((bytes: [UInt8](), lineCount: 0))

  func read(_ pieces: SubprocessOutputSequence) async {
    // A broken pipe ends the messages, and nothing else.
    do {
      for try await piece in pieces {
        let piece = unsafe piece.withUnsafeBytes { unsafe Array($0) }
        text.withLock { text in
          text.bytes += piece
          text.bytes.removeFirst(max(0, text.bytes.count - Self.limit))
          text.lineCount += piece.count { $0 == UInt8(ascii: "\n") }
        }
      }
    } catch {}
  }

  /// How the program ended, with the last lines that say something.
  func ending(_ failure: String?) -> ChildProcess.Ending {
    let (bytes, count) = text.withLock { ($0.bytes, $0.lineCount) }
    // Where in its memory ffmpeg keeps a decoder helps nobody, and makes equal lines differ.
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { AddressText.withoutSecrets(String($0).replacing(#/ @ 0x[0-9a-f]+/#, with: "")) }
    return ChildProcess.Ending(failure: failure, lines: lines, lineCount: count)
  }
}

/// What `ffprobe -of flat` writes: a line `streams.stream.0.width=640` for each value, texts in quotes.
struct FlatListing {
  private(set) var values: [String: String] = [:]

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let sign = line.firstIndex(of: "=") else { continue }
      values[String(line[..<sign])] = Self.unquoted(line[line.index(after: sign)...])
    }
  }

  /// The value, unless it is one of ffprobe's words for none.
  subscript(_ name: String) -> String? {
    guard let value = values[name], !["unknown", "N/A", "unspecified", "reserved"].contains(value) else { return nil }
    return value
  }

  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// `numerator/denominator`, neither 0.
  func fraction(_ name: String) -> (numerator: Int, denominator: Int)? {
    guard let parts = self[name]?.split(separator: "/"), parts.count == 2, let numerator = Int(parts[0]),
      let denominator = Int(parts[1]), numerator > 0, denominator > 0
    else { return nil }
    return (numerator, denominator)
  }

  /// Quotes, backslashes and line ends are escaped as in C (ffprobe's flat writer).
  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if isEscaped {
        result.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
