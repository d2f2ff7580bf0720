import ArgumentParser
import Dispatch
import Glibc
import Safelight

/// SIGINT, SIGTERM, SIGUSR1 and SIGHUP ask a run to stop; a second one ends the process at once. What runs under nohup
/// has SIGHUP ignored, and goes on.
///
/// Dispatch reads the signals from a descriptor, so no code runs inside a signal handler. Watches as long as it lives.
final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []

  /// From now on a signal says what comes of it, and makes `request`.
  init(
    _ request: StopRequest,
    saying text: String = "stopping; frames on the way are finished (a second signal ends at once)"
  ) {
    // Nobody waits any longer for what may never come.
    request.whenMade { StandardInput.stop() }
    // A queue of its own gets a thread also where work has taken all those of the global one.
    let queue = DispatchQueue(label: "safelight.signals")
    for number in [SIGINT, SIGTERM, SIGUSR1] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard !request.isMade else {
          // Die of the signal itself, so that the caller sees which it was.
          signal(number, SIG_DFL)
          raise(number)
          _exit(128 + number)
        }
        Console.line("safelight: \(text)")
        request.make()
      }
      source.resume()
      sources.append(source)
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}

/// True where whoever started the process has it ignore a signal.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  unsafe sigaction(number, nil, &action)
  let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
  return handler == ignoring
}

/// Makes a closed pipe and a limit on the size of files errors of the write that meets them, instead of the end of the
/// process.
func ignoreSignalsOfWriting() {
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
}

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
