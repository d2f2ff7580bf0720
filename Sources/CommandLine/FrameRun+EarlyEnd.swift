import ArgumentParser
import Safelight
import Synchronization

extension FrameRun {
  /// Writes a report without frames, so that nobody takes the report of an earlier run for that of this one, which ended before its first
  /// frame: with `error`, or because nothing was to do.
  ///
  /// The names may be what is wrong: it replaces nothing but a report, and makes none where the command cannot be understood.
  func reportWithoutFrames(_ error: (any Error)? = nil) {
    guard let path = run.report else { return }
    let isInterrupted = error is ExitCode
    let isMisunderstood = (error as? SafelightError)?.kind == .usage
    do {
      if isMisunderstood && !fileExists(path) || isOneFile(path, output) { return }
      if path != "-" {
        try FrameOutput.checkSideFile(path, beside: [])
        if fileExists(path), try !RunReport.isReport(path) { return }
      }
      let report = try DataOutput(path)
      try report.write(
        RunReport.json(
          version: SafelightCommand.version, filters: filter, shard: run.shard,
          error: isInterrupted ? "interrupted" : error.map { "\($0)" }, isInterrupted: isInterrupted))
      try report.finish()
    } catch let other as SafelightError where other.description == (error as? SafelightError)?.description {
      // The report is what is wrong, and that is said.
    } catch {
      Console.line("safelight: \(error)")
    }
  }
}

/// Something that comes once, whoever looks.
final class Milestone: Sendable {
  private let state = Mutex(false)

  var isReached: Bool { state.withLock { $0 } }

  func reach() { state.withLock { $0 = true } }
}
