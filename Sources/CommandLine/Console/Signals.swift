import ArgumentParser
import Dispatch
import Glibc
import Safelight

/// Turns SIGINT, SIGTERM, SIGUSR1 and SIGHUP into a request to stop; a second signal ends the process at once. A SIGHUP
/// that the process was started to ignore, as under nohup, stays ignored.
///
/// Dispatch reads the signals from a descriptor, so no code runs inside a signal handler. The watch ends with the
/// object.
final class SignalWatch {
  /// The message of a signal to a command without frames in flight that are worth finishing.
  static let noResult = "interrupted; there is no result"

  let stop = StopRequest()
  private var sources: [any DispatchSourceSignal] = []

  /// Begins to watch: a signal prints `text` and makes the request.
  init(saying text: String = "stopping; frames in flight are finished (a second signal ends at once)") {
    let request = stop
    // Ends the wait for standard input, which may never come.
    request.whenMade { StandardInput.stop() }
    // A queue of its own gets a thread even if work has taken all those of the global one.
    let queue = DispatchQueue(label: "safelight.signals")
    let watched = DispatchSemaphore(value: 0)
    for number in [SIGINT, SIGTERM, SIGUSR1] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard !request.isMade else {
          // Ends by the signal itself, so that the caller sees which one it was.
          signal(number, SIG_DFL)
          raise(number)
          _exit(128 + number)
        }
        Console.line("safelight: \(text)")
        request.make()
      }
      source.setRegistrationHandler { watched.signal() }
      source.resume()
      sources.append(source)
    }
    // Dispatch takes a signal over some time after `resume`; until then the signal ends the process, and is not lost.
    for _ in sources { watched.wait() }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  /// Throws `ExitCode.interrupted` if a signal has come.
  func check() throws {
    if stop.isMade { throw ExitCode.interrupted }
  }

  /// Ends the process as soon as a signal comes, after `tidy`, which runs on another thread while the command goes on.
  func endAtOnce(after tidy: @escaping @Sendable () -> Void = {}) {
    stop.whenMade {
      tidy()
      _exit(ExitCode.interrupted.rawValue)
    }
  }
}

/// Ends this process if the one that started it ends, however it ends.
///
/// A run on several devices starts processes that must not go on without it, and names itself in ``variable``.
final class ParentWatch {
  /// The variable of the environment that holds the number of the process to watch; without it nothing is watched.
  static let variable = "SAFELIGHT_PARENT"

  private let timer: (any DispatchSourceTimer)?

  /// Begins to watch; the watch ends with the object.
  init() {
    let parent = getenv(Self.variable).flatMap { Int32(String(cString: $0)) }
    timer = parent.map { parent in
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "safelight.parent"))
      timer.schedule(deadline: .now(), repeating: .milliseconds(100))
      timer.setEventHandler { if getppid() != parent { _exit(ExitCode.interrupted.rawValue) } }
      timer.resume()
      return timer
    }
  }

  deinit { timer?.cancel() }
}

/// Returns true if the process was started with the signal ignored.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  unsafe sigaction(number, nil, &action)
  let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
  return handler == ignoring
}

/// Makes a write to a closed pipe or beyond a file size limit fail with an error instead of ending the process.
func ignoreSignalsOfWriting() {
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
}
