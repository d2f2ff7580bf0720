import FoundationEssentials
import Safelight

/// A run that is divided among the tasks of a Slurm cluster, as its folder describes it.
///
/// The folder holds `job.json`, a script for each step, `logs/`, `counts/` and `reports/`. The number of parts is
/// written into the scripts: `SLURM_ARRAY_TASK_COUNT` is wrong if only some parts are submitted again.
struct SlurmJob: Codable {
  /// The path of this program.
  let program: String
  /// The folder in which the run was submitted, to which its paths are relative.
  let directory: String
  /// The arguments that make the frames.
  let arguments: [String]
  /// The arguments of `analyze`; nil if the run needs no tables that are still to be made.
  let counting: [String]?
  /// The arguments of `merge`, but for the parts; nil if the run needs no tables that are still to be made.
  let merging: [String]?
  /// The number of frames to make.
  let frames: Int
  /// The number of frames of the sequence, which are counted.
  let sequence: Int
  /// The number of parts.
  let parts: Int
  /// Further options of sbatch.
  let directives: [String]

  /// The steps of a job, each of which waits for the one before.
  enum Step: String, CaseIterable {
    case analyze, merge, process
  }

  /// The steps that this job needs.
  var steps: [Step] { counting == nil ? [.process] : Step.allCases }

  /// Returns the range of frames, of `total`, in `part`.
  func range(of part: Int, total: Int) -> Range<Int> { total * part / parts..<total * (part + 1) / parts }
}

extension SlurmJob {
  /// Reads the job in `folder`.
  init(reading folder: String) throws {
    let path = "\(folder)/job.json"
    guard fileExists(path) else {
      throw SafelightError(
        .missingInput, folder, why: "it holds no job", remedy: "name a folder that safelight submit slurm made")
    }
    guard let job = try? JSONDecoder().decode(Self.self, from: Data(try readFile(path))), job.parts > 0 else {
      throw SafelightError(.input, path, why: "it is damaged", remedy: "submit the run again, with another --job")
    }
    self = job
  }

  /// Makes the folder with everything that the tasks need.
  func write(to folder: String) throws {
    for name in ["logs", "counts", "reports"] { try Folder.make("\(folder)/\(name)") }
    for step in steps { try Self.write(script(step, in: folder), to: "\(folder)/\(step.rawValue).sh") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try Self.write(String(decoding: try encoder.encode(self), as: UTF8.self) + "\n", to: "\(folder)/job.json")
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(Array(text.utf8))
    try file.commit()
  }

  /// The script of `step` of the job in `folder`.
  func script(_ step: Step, in folder: String) -> String {
    let folder = folder.hasPrefix("/") ? folder : "\(directory)/\(folder)"
    let log = step == .merge ? "%j" : "%A_%a"
    let shard = "--shard \"$SLURM_ARRAY_TASK_ID/\(parts)\""
    func words(_ list: [String]) -> String { list.map(\.quotedForShell).joined(separator: " ") }
    let command =
      switch step {
      case .analyze:
        "\(words([program, "analyze"] + (counting ?? []))) \(shard) "
          + "-o \(words(["\(folder)/counts/part-"]))\"$SLURM_ARRAY_TASK_ID.counts\""
      case .merge: "\(words([program, "merge"])) \(words(["\(folder)/counts/"]))part-*.counts \(words(merging ?? []))"
      case .process:
        "\(words([program] + arguments)) \(shard) "
          + "--report \(words(["\(folder)/reports/part-"]))\"$SLURM_ARRAY_TASK_ID.json\""
      }
    // The last task of an array has the number of the whole array, which would queue all tasks again.
    let task = step == .merge ? "$SLURM_JOB_ID" : "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
    // The report of an earlier run would stay if this one were killed.
    let stale = "rm -f \(words(["\(folder)/reports/part-"]))\"$SLURM_ARRAY_TASK_ID.json\"\n"
    let options =
      [
        "--job-name=safelight-\(step.rawValue)", "--output=\(folder)/logs/\(step.rawValue)-\(log).txt",
        "--open-mode=append", "--requeue", "--kill-on-invalid-dep=yes", "--signal=B:USR1@60",
      ] + directives
    return """
      #!/bin/sh
      \(options.map { "#SBATCH \($0)" }.joined(separator: "\n"))
      cd \(words([directory])) || exit 66
      \(step == .process ? stale : "")
      told= heard= child=
      # Slurm sends USR1 to this shell alone when the time is nearly over.
      trap 'told=yes heard=yes; [ -z "$child" ] || kill -USR1 "$child" 2>/dev/null' USR1
      # On scancel Slurm sends TERM to the child too, and what was canceled must not come back.
      trap 'told= heard=yes; trap "" USR1' TERM
      \(command) &
      child=$!
      [ -z "$told" ] || kill -USR1 "$child"

      # wait returns early if a trap ran: it is called until none did.
      code=
      while :; do
        heard=
        wait "$child"
        status=$?
        if [ "$status" -eq 127 ] && [ -n "$code" ]; then break; fi
        code=$status
        [ -n "$heard" ] || break
      done
      # 75 is an interruption, 138 a USR1 that came before safelight could listen. Slurm ends this script as it sleeps.
      case "$told$code" in
        yes75 | yes138) scontrol requeue "\(task)" && sleep 60 ;;
      esac
      exit "$code"

      """
  }
}

extension SlurmJob {
  /// The parts of a job that are still to be done.
  struct Remainder {
    /// The parts to count.
    var counts: [Int] = []
    /// True if tables are to be made.
    var needsMerge = false
    /// The parts whose frames are to be made.
    var frames: [Int]

