import ArgumentParser
import FoundationEssentials
import Safelight
import Synchronization

struct MatrixCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix",
    abstract: "Run a command once on each driver stack, and show one table.",
    discussion: """
      A stack is an OpenGL ES driver with what it stands on: llvmpipe, ANGLE on SwiftShader, zink on lavapipe … The \
      command is one of this tool's (conform, golden verify …) or any program that uses EGL, given by name or path. \
      It runs once on each stack, in a process of its own whose environment makes it use that driver. A stack that \
      does not start is a row with the reason.

      With --fetch the packages of a stack are downloaded, checked by hash and unpacked into the folder \
      SAFELIGHT_STACKS, by default one in the user's cache folder; nothing is installed.

      Exits with the worst code of all rows; 69 if a stack does not start, 70 if the command crashes.

      Examples:
        safelight matrix --stacks list
        safelight matrix --fetch -- conform
        safelight matrix --stacks llvmpipe,angle-swiftshader -- golden verify goldens/ frames/
        safelight matrix --stacks all --report matrix.json -- ./my-renderer --self-test
      """)

  @Option(
    help: ArgumentHelp(
      "The stacks, with commas between them: names, paths of .json files, all, or list to see them.", valueName: "names"
    ))
  var stacks = "all"

  @Flag(help: "Download the packages that a stack needs, unless they are there.") var fetch = false
  @Option(help: ArgumentHelp("Write the table as JSON.", valueName: "file"), completion: .file()) var report: String?

  @Option(help: ArgumentHelp("Kill the command on a stack after this many seconds.", valueName: "seconds"))
  var timeout = 3600

  @Flag(name: .shortAndLong, help: "Show the table alone, and not what the command writes.") var quiet = false
  @Argument(parsing: .postTerminator, help: "The command and its arguments, behind --.") var command: [String] = []

  func validate() throws { try FileKind.json.check("--report", report) }

  func run() async throws {
    let names = stacks.split(separator: ",").map(String.init)
    let cache = try StackCache(environment: ProcessInfo.processInfo.environment)
    if names == ["list"] { return try deliver(list(DriverStack.all, cache)) }
    guard timeout > 0 else {
      throw SafelightError(
        .usage, "--timeout \(timeout)", why: "it is not a positive number of seconds", remedy: "give 1 or more")
    }
    let stacks = try DriverStack.stacks(names)
    guard !command.isEmpty, !stacks.isEmpty else {
      throw SafelightError(
        .usage, "matrix", why: command.isEmpty ? "no command is given" : "no stack is named",
        remedy: "for example: safelight matrix --stacks llvmpipe -- conform invert")
    }
    // A bad path is found before hours of work.
    if let report { try FrameOutput.checkSideFile(report, beside: []) }
    let signals = SignalWatch(saying: "stopping; the table ends here")
    defer { withExtendedLifetime(signals) {} }
    let stop = signals.stop
    var report = MatrixReport(command: command)
    for (number, stack) in stacks.enumerated() where !stop.isMade {
      let title = "\(stack.name) (\(number + 1) of \(stacks.count))"
      report.rows.append(try await row(stack, title, cache, stop))
    }
    if Console.isTerminal { Console.bar("") }
    try deliver(report.text)
    if let path = self.report { try deliver(json(report), to: path) }
    try signals.check()
    if let code = report.exitCode { throw code }
  }

  /// The text of `--stacks list`.
  private func list(_ stacks: [DriverStack], _ cache: StackCache) -> String {
    let width = stacks.map(\.name.count).max() ?? 0
    let indent = String(repeating: " ", count: width + 2)
    return stacks.map { stack in
      let packages = stack.packages.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
      let state =
        packages.isEmpty ? "needs no download" : "\(cache.has(stack) ? "fetched" : "fetched by --fetch"): \(packages)"
      let lines = [state, stack.limits].compactMap { $0 }.map { "\(indent)\($0)\n" }
      return "\(stack.name.padded(to: -width))  \(stack.summary)\n" + lines.joined()
    }.joined()
  }

  /// Runs the command on one stack and shows the time it takes.
  private func row(
    _ stack: DriverStack, _ title: String, _ cache: StackCache, _ stop: StopRequest
  ) async throws -> MatrixReport.Row {
    let start = ContinuousClock.now
    let doing = Mutex("starts")
    let clock = Task {
      while Console.isTerminal, !Task.isCancelled {
        let text = "\(title)  \(doing.withLock { $0 })  \((ContinuousClock.now - start).components.seconds) s"
        Console.bar(String(text.prefix(Console.width - 1)))
        try await Task.sleep(for: .milliseconds(500))
      }
    }
    defer { clock.cancel() }
    if fetch, !cache.has(stack) {
      doing.withLock { $0 = "is fetched" }
      do {
        try await cache.fetch(stack, until: stop)
      } catch let error as SafelightError {
        return MatrixReport.Row(stack: stack.name, why: "not fetched: \(error.what): \(error.why)")
      }
    }
    // A command of this tool gets the tool's path before it.
    let isOwn = SafelightCommand.configuration.subcommands.contains {
      $0.configuration.commandName == command.first
    }
    let program = try isOwn ? [ownPath()] + command : command
    let isQuiet = quiet
    return await StackRun(
      stack: stack, cache: cache, command: program, timeout: .seconds(timeout), stop: stop
    ).row { line in
      doing.withLock { $0 = line }
      if !isQuiet { Console.line("\(stack.name): \(line)") }
    }
  }
}
