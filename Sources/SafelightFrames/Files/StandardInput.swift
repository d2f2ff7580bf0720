import Glibc
import SafelightImage
import Synchronization

/// What comes on standard input: a picture in PNG, which becomes a file, or something else, which stays a stream.
package enum StandardInput {
  private struct State {
    var isPNG: Bool?
    /// What begins otherwise, for whoever reads the stream.
    var stream: ByteInput?
  }

  private struct Wait {
    var input: ByteInput?
    var isStopped = false
  }

  /// Where a picture can be read, as often as is needed.
  static let picturePath = "/dev/stdin"

  private static let state = Mutex(State())
  private static let wait = Mutex(Wait())

  /// True where a PNG comes; waits until something does. A PNG is read to its end, and standard input is a file from then on.
  ///
  /// Throws a ``SafelightError`` of kind `usage` where a person at a terminal is waited for, `input` where neither a
  /// PNG nor Y4M comes, `transfer` where it cannot be read or kept.
  static var isPNG: Bool {
    get throws {
      try state.withLock { state in
        if let known = state.isPNG { return known }
        guard isatty(STDIN_FILENO) == 0 else {
          throw SafelightError(
            .usage, "standard input", why: "it is a terminal, and a film or a picture is to come through it",
            remedy: "pipe a PNG into it, or Y4M: ffmpeg -i INPUT -f yuv4mpegpipe - | …")
        }
        let input = try ByteInput(.standardInput)
        wait.withLock { wait in
          wait.input = input
          if wait.isStopped { input.stop() }
        }
        let beginning = try input.peek(Y4MHeader.magic.utf8.count)
        let isPNG = PNGSignature.begins(beginning)
        // Whoever was told to stop waiting has seen nothing of what comes.
        if !isPNG && !wait.withLock(\.isStopped) { try Y4MHeader.refuse(beginning, input.name) }
        if isPNG { try keep(input) } else { state.stream = input }
        state.isPNG = isPNG
        return isPNG
      }
    }
  }

  /// The stream that was looked into, from its beginning; nil where none was, or it is taken.
  static func takeStream() -> ByteInput? {
    state.withLock { state in state.stream.take() }
  }

  /// From now on nobody waits for what comes; for any thread.
  package static func stop() {
    wait.withLock { wait in
      wait.isStopped = true
      wait.input?.stop()
    }
  }

  /// Makes all of `input` a file without a name, and that file standard input.
  private static func keep(_ input: ByteInput) throws(SafelightError) {
    func error(_ code: Int32) -> SafelightError {
      fileError(.transfer, "standard input", cannotBe: "kept in a file in /tmp", code: code)
    }
    guard let stream = unsafe tmpfile() else { throw error(errno) }
    defer { unsafe fclose(stream) }
    let file = unsafe fileno(stream)
    while true {
      var part: [UInt8] = []
      if try input.read(1 << 20, into: &part) == 0 { break }
      if let code = writeAll(part, to: file) { throw error(code) }
    }
    guard lseek(file, 0, SEEK_SET) == 0, dup2(file, STDIN_FILENO) >= 0 else { throw error(errno) }
  }
}
