import Glibc
import SafelightImage
import Synchronization

/// Bytes from a file, a pipe or a device, as they arrive. Reads block until ``stop()`` at the latest.
final class ByteInput: Sendable {
  let name: String
  /// True if it can be opened again and read from the beginning.
  var isFile: Bool { file?.isRegular == true }
  private let descriptor: Int32
  /// The file, which closes the descriptor; nil if that was given.
  private let file: OpenedFile?
  /// Wakes a waiting reader when it is written to.
  private let stopped: ConnectedDescriptors
  let isStopped = Atomic(false)
  /// The bytes that have arrived and are not consumed.
  private let buffer = Mutex<ArraySlice<UInt8>>([])

  /// Opens the input; throws a ``SafelightError`` of kind `missingInput` if that fails.
  init(_ location: VideoLocation) throws(SafelightError) {
    name = location.name
    switch location {
    case .descriptor(let descriptor, _): (self.descriptor, file) = (descriptor, nil)
    case .file(let path):
      // Waiting for a pipe without a writer happens below, where it can be interrupted.
      let file = try OpenedFile(ofAnyKind: path, O_NONBLOCK)
      guard fcntl(file.descriptor, F_SETFL, 0) >= 0 else {
        throw fileError(.missingInput, path, cannotBe: "opened", code: errno)
      }
      (descriptor, self.file) = (file.descriptor, file)
    }
    stopped = try ConnectedDescriptors(for: location.name)
  }

  deinit {
    close(stopped.read)
    close(stopped.write)
  }

  /// Ends the input, from any thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    _ = writeAll([0], to: stopped.write)
  }

  /// Appends the next `count` bytes to `bytes`, fewer at the end of the input; returns their number.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if reading fails.
  func read(_ count: Int, into bytes: inout [UInt8]) throws(SafelightError) -> Int {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var missing = count
      while missing > 0, try fill(&buffer) {
        let part = buffer.prefix(missing)
        bytes += part
        buffer = buffer[part.endIndex...]
        missing -= part.count
      }
      return count - missing
    }
  }

  /// Returns the next `count` bytes without consuming them, fewer at the end of the input.
  func peek(_ count: Int) throws(SafelightError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(count, into: &bytes)
    buffer.withLock { $0 = bytes[...] + $0 }
    return bytes
  }

  /// Returns the next line without its line end; nil at the end of the input. `isWhole` is false if no line end comes
  /// within `limit` bytes.
  func line(atMost limit: Int) throws(SafelightError) -> (bytes: [UInt8], isWhole: Bool)? {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var line: [UInt8] = []
      while line.count < limit, try fill(&buffer) {
        let part = buffer.prefix(limit - line.count).prefix { $0 != UInt8(ascii: "\n") }
        line += part
        buffer = buffer[part.endIndex...]
        if buffer.first == UInt8(ascii: "\n") {
          buffer = buffer.dropFirst()
          return (line, true)
        }
      }
      return line.isEmpty ? nil : (line, false)
    }
  }

  /// Makes sure that the buffer is not empty; returns false at the end.
  private func fill(_ buffer: inout ArraySlice<UInt8>) throws(SafelightError) -> Bool {
    if !buffer.isEmpty { return true }
    guard try waitForBytes() else { return false }
    buffer = try readPart(descriptor, atMost: 1 << 18, path: name)[...]
    return !buffer.isEmpty
  }

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

/// The content of standard input: a picture in PNG, which becomes a file, or anything else, which stays a stream.
package enum StandardInput {
  /// The path of a picture, which can be read repeatedly.
  static let picturePath = "/dev/stdin"

  /// Whether it is a PNG, nil if not yet known; and the stream, if it is not a PNG, until somebody reads it.
  private static let state = Mutex<(isPNG: Bool?, stream: ByteInput?)>((nil, nil))
  private static let input = Result { () throws(SafelightError) in try ByteInput(.standardInput) }

  /// True if standard input is a PNG; waits until its first bytes arrive. A PNG is read to its end, and standard input
  /// is a file from then on.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it is a terminal, `input` if it is neither a PNG nor Y4M,
  ///   `transfer` if it cannot be read or kept.
  static var isPNG: Bool {
    get throws {
      try state.withLock { state in
        if let known = state.isPNG { return known }
        try ensure(
          isatty(STDIN_FILENO) == 0, .usage, "standard input", why: "it is a terminal instead of a film or a picture",
          remedy: "pipe a PNG into it, or Y4M: ffmpeg -i INPUT -f yuv4mpegpipe - | …")
        let input = try input.get()
        let beginning = try input.peek(Y4MHeader.magic.utf8.count)
        let isPNG = PNGSignature.begins(beginning)
        // After a stop nothing is known about the input.
        if !isPNG && !input.isStopped.load(ordering: .relaxed) { try Y4MHeader.refuse(beginning, input.name) }
        if isPNG { try keep(input) } else { state.stream = input }
        state.isPNG = isPNG
        return isPNG
      }
    }
  }

  /// Returns the stream that was inspected, from its beginning; nil if none was inspected, or it was taken.
  static func takeStream() -> ByteInput? { state.withLock { state in state.stream.take() } }

  /// Ends all waits for standard input, from any thread.
  package static func stop() { try? input.get().stop() }

  /// Copies all of `input` to an unnamed file, and makes that file standard input.
  private static func keep(_ input: ByteInput) throws(SafelightError) {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    func error(_ code: Int32) -> SafelightError {
      let found = fileError(.transfer, "standard input", cannotBe: "kept in a file in \(folder)", code: code)
      return SafelightError(
        found.kind, found.what, why: found.why, remedy: "set TMPDIR to a folder on a writable disk with room for it")
    }
    // mkstemp(3) writes letters in the place of each X, within the array, whose pointer it does not keep.
    var name = Array(path(folder, "safelight.XXXXXX").utf8CString)
    let file = unsafe mkstemp(&name)
    guard file >= 0 else { throw error(errno) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unsafe unlink(&name)
    defer { close(file) }
    while true {
      var part: [UInt8] = []
      if try input.read(1 << 20, into: &part) == 0 { break }
      if let code = writeAll(part, to: file) { throw error(code) }
    }
    guard lseek(file, 0, SEEK_SET) == 0, dup2(file, STDIN_FILENO) >= 0 else { throw error(errno) }
  }
}