    var isEmpty: Bool { counts.isEmpty && !needsMerge && frames.isEmpty }

    /// All of `job`.
    init(of job: SlurmJob) {
      frames = Array(0..<job.parts)
      if job.counting != nil { (counts, needsMerge) = (frames, true) }
    }

    /// What is missing or damaged of `job` in `folder`. Damaged files of counts are removed.
    init(of job: SlurmJob, in folder: String, _ status: SlurmStatus) throws {
      frames = status.unfinished
      guard job.counting != nil, let table = job.table, !frames.isEmpty else { return }
      guard (try? SequenceTables(reading: table)) == nil else { return }
      needsMerge = true
      for part in 0..<job.parts {
        let path = "\(folder)/counts/part-\(part).counts"
        let places = job.range(of: part, total: job.sequence)
        if (try? SequenceCounts.check(path, places)) == true { continue }
        try? FileManager.default.removeItem(atPath: path)
        counts.append(part)
      }
    }

    /// A line for each step.
    var text: String {
      var lines: [String] = []
      if !counts.isEmpty { lines.append("analyze --array=\(Self.list(counts))") }
      if needsMerge { lines.append("merge") }
      if !frames.isEmpty { lines.append("process --array=\(Self.list(frames))") }
      return lines.joined(separator: "\n")
    }

    /// Returns numbers in rising order as sbatch takes them: `0-3,7`.
    static func list(_ numbers: [Int]) -> String {
      var ranges: [ClosedRange<Int>] = []
      for number in numbers {
        if let last = ranges.last, last.upperBound + 1 == number {
          ranges[ranges.count - 1] = last.lowerBound...number
        } else {
          ranges.append(number...number)
        }
      }
      return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        .joined(separator: ",")
    }
  }

  /// The path of the tables that the job makes; nil if it makes none.
  var table: String? {
    guard let merging, merging.count > 1 else { return nil }
    return merging[1].hasPrefix("/") ? merging[1] : "\(directory)/\(merging[1])"
  }

  /// Submits what `remainder` names, each step after the one before has succeeded, and prints the numbers of the jobs.
  func submit(_ remainder: Remainder, from folder: String) async throws {
    var before: String?
    var numbers: [String] = []
    func submit(_ step: Step, _ parts: [Int]?) async throws {
      var options = ["--parsable"]
      if let parts { options.append("--array=\(Remainder.list(parts))") }
      if let before { options.append("--dependency=afterok:\(before)") }
      let lines = try await Self.output(of: ["sbatch"] + options + ["\(folder)/\(step.rawValue).sh"])
      guard let number = lines.last(where: { Int($0.prefix { $0 != ";" }) != nil })?.prefix(while: { $0 != ";" }) else {
        throw SafelightError(.environment, "sbatch", why: lines.last ?? "it names no job")
      }
      before = String(number)
      numbers.append("\(step.rawValue) \(number)")
      // Written at once, so that status knows a job whose next step could not be submitted.
      try Self.write((Self.numbers(in: folder) + [String(number)]).joined(separator: "\n"), to: "\(folder)/jobs.txt")
    }
    if !remainder.counts.isEmpty { try await submit(.analyze, remainder.counts) }
    if remainder.needsMerge { try await submit(.merge, nil) }
    if !remainder.frames.isEmpty { try await submit(.process, remainder.frames) }
    try deliver(
      "submitted \(numbers.joined(separator: ", ")); to follow it: safelight submit status \(folder.quotedForShell)\n")
  }

  /// The numbers of all jobs that were submitted from `folder`.
  static func numbers(in folder: String) -> [String] {
    guard let bytes = try? readFile("\(folder)/jobs.txt") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Runs a program of Slurm and returns its lines.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if it fails.
  static func output(of command: [String]) async throws -> [String] {
    let lines = LineCollector()
    let program = ChildProgram(command: command, environment: ProcessInfo.processInfo.environment)
    let ending = await program.run(until: StopRequest()) { lines.append($0) }
    if let fault = ending.fault {
      throw SafelightError(
        .environment, command[0], why: [fault, lines.last].compactMap { $0 }.joined(separator: ": "),
        remedy: "run this where the programs of Slurm work, as sinfo shows")
    }
    return lines.all
  }
}

extension String {
  /// The text as one word of a shell's command line.
  var quotedForShell: String {
    let isPlain = wholeMatch(of: /[A-Za-z0-9_.\/=:,+%@-]+/) != nil
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
