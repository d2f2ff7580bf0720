import Glibc
import SafelightImage

/// Bytes on their way to a file, which appears whole or not at all, or into a pipe.
struct ByteOutput: ~Copyable {
  private let name: String
  private var file: AtomicFile?
  private let descriptor: Int32
  /// True where the descriptor was opened here.
  private let isOwned: Bool

  /// Throws a ``SafelightError`` of kind `output` where it cannot be created or opened.
  init(_ place: FilmPlace) throws(SafelightError) {
    switch place {
    case .descriptor(let descriptor, let name):
      self.init(name: name, file: nil, descriptor: descriptor, isOwned: false)
    case .file(let path) where FileStatus(path)?.kind == .special:
      let descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw fileError(.output, path, cannotBe: "opened", code: errno) }
      self.init(name: path, file: nil, descriptor: descriptor, isOwned: true)
    case .file(let path):
      self.init(name: path, file: try AtomicFile(path: path), descriptor: -1, isOwned: false)
    }
  }

  private init(name: String, file: consuming AtomicFile?, descriptor: Int32, isOwned: Bool) {
    self.name = name
    self.file = file
    self.descriptor = descriptor
    self.isOwned = isOwned
  }

  deinit {
    if isOwned && descriptor >= 0 { close(descriptor) }
  }

  /// Appends `bytes`; waits where the reader of a pipe does.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where they cannot be written.
  mutating func write(_ bytes: [UInt8]) throws(SafelightError) {
    if file != nil {
      try file?.write(bytes)
    } else if let code = writeAll(bytes, to: descriptor) {
      throw fileError(.transfer, name, cannotBe: "written", code: code)
    }
  }

  /// Gives a file its name.
  mutating func finish() throws(SafelightError) {
    if let file = file.take() { try file.commit() }
  }
}

/// Writes all of `bytes` to a descriptor, and waits where it is full, also where whoever opened it made it not block; nil where that went well, else `errno`.
///
/// A pipe that nobody reads is `EPIPE` and never a signal, whatever the process does about SIGPIPE.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  withoutBrokenPipeSignal {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      // One call writes 2 GiB at most, and less where a signal, a quota or a pipe intervenes (write(2)).
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

/// Runs `body` with SIGPIPE held back on this thread, and takes away what it raised (POSIX: it goes to the thread that writes).
private func withoutBrokenPipeSignal(_ body: () -> Int32?) -> Int32? {
  var signal = sigset_t()
  var before = sigset_t()
  _ = unsafe sigemptyset(&signal)
  _ = unsafe sigaddset(&signal, SIGPIPE)
  guard unsafe pthread_sigmask(SIG_BLOCK, &signal, &before) == 0 else { return body() }
  let code = body()
  // One that was held back before is not ours to take.
  if code == EPIPE, unsafe sigismember(&before, SIGPIPE) == 0 {
    var atOnce = timespec(tv_sec: 0, tv_nsec: 0)
    _ = uninterrupted { unsafe sigtimedwait(&signal, nil, &atOnce) }
  }
  _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  return code
}

/// Two descriptors of which one gets what is written to the other; no child inherits them, not even one that is started meanwhile.
struct ConnectedDescriptors {
  let read: Int32
  let write: Int32

  /// Throws a ``SafelightError`` of kind `environment` where the process has too many open.
  init(for name: String) throws(SafelightError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw fileError(.environment, name, cannotBe: "opened", code: errno)
    }
    (read, write) = (ends[0], ends[1])
  }
}
