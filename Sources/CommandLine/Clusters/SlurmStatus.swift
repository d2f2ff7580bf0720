import ArgumentParser
import Safelight

/// What the reports of a job's parts and Slurm's queue say.
struct SlurmStatus {
  /// The reports of the parts.
  let reports: PartReports
  /// The parts whose frames are not all finished.
  let unfinished: [Int]
  /// The jobs of which tasks wait or run.
  let queued: [String]
  /// The code that sums up the job.
  let code: ExitCode
  /// The numbers of the job.
  let summary: RunReport.Summary
  /// The state in one line.
  let text: String

  init(of job: SlurmJob, in folder: String) async throws {
    var reports = PartReports()
    var (unfinished, missing): ([Int], [Int]) = ([], [])
    for part in 0..<job.parts {
      let path = "\(folder)/reports/part-\(part).json"
      let count = job.range(of: part, total: job.frames).count
      // A report that is not whole is that of a disk that was full: its part is done again.
      guard fileExists(path), let report = try? PartReport(reading: path) else {
        missing.append(part)
        continue
      }
      reports.add(report)
      if !report.isWhole(of: count) { unfinished.append(part) }
    }
    if missing.count == job.parts { reports.add(error: "no part has a report yet") }
    self.reports = reports
    self.unfinished = (unfinished + missing).sorted()
    let numbers = SlurmJob.numbers(in: folder)
    // squeue fails if it does not know a number any more, and where there is no Slurm.
    var queued: [String] = []
    for number in numbers {
      let lines = (try? await SlurmJob.output(of: ["squeue", "--noheader", "--format=%i", "--jobs=\(number)"])) ?? []
      if !lines.isEmpty { queued.append(number) }
    }
    self.queued = queued
    let codes = reports.codes.filter { $0 != 0 }.map { ExitCode($0) }
    let isInterrupted = !missing.isEmpty || codes.contains(.interrupted)
    code = isInterrupted ? .interrupted : FrameRun.worst(of: codes) ?? (unfinished.isEmpty ? .success : .interrupted)
    var summary = reports.sum
    summary.untouched = job.frames - summary.done - summary.skipped - summary.failed
    summary.interrupted = isInterrupted
    summary.code = code.rawValue
    self.summary = summary
    var parts = ["\(summary.done + summary.skipped) of \(job.frames) frames are finished"]
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    if !missing.isEmpty { parts.append("no report of parts \(SlurmJob.Remainder.list(missing))") }
    if !unfinished.isEmpty { parts.append("not whole: parts \(SlurmJob.Remainder.list(unfinished))") }
    if let table = job.table, !fileExists(table) { parts.append("the tables in \(table) are not made yet") }
    if missing.count < job.parts { parts += reports.errors }
    if !queued.isEmpty {
      parts.append("in the queue: \(queued.joined(separator: ", "))")
    } else if code != .success {
      parts.append("submit retry \(folder) does the rest")
    }
    text = parts.joined(separator: "; ")
  }
}
