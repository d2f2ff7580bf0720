import Glibc
import Safelight
import Synchronization

/// SIGINT, SIGTERM and SIGUSR1 ask a run to stop; a second one ends the process at once.
///
/// The signals are blocked in every thread and taken by one that waits for them, so no code runs inside a signal handler.
final class Signals: Sendable {
  static let shared = Signals()

  private let run = Mutex<StopRequest?>(nil)

  private init() {}

  /// Blocks the signals and starts to wait for them; call before any other thread is made, as threads inherit the mask.
  func watch() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // A reader of our output that has gone is an error of the write, not a signal.
    signal(SIGPIPE, SIG_IGN)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { _ in
        Signals.shared.wait()
        return nil
      }, nil)
    if status != 0 { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }

  /// Names the run that a signal shall stop.
  func stopOnSignal(_ request: StopRequest) { run.withLock { $0 = request } }

  private func wait() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&signals, signal) }
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { continue }
      guard let request = run.withLock({ $0 }), !request.isMade else {
        // Die of the signal itself, so that the caller sees which it was.
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
        _exit(128 + number)
      }
      request.make()
      Console.line("safelight: stopping; frames on the way are finished (a second signal ends at once)")
    }
  }
}
