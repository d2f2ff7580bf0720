import ArgumentParser
import Glibc
import Safelight

/// Signals to a command that has no frames on the way which were worth finishing: it ends with 75, and what it has not finished is not there.
final class Interruption {
  /// What is said of a signal.
  static let text = "interrupted; there is no result"

  private let stop = StopRequest()
  private let signals: SignalWatch

  /// Watches as long as it lives.
  init() { signals = SignalWatch(stop, saying: Self.text) }

  /// Throws where a signal has come.
  func check() throws {
    if stop.isMade { throw ExitCode.interrupted }
  }

  /// Ends the process as soon as a signal comes, after `tidy`, which is called on another thread while the command goes on.
  func endAtOnce(after tidy: @escaping @Sendable () -> Void = {}) {
    stop.whenMade {
      tidy()
      _exit(ExitCode.interrupted.rawValue)
    }
  }
}
