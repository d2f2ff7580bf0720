import Glibc
import Safelight
import Synchronization

/// Standard error, line by line, for everything that is not data. Lines of different threads do not mix.
enum Console {
  private struct State {
    var isBarShown = false
    var speaksJSON = false
    /// The last line, for programs. It is stored as text because in a global Mutex Swift 6.3.1 with -O takes a nil
    /// ``ProgressEvent`` for its first case.
    var closing: String?
  }

  private static let state = Mutex(State())

  static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

  /// The terminal's width in columns; 80 if it reports none.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Makes every following line a JSON object and the last one a summary, even if there is nothing to sum up.
  static func speakJSON() {
    let nothing = ProgressEvent.summary(done: 0, skipped: 0, failed: 0, seconds: 0)
    state.withLock { state in
      state.speaksJSON = true
      if state.closing == nil { state.closing = nothing.json }
    }
  }

  /// Sets the last line, which ``close()`` writes.
  static func prepareToClose(with event: ProgressEvent) { state.withLock { $0.closing = event.json } }

  /// Writes the last line, after all error messages.
  static func close() {
    state.withLock { state in
      if let line = state.closing.take() { put(line + "\n") }
    }
  }

  /// Writes a line for people.
  static func line(_ text: String) {
    state.withLock { state in
      if state.speaksJSON { return put(ProgressEvent.message(text).json + "\n") }
      put(state.isBarShown ? "\r\u{1B}[K\(text)\n" : "\(text)\n")
      state.isBarShown = false
    }
  }

  /// Writes a line for programs.
  static func event(_ line: String) { state.withLock { _ in put(line + "\n") } }

  /// Replaces the line at the cursor, which stays there.
  static func bar(_ text: String) {
    state.withLock { state in
      put("\r\u{1B}[K\(text)")
      state.isBarShown = true
    }
  }

  /// Leaves the bar as it is and begins a new line.
  static func endBar() {
    state.withLock { state in
      if state.isBarShown { put("\n") }
      state.isBarShown = false
    }
  }

  private static func put(_ text: String) {
    // If standard error itself is gone, there is no place to report that.
    _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
  }
}

func complain(_ error: SafelightError) { Console.line("safelight: \(error.message)") }

extension String {
  /// Pads to a width of `columns` with at least one space: on the left, or on the right if `columns` is negative.
  func padded(to columns: Int) -> String {
    let spaces = String(repeating: " ", count: max(1, Int(columns.magnitude) - count))
    return columns < 0 ? self + spaces : spaces + self
  }
}
