import Glibc
import SafelightImage

/// An output of bytes: a file, which appears whole or not at all, or a pipe.
struct ByteOutput: ~Copyable {
  private let name: String
  private var file: AtomicFile?
  private let descriptor: Int32
  /// True if this type opened the descriptor.
  private let isOwned: Bool

  /// Opens the output.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created or opened.
  init(_ location: VideoLocation) throws(SafelightError) {
    var file: AtomicFile?
    var (descriptor, isOwned) = (Int32(-1), false)
    switch location {
    case .descriptor(let given, _): descriptor = given
    case .file(let path) where FileStatus(path)?.kind == .special:
      descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw fileError(.output, path, cannotBe: "opened", code: errno) }
      isOwned = true
    case .file(let path): file = try AtomicFile(path: path)
    }
    name = location.name
    self.file = file
    (self.descriptor, self.isOwned) = (descriptor, isOwned)
  }

  deinit { if isOwned { close(descriptor) } }

  /// Appends `bytes`; waits for the reader of a pipe.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if they cannot be written.
  mutating func write(_ bytes: [UInt8]) throws(SafelightError) {
    if file != nil {
      try file?.write(bytes)
    } else if let code = writeAll(bytes, to: descriptor) {
      throw fileError(.transfer, name, cannotBe: "written", code: code)
    }
  }

  mutating func finish() throws(SafelightError) {
    if let file = file.take() { try file.commit() }
  }
}

extension VideoLocation {
  /// Writes `bytes`, and nothing else, to the output.
  package func write(_ bytes: [UInt8]) throws {
    var output = try ByteOutput(self)
    try output.write(bytes)
    try output.finish()
  }
}

/// Writes all of `bytes` to a descriptor, and waits while it is full, also if it was opened to not block. Returns nil
/// on success, else `errno`.
///
/// Writing to a pipe without a reader returns `EPIPE` and never raises a signal, whatever the process does about
/// SIGPIPE.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  withoutBrokenPipeSignal {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      // One call writes 2 GiB at most, and less if a signal, a quota or a pipe intervenes (write(2)).
      while written < bytes.count {
        let count = uninterrupted {
          unsafe write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        }
        if count < 0 {
          guard errno == EAGAIN else { return errno }
          var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          if uninterrupted({ Int(unsafe poll(&room, 1, -1)) }) < 0 { return errno }
          continue
        }
        written += count
      }
      return nil
    }
  }
}

/// Runs `body` with SIGPIPE blocked on this thread, and discards the one it raised (POSIX sends it to the thread that
/// writes).
private func withoutBrokenPipeSignal(_ body: () -> Int32?) -> Int32? {
  var signal = sigset_t()
  var before = sigset_t()
  _ = unsafe sigemptyset(&signal)
  _ = unsafe sigaddset(&signal, SIGPIPE)
  guard unsafe pthread_sigmask(SIG_BLOCK, &signal, &before) == 0 else { return body() }
  let code = body()
  // A signal that was already blocked belongs to someone else.
  if code == EPIPE, unsafe sigismember(&before, SIGPIPE) == 0 {
    var atOnce = timespec(tv_sec: 0, tv_nsec: 0)
    _ = uninterrupted { unsafe sigtimedwait(&signal, nil, &atOnce) }
  }
  _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  return code
}

/// Two connected descriptors: one reads what is written to the other. No child inherits them, not even one that is
/// started meanwhile.
struct ConnectedDescriptors {
  let read: Int32
  let write: Int32

  /// Opens both.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if the process has too many open files.
  init(for name: String) throws(SafelightError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw fileError(.environment, name, cannotBe: "opened", code: errno)
    }
    (read, write) = (ends[0], ends[1])
  }
}
