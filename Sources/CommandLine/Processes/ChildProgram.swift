import CProcess
import Glibc
import Safelight
import Subprocess
import Synchronization
import SystemPackage

/// A program and the environment that it runs in.
struct ChildProgram: Sendable {
  /// The program's path, or its name if it is on PATH, and its arguments.
  let command: [String]
  /// The whole environment of the program.
  let environment: [String: String]
  /// The time after which the program is killed; nil if it may run forever.
  var timeout: Duration?
  /// True to send SIGTERM when the run is stopped, and wait for the program to end by itself.
  var endsByItself = false

  enum Ending: Sendable {
    case exited(Int32)
    case signaled(Int32)
    /// Killed because its time was over.
    case timedOut
    /// Killed because the user stopped the run.
    case stopped
    /// Not started, for this reason.
    case failed(String)
    /// Not started, for lack of threads or descriptors.
    case short(SafelightError)

    /// The phrase of a table; nil for success.
    var fault: String? {
      switch self {
      case .exited(0): nil
      case .exited(let code): "exit code \(code)"
      case .signaled(let number): "ended by signal \(number)\(Self.names[number].map { " (\($0))" } ?? "")"
      case .timedOut: "stopped after its time"
      case .stopped: "interrupted"
      case .failed(let reason): "cannot be run: \(reason)"
      case .short(let error): "cannot be run: \(error.why)"
      }
    }

    private static let names: [Int32: String] = [
      2: "SIGINT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM",
    ]
  }

  /// Runs the program to its end and passes each line of its standard output and standard error to `tell`.
  ///
  /// The program leads a process group of its own, which is killed when its time is over and, unless it ends by itself
  /// then, when `stop` is made.
  func run(until stop: StopRequest, _ tell: @Sendable (String) -> Void) async -> Ending {
    guard let name = command.first else { return .failed("no program is named") }
    var options = PlatformOptions()
    options.processGroupID = 0
    let leash = Leash()
    let watch = timeout.map { timeout in
      Task {
        try await Task.sleep(for: timeout)
        leash.kill(.timedOut)
      }
    }
    defer { watch?.cancel() }
    stop.whenMade { endsByItself ? leash.ask() : leash.kill(.stopped) }
    do {
      try ChildStart.prepare(name)
      let input = FileDescriptor(rawValue: try ChildStart.noInput(of: name))
      let result = try await Subprocess.run(
        name.contains("/") ? .path(FilePath(name)) : .name(name), arguments: Arguments(Array(command.dropFirst())),
        environment: .custom(environment.reduce(into: [:]) { $0[Environment.Key(stringLiteral: $1.key)] = $1.value }),
        platformOptions: options, input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .sequence,
        error: .combinedWithOutput
      ) { execution in
        leash.attach { signal in try? execution.send(signal: signal, toProcessGroup: signal == .kill) }
        for try await line in execution.standardOutput.strings(bufferingPolicy: .unbounded) { tell(line) }
      }
      if let ending = leash.release() { return ending }
      switch result.terminationStatus {
      case .exited(let code): return .exited(code)
      case .signaled(let number): return .signaled(number)
      }
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return .failed("there is no such program as \(name)")
    } catch {
      let shortage = error as? SafelightError ?? ChildStart.shortage(error, of: name)
      return leash.release() ?? shortage.map(Ending.short) ?? .failed("\(error)")
    }
  }
}

/// Sends signals to a program from another thread, but only while it runs: afterwards another process may have its
/// number.
private final class Leash: Sendable {
  private struct State {
    var send: (@Sendable (Signal) -> Void)?
    var ending: ChildProgram.Ending?
    var isAsked = false
  }

  private let state = Mutex(State())

  /// Sets how a signal is sent, and sends at once what was asked for already.
  func attach(_ send: @escaping @Sendable (Signal) -> Void) {
    state.withLock { state in
      state.send = send
      if state.isAsked { send(.terminate) }
      if state.ending != nil { send(.kill) }
    }
  }

  /// Asks the program to end.
  func ask() {
    state.withLock { state in
      state.isAsked = true
      state.send?(.terminate)
    }
  }

  /// Kills the program; of several reasons the first is kept.
  func kill(_ ending: ChildProgram.Ending) {
    state.withLock { state in
      state.ending = state.ending ?? ending
      state.send?(.kill)
    }
  }

  /// Notes that the program has ended; returns why it was killed, nil if it was not.
  func release() -> ChildProgram.Ending? {
    state.withLock { state in
      state.send = nil
      return state.ending
    }
  }
}

/// The path of this program.
func ownPath() throws -> String {
  // Without /proc: the path that it was started by, which is enough while it lies there.
  let started = cprocess_program().map { String(cString: $0) }
  guard let path = realPath("/proc/self/exe") ?? started.flatMap({ realPath($0) }) else {
    throw SafelightError(
      .environment, started ?? "/proc/self/exe", why: "this program is not found: \(String(cString: strerror(errno)))",
      remedy: "mount /proc, or start the program by its whole path")
  }
  return path
}

/// The lines of a program's output; any thread may add one.
final class LineCollector: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  /// The last line that says something.
  var last: String? { lines.withLock { $0.last { $0.contains { !$0.isWhitespace } } } }

  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
