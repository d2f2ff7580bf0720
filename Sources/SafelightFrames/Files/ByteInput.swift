import Glibc
import SafelightImage
import Synchronization

/// Bytes from a file, a pipe or a device, as they come. Whoever reads blocks, until ``stop()`` at the latest.
final class ByteInput: Sendable {
  let name: String
  /// True where it can be opened again and begins anew.
  let isFile: Bool
  private let descriptor: Int32
  private let isOwned: Bool
  /// What is written here is seen by whoever waits.
  private let stopped: ConnectedDescriptors
  private let buffer = Mutex(Buffer())

  private struct Buffer {
    var bytes: [UInt8] = []
    var position = 0

    var rest: ArraySlice<UInt8> { bytes[position...] }
  }

  /// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened.
  init(_ place: FilmPlace) throws(SafelightError) {
    name = place.name
    switch place {
    case .descriptor(let descriptor, _):
      (self.descriptor, isOwned, isFile) = (descriptor, false, false)
    case .file(let path):
      // A pipe that nobody writes yet is waited for below, where the wait can be ended.
      let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
      guard descriptor >= 0, fcntl(descriptor, F_SETFL, 0) >= 0 else {
        throw fileError(.missingInput, path, cannotBe: "opened", code: errno)
      }
      let kind = FileStatus(descriptor: descriptor)?.kind
      guard kind != .folder else {
        close(descriptor)
        throw fileError(.missingInput, path, cannotBe: "read", code: EISDIR)
      }
      (self.descriptor, isOwned, isFile) = (descriptor, true, kind == .file)
    }
    do {
      stopped = try ConnectedDescriptors(for: place.name)
    } catch {
      if isOwned { close(descriptor) }
      throw error
    }
  }

  deinit {
    if isOwned { close(descriptor) }
    close(stopped.read)
    close(stopped.write)
  }

  /// From now on there is nothing more to read; for any thread.
  func stop() { _ = writeAll([0], to: stopped.write) }

  /// Appends the next `count` bytes to `bytes`, fewer where the input ends before; how many.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where reading fails.
  func read(_ count: Int, into bytes: inout [UInt8]) throws(SafelightError) -> Int {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var missing = count
      while missing > 0, try fill(&buffer) {
        let part = buffer.rest.prefix(missing)
        bytes += part
        buffer.position += part.count
        missing -= part.count
      }
      return count - missing
    }
  }

  /// The next `count` bytes, fewer where the input ends before; they stay the next.
  func peek(_ count: Int) throws(SafelightError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(count, into: &bytes)
    buffer.withLock { $0 = Buffer(bytes: bytes + $0.rest) }
    return bytes
  }

  /// The next line without its end; nil where the input ends before one begins, `isWhole` false where none comes within `limit` bytes.
  func line(atMost limit: Int) throws(SafelightError) -> (bytes: [UInt8], isWhole: Bool)? {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var line: [UInt8] = []
      while line.count < limit, try fill(&buffer) {
        let part = buffer.rest.prefix(limit - line.count).prefix { $0 != UInt8(ascii: "\n") }
        line += part
        buffer.position += part.count
        if buffer.rest.first == UInt8(ascii: "\n") {
          buffer.position += 1
          return (line, true)
        }
      }
      return line.isEmpty ? nil : (line, false)
    }
  }

  /// Makes sure that something is there; false at the end.
  private func fill(_ buffer: inout Buffer) throws(SafelightError) -> Bool {
    if buffer.position < buffer.bytes.count { return true }
    guard try waitForBytes() else { return false }
    var code: Int32 = 0
    buffer.position = 0
    buffer.bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { bytes, initialized in
      let result = uninterrupted { unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count) }
      code = result < 0 ? errno : 0
      initialized = max(0, result)
    }
    if code != 0 { throw fileError(.transfer, name, cannotBe: "read", code: code) }
    return !buffer.bytes.isEmpty
  }

  /// False once it is stopped.
  private func waitForBytes() throws(SafelightError) -> Bool {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopped.read, events: Int16(POLLIN), revents: 0),
    ]
    guard uninterrupted({ unsafe poll(&waiting, 2, -1) }) > 0 else {
      throw fileError(.transfer, name, cannotBe: "read", code: errno)
    }
    return waiting[1].revents == 0
  }
}

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
