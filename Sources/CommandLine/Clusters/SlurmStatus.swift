import ArgumentParser
import Safelight

/// The state of a job, read from its reports, its exit codes and Slurm's queue.
struct SlurmStatus {
  let reports: PartReports
  /// The parts whose frames are not all finished.
  let unfinished: [Int]
  /// The jobs of Slurm of which tasks wait or run.
  let queued: [String]
  /// The reason why the queue is unknown; nil if it is known.
  let queueFault: String?
  /// The numbers of the job, and the code that sums it up.
  let summary: RunReport.Summary
  let text: String

  /// Reads the files; the frames of the reports only if `keepsFrames`.
  init(of job: SlurmJob, keepsFrames: Bool = false) async {
    let parts = Parts(of: job, keepsFrames)
    let queue = await Self.queue(of: job)
    var reports = parts.reports
    if parts.missing.count == job.parts { reports.add(error: "no part has a report yet") }
    let unfinished = (parts.unfinished + parts.missing).sorted()
    let failures = unfinished.isEmpty ? [] : Failure.all(of: job, parts.missing)
    self.reports = reports
    self.unfinished = unfinished
    (queued, queueFault) = queue

    // A part without a report and without a code was killed, or waits for tables that cannot be made.
    let isBlocked = failures.contains { $0.step != .process }
    let mayBeFinished = !isBlocked && (parts.isInterrupted || failures.count < parts.missing.count)
    let codes = reports.codes.map { ExitCode($0) } + failures.map { ExitCode($0.code) }
    let worst = FrameRun.worst(of: codes.filter { $0 != .success && $0 != .interrupted })
    let isInterrupted = !unfinished.isEmpty && (!queue.numbers.isEmpty || mayBeFinished || worst == nil)
    var summary = reports.sum
    summary.untouched = job.frames - summary.done - summary.skipped - summary.failed
    summary.interrupted = isInterrupted
    summary.code = (unfinished.isEmpty ? .success : isInterrupted ? .interrupted : worst ?? .interrupted).rawValue
    self.summary = summary

    let count = summary.done + summary.skipped
    var said = ["\(count) of \(job.frames) frames \(count == 1 && job.frames == 1 ? "is" : "are") finished"]
    if summary.failed > 0 { said.append("\(summary.failed) failed") }
    if !parts.missing.isEmpty { said.append("no report of parts \(parts.missing.asRanges)") }
    if !parts.unfinished.isEmpty { said.append("not whole: parts \(parts.unfinished.asRanges)") }
    if let table = job.table, !fileExists(table) { said.append("the tables in \(table) are not made yet") }
    said += failures.map(\.text)
    if !failures.isEmpty { said.append("their messages are in \(job.folder)/logs") }
    said += parts.reports.errors
    if !queue.numbers.isEmpty {
      said.append("in the queue: \(queue.numbers.joined(separator: ", "))")
    } else if let fault = queue.fault {
      said.append("the queue is unknown: \(fault)")
    } else if !unfinished.isEmpty {
      said.append("safelight submit retry \(job.folder.quotedForShell) does the rest")
    }
    text = said.joined(separator: "; ")
  }

  /// The reports of the parts that there are.
  private struct Parts {
    var reports = PartReports()
    /// The parts with a report of which frames are not finished.
    var unfinished: [Int] = []
    /// The parts without a report.
    var missing: [Int] = []
    /// True if a signal ended a part.
    var isInterrupted = false

    init(of job: SlurmJob, _ keepsFrames: Bool) {
      for part in 0..<job.parts {
        let path = "\(job.folder)/reports/part-\(part).json"
        // A report that is not whole is that of a disk that was full: its part is done again.
        guard fileExists(path), let report = try? PartReport(reading: path) else {
          missing.append(part)
          continue
        }
        reports.add(report, keepsFrames: keepsFrames)
        guard !report.isWhole(of: job.count(of: part)) else { continue }
        unfinished.append(part)
        isInterrupted = isInterrupted || ExitCode(report.summary.code) == .interrupted
      }
    }
  }

  /// Tasks that ended with a code that another attempt does not change.
  private struct Failure {
    let step: SlurmJob.Step
    let part: Int?
    let code: Int32

    /// Nil if the task left no such code.
    init?(_ job: SlurmJob, _ step: SlurmJob.Step, _ part: Int? = nil) {
      guard let bytes = try? readFile(job.codeFile(step, part)),
        let code = Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)), code != 0,
        ExitCode(code) != .interrupted, code < 128
      else { return nil }
      (self.step, self.part, self.code) = (step, part, code)
    }

    /// The failures of tasks that count or merge, if there are no tables, and of those that left no report.
    static func all(of job: SlurmJob, _ missing: [Int]) -> [Failure] {
      var found: [Failure] = []
      if let table = job.table, !fileExists(table) {
        found = (0..<job.parts).compactMap { Failure(job, .analyze, $0) }
        // Counts that are damaged are made again; if they are whole, they cannot be merged.
        if found.isEmpty, let merging = Failure(job, .merge), (0..<job.parts).allSatisfy(job.hasCounts) {
          found = [merging]
        }
      }
      return found + missing.compactMap { Failure(job, .process, $0) }
    }

    var text: String { "\(step.rawValue)\(part.map { " \($0)" } ?? "") ended with exit code \(code)" }
  }

  /// Returns the jobs of which squeue lists tasks, and why it is not known of others.
  private static func queue(of job: SlurmJob) async -> (numbers: [String], fault: String?) {
    var queued: [String] = []
    var fault: String?
    for number in job.numbers {
      do {
        let lines = try await SlurmJob.output(of: ["squeue", "--noheader", "--format=%i", "--jobs=\(number)"])
        if lines.contains(where: { $0.hasPrefix(number) }) { queued.append(number) }
      } catch {
        let why = (error as? SafelightError)?.why ?? "\(error)"
        // Slurm forgets the numbers of jobs that ended some time ago.
        if !why.contains("Invalid job id") { fault = "squeue: \(why)" }
      }
    }
    return (queued, fault)
  }
}
