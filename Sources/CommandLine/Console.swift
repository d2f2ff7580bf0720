import Glibc
import Safelight
import Synchronization

/// Standard error, line by line: everything that is not data. Lines of different threads do not mix.
enum Console {
  private static let isBarShown = Mutex(false)

  /// True when a person watches.
  static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

  /// Columns of the terminal, 80 where it does not say.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes a line.
  static func line(_ text: String) {
    isBarShown.withLock { shown in
      put(shown ? "\r\u{1B}[K\(text)\n" : "\(text)\n")
      shown = false
    }
  }

  /// Replaces the line at the cursor, which stays there.
  static func bar(_ text: String) {
    isBarShown.withLock { shown in
      put("\r\u{1B}[K\(text)")
      shown = true
    }
  }

  private static func put(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      // Nowhere to complain to when standard error itself is gone.
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}

/// Says what went wrong, in one line.
func complain(_ error: SafelightError) { Console.line("safelight: \(error)") }

/// Writes data to standard output, or to a file, whole or not at all.
func deliver(_ text: String, to path: String?) throws { try deliver(Array(text.utf8), to: path) }

/// Writes data to standard output, or to a file, whole or not at all.
func deliver(_ bytes: [UInt8], to path: String?) throws {
  if let path, path != "-" {
    let file = try AtomicFile(path: path)
    try file.write(bytes)
    try file.commit()
    return
  }
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if written < 0 && errno == EINTR { continue }
    guard written > 0 else {
      throw SafelightError(
        .transfer, "standard output", why: String(cString: strerror(errno)), remedy: "write to a file with -o")
    }
    rest = rest.dropFirst(written)
  }
}
