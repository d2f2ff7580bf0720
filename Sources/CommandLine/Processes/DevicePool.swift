import ArgumentParser
import FoundationEssentials
import Glibc
import Safelight
import Synchronization

/// Runs each part of a run in a process of its own, one process at a time for each device. A driver that crashes ends
/// only its own process.
struct DevicePool: Sendable {
  /// A part of the frames of a run.
  struct Part: Sendable {
    let shard: Shard
    let frames: Set<Int>
    /// The number of processes that have broken down over it.
    var breakdowns = 0
  }

  struct Outcome {
    var reports = PartReports()
    /// The number of frames that each device has made.
    var made: [Int]
    /// True if a part was interrupted that was not stopped because of a failure.
    var isInterrupted = false
    /// The codes of processes that ended without a report.
    var codes: [ExitCode] = []
  }

  let devices: [DeviceSelector]
  /// True if the devices were found to work and not named one by one: a named one must work, or the run ends.
  let areInterchangeable: Bool
  /// The arguments of every process but for the device, the part and its report.
  let arguments: [String]
  /// The folder for the reports of the parts.
  let folder: String
  let keepsGoing: Bool
  let stop: StopRequest
  /// Called once for each frame that a process reports, with its line for programs, on any thread.
  let frameEnded: @Sendable (_ line: String, _ isSkipped: Bool) -> Void
  let partEnded: @Sendable (PartReport) -> Void

  /// Runs all `parts`. A device whose process breaks down gets no more work, and another one makes its part again.
  func run(_ parts: [Part]) async throws -> Outcome {
    var outcome = Outcome(made: devices.map { _ in 0 })
    // Made by the user's request and by a failure.
    let halt = StopRequest()
    stop.whenMade { halt.make() }
    let unfinished = UnfinishedFrames(of: parts)
    let program = try ownPath()
    await withTaskGroup(of: (device: Int, part: Part, ending: ChildProgram.Ending).self) { group in
      var waiting = parts[...]
      var idle = Array(devices.indices)
      var working = devices.count
      while true {
        while !halt.isMade, let device = idle.first, let part = waiting.popFirst() {
          idle.removeFirst()
          group.addTask {
            let ending = await child(program, part, device).run(until: halt) { line in
              guard let event = event(line, halt), let index = event.index, part.frames.contains(index) else { return }
              if unfinished.remove(index) { frameEnded(line, event.status == FrameLedger.Status.skipped.rawValue) }
            }
            return (device, part, ending)
          }
        }
        guard let (device, ended, ending) = await group.next() else { break }
        var part = ended
        let isSound = areInterchangeable || outcome.made[device] > 0
        let isBroken = ending.isBreakdown(ofSoundDevice: isSound) && !halt.isMade
        part.breakdowns += isBroken ? 1 : 0
        guard isBroken && part.breakdowns == 1 else {
          idle.append(device)
          take(part, on: device, ending, halt, &outcome)
          continue
        }
        // The last device may be sound, and another program have killed the process.
        let hasOthers = working > 1
        if hasOthers { working -= 1 } else { idle.append(device) }
        waiting = [part] + waiting
        tell(device, ending, "\(hasOthers ? "another device" : "a new one") makes its frames again")
      }
    }
    return outcome
  }

  /// Takes what there is of a part that is not made again, and stops the others if it failed.
  private func take(
    _ part: Part, on device: Int, _ ending: ChildProgram.Ending, _ halt: StopRequest, _ outcome: inout Outcome
  ) {
    if let report = try? PartReport(reading: path(part)) {
      outcome.reports.add(report)
      outcome.made[device] += report.summary.done
      partEnded(report)
    } else if !halt.isMade {
      outcome.reports.add(error: "part \(part.shard.text) on \(devices[device]): \(ending.fault ?? "it has no report")")
      outcome.codes.append(ending.code)
    }
    guard !halt.isMade else { return }
    if part.breakdowns > 1 { tell(device, ending, "the second for part \(part.shard.text), which is given up") }
    switch ending {
    case .exited(ExitCode.interrupted.rawValue): outcome.isInterrupted = true
    case .exited(0): break
    default: if !keepsGoing { halt.make() }
    }
  }

  private func tell(_ device: Int, _ ending: ChildProgram.Ending, _ rest: String) {
    Console.line("safelight: \(devices[device]): the process ended (\(ending.fault ?? "")); \(rest)")
  }

  private func path(_ part: Part) -> String { "\(folder)/\(part.shard.text.replacing("/", with: "-")).json" }

  private func child(_ program: String, _ part: Part, _ device: Int) -> ChildProgram {
    // The report of a process that broke down would stay.
    unlink(path(part))
    let own = ["--device", "\(devices[device])", "--shard", part.shard.text, "--report", path(part)]
    var environment = ProcessInfo.processInfo.environment
    environment[ParentWatch.variable] = "\(getpid())"
    return ChildProgram(
      command: [program, arguments[0]] + own + arguments.dropFirst(), environment: environment, endsByItself: true)
  }

  /// The fields of a line of `--progress json` that the parent process needs.
  private struct Event: Decodable {
    enum Kind: String, Decodable { case frame, error, message, summary }
    let event: Kind
    let index: Int?
    let status, text: String?
  }

  /// Reads a line of a process, and prints what it says to people; nil if it is no event.
  private func event(_ line: String, _ halt: StopRequest) -> Event? {
    guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) else {
      // A driver speaks for itself.
      if !line.isEmpty { Console.line(line) }
      return nil
    }
    // Each would say that it stops.
    if let text = event.text, !halt.isMade { Console.line(text) }
    return event
  }
}

/// The frames that no process has reported yet; those of a part that is made again count once.
private final class UnfinishedFrames: Sendable {
  private let indices: Mutex<Set<Int>>

  init(of parts: [DevicePool.Part]) { indices = Mutex(parts.reduce(into: []) { $0.formUnion($1.frames) }) }

  /// Removes a frame; returns false if it was removed before.
  func remove(_ index: Int) -> Bool { indices.withLock { $0.remove(index) } != nil }
}

extension ChildProgram.Ending {
  /// Returns true if the device or its driver is at fault, so that another device may succeed. A device that never
  /// worked is no breakdown: the caller has named it and must hear of it.
  fileprivate func isBreakdown(ofSoundDevice isSound: Bool) -> Bool {
    switch self {
    case .exited(let code): code == ExitCode.internal.rawValue || code == ExitCode.noDevice.rawValue && isSound
    case .signaled, .failed: true
    case .timedOut, .stopped, .short: false
    }
  }

  /// The code that stands for the ending.
  fileprivate var code: ExitCode {
    switch self {
    case .exited(0), .signaled, .failed: .internal
    case .exited(let code): ExitCode(code)
    case .timedOut, .stopped: .interrupted
    case .short(let error): error.exitCode
    }
  }
}
