import FoundationEssentials
import Glibc
import Safelight

/// Runs programs on one driver stack.
struct StackRun {
  let stack: DriverStack
  let cache: StackCache
  let command: [String]
  let timeout: Duration
  let stop: StopRequest

  /// Checks that programs get the stack's driver, runs the command and passes each of its lines to `tell`.
  func row(_ tell: @escaping @Sendable (String) -> Void) async -> MatrixReport.Row {
    var row = MatrixReport.Row(stack: stack.name)
    do {
      guard cache.has(stack) else { throw fault("it is not fetched; run again with --fetch") }
      let folder = FileManager.default.temporaryDirectory.path + "/safelight-stack-\(UUID().uuidString.prefix(8))"
      try Folder.make(folder)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let places = ["${tree}": cache.tree(of: stack), "${run}": folder]
      for (name, lines) in stack.files {
        try deliver(lines.joined(separator: "\n").expanding(places), to: "\(folder)/\(name)")
      }
      let environment = Self.environment(stack.environment, places)
      try await withServer(places) {
        let driver = try await driver(environment)
        row.driver = driver.name
        row.version = driver.version
        try await run(environment, into: &row, tell)
      }
    } catch {
      row.why = (error as? SafelightError)?.why ?? "\(error)"
    }
    return row
  }

  /// Runs the command and notes in `row` how it ended.
  private func run(
    _ environment: [String: String], into row: inout MatrixReport.Row, _ tell: @escaping @Sendable (String) -> Void
  ) async throws {
    let lines = LineCollector()
    let start = ContinuousClock.now
    let program = ChildProgram(command: command, environment: environment, timeout: timeout)
    let ending = await program.run(until: stop) { line in
      lines.append(line)
      tell(line)
    }
    row.seconds = (ContinuousClock.now - start).inSeconds
    row.result = lines.last
    switch ending {
    case .exited(let code): row.exit = code
    case .signaled(let number):
      // As in shells.
      row.exit = 128 + number
      row.why = ending.fault
    case .timedOut: throw fault("it was killed after \(timeout.components.seconds) s; --timeout allows more")
    case .stopped, .failed, .short: throw fault(ending.fault ?? "")
    }
    if row.exit != 0, let limits = stack.limits {
      row.why = [row.why, "known of this stack: \(limits)"].compactMap { $0 }.joined(separator: "; ")
    }
  }

  /// The driver that a program gets, as `safelight devices` finds it.
  private func driver(_ environment: [String: String]) async throws -> (name: String, version: String) {
    let lines = LineCollector()
    let probe = ChildProgram(
      command: [try ownPath(), "devices", "--format", "json"], environment: environment, timeout: .seconds(120))
    let ending = await probe.run(until: stop) { lines.append($0) }
    let text = lines.all.drop { $0 != "{" }.joined(separator: "\n")
    guard let listing = try? JSONDecoder().decode(Listing.self, from: Data(text.utf8)) else {
      throw fault("the driver does not start: safelight devices \(ending.fault ?? "finds none")")
    }
    guard let device = listing.devices.first(where: { $0.chosen }) ?? listing.devices.first(where: { $0.usable })
    else {
      let reasons = Set(listing.devices.map(\.reason)).sorted()
      throw fault(reasons.isEmpty ? "EGL finds no device" : reasons.joined(separator: "; "))
    }
    let driver = (device.name, device.version ?? "")
    guard "\(driver.0) \(driver.1)".contains(stack.reports) else {
      throw fault("another driver was opened, \(driver.0), \(driver.1): '\(stack.reports)' is not in its name")
    }
    return driver
  }

  private struct Listing: Decodable {
    struct Device: Decodable {
      let name, reason: String
      let version: String?
      let usable, chosen: Bool
    }
    let devices: [Device]
  }

  /// Runs the stack's server, if it has one, while `body` runs.
  private func withServer(_ places: [String: String], _ body: () async throws -> Void) async throws {
    guard let server = stack.server else { return try await body() }
    let end = StopRequest()
    stop.whenMade { end.make() }
    let lines = LineCollector()
    let program = ChildProgram(
      command: server.command.map { $0.expanding(places) },
      environment: Self.environment(server.environment, places))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = await program.run(until: end) { lines.append($0) } }
      // The server is killed at the end, and waited for.
      defer { end.make() }
      let ready = server.ready.expanding(places)
      let start = ContinuousClock.now
      while !fileExists(ready), ContinuousClock.now - start < .seconds(10), !stop.isMade {
        try await Task.sleep(for: .milliseconds(20))
      }
      guard fileExists(ready) else { throw fault("its server does not start: \(lines.last ?? "it says nothing")") }
      try await body()
    }
  }

  private func fault(_ why: String) -> SafelightError { SafelightError(.environment, stack.name, why: why) }

  /// The environment of this process with the variables of a stack, and without those by which the caller chooses a
  /// driver.
  private static func environment(_ variables: [String: String], _ places: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !driverPrefixes.contains { name.hasPrefix($0) }
    }
    for (name, value) in variables {
      let value = value.expanding(places)
      // The caller's own libraries stay within reach.
      let others = name == "LD_LIBRARY_PATH" ? environment[name] ?? "" : ""
      environment[name] = others.isEmpty ? value : "\(value):\(others)"
    }
    return environment
  }

  private static let driverPrefixes = [
    "LIBGL_", "GALLIUM_", "MESA_", "LP_", "VK_", "ANGLE_", "EGL_", "__EGL_", "__GLX_", "GBM_", "VTEST_", "ZINK_",
    "SAFELIGHT_DEVICE", "SAFELIGHT_PLATFORM",
  ]
}

extension String {
  /// Replaces names such as `${tree}` by their values.
  fileprivate func expanding(_ places: [String: String]) -> String {
    places.reduce(self) { $0.replacing($1.key, with: $1.value) }
  }
}
