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

  /// How a program ended.
  enum Ending: Sendable {
    case exited(Int32)
    case signaled(Int32)
    /// Killed because its time was over.
    case timedOut
    /// Killed because the user stopped the run.
    case stopped
    /// Not started, for this reason.
    case failed(String)

    /// The phrase of a table; nil for success.
    var fault: String? {
      switch self {
      case .exited(0): nil
      case .exited(let code): "exit code \(code)"
      case .signaled(let number): "ended by signal \(number)\(Self.names[number].map { " (\($0))" } ?? "")"
      case .timedOut: "stopped after its time"
      case .stopped: "interrupted"
      case .failed(let reason): "cannot be run: \(reason)"
      }
    }

    private static let names: [Int32: String] = [
      2: "SIGINT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM",
    ]
  }

  /// Runs the program to its end and passes each line of its standard output and standard error to `tell`.
  ///
  /// The program leads a process group of its own, which is killed when its time is over and when `stop` is made.
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
    stop.whenMade { leash.kill(.stopped) }
    do {
      let result = try await Subprocess.run(
        name.contains("/") ? .path(FilePath(name)) : .name(name), arguments: Arguments(Array(command.dropFirst())),
        environment: .custom(environment.reduce(into: [:]) { $0[Environment.Key(stringLiteral: $1.key)] = $1.value }),
        platformOptions: options, input: .none, output: .sequence, error: .combinedWithOutput
      ) { execution in
        leash.attach { try? execution.send(signal: .kill, toProcessGroup: true) }
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
      return leash.release() ?? .failed("\(error)")
    }
  }
}

/// Kills a program from another thread, but only while it runs: afterwards another process may have its number.
private final class Leash: Sendable {
  private let state = Mutex<(kill: (@Sendable () -> Void)?, ending: ChildProgram.Ending?)>((nil, nil))

  /// Sets how the program is killed, and kills it at once if that was asked for already.
  func attach(_ kill: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.kill = kill
      if state.ending != nil { kill() }
    }
  }

  /// Kills the program; of several reasons the first is kept.
  func kill(_ ending: ChildProgram.Ending) {
    state.withLock { state in
      state.ending = state.ending ?? ending
      state.kill?()
    }
  }

  /// Notes that the program has ended; returns why it was killed, nil if it was not.
  func release() -> ChildProgram.Ending? {
    state.withLock { state in
      state.kill = nil
      return state.ending
    }
  }
}
