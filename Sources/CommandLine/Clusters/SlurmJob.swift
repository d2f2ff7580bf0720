import FoundationEssentials
import Safelight

/// A run that is divided among the tasks of a Slurm cluster, as its folder describes it.
///
/// The folder holds `job.json`, a script for each step, `logs/`, `counts/`, `reports/` and `codes/`. The scripts
/// state the number of parts: `SLURM_ARRAY_TASK_COUNT` is wrong if only some parts are submitted again.
struct SlurmJob: Codable {
  /// How tables are made that the run needs and that do not exist yet.
  struct Tables: Codable {
    /// The options of `analyze`.
    let counting: [String]
    let inputs: [String]
    /// The options of `merge`.
    let merging: [String]
    let path: String
  }

  /// The path of the job's folder, from the root.
  let folder: String
  let program: String
  /// The folder in which the run was submitted, to which its paths are relative.
  let directory: String
  /// The command that makes the frames, such as `process`, and its arguments.
  let arguments: [String]
  let tables: Tables?
  /// The number of frames to make.
  let frames: Int
  /// The number of frames of the sequence, which are counted, and the hash of their names.
  let sequence: Int
  let sequenceHash: String
  let parts: Int
  /// Further options of sbatch.
  let options: [String]

  /// The steps of a job, each of which waits for the one before.
  enum Step: String, CaseIterable {
    case analyze, merge, process
  }

  var steps: [Step] { tables == nil ? [.process] : Step.allCases }

  /// The path of the tables that the job makes; nil if it makes none.
  var table: String? { tables.map { $0.path.hasPrefix("/") ? $0.path : "\(directory)/\($0.path)" } }

  /// Returns the number of frames that `part` makes.
  func count(of part: Int) -> Int { Shard(index: part, count: parts).range(of: frames).count }
}

extension SlurmJob {
  /// The file in the folder of a job that describes it.
  static let file = "job.json"

  init(reading folder: String) throws {
    let path = "\(folder)/\(Self.file)"
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
  func write() throws {
    for name in ["logs", "counts", "reports", "codes"] { try Folder.make("\(folder)/\(name)") }
    for step in steps { try deliver(script(step), to: "\(folder)/\(step.rawValue).sh") }
    try deliver(json(self), to: "\(folder)/\(Self.file)")
  }

  func countsFile(_ part: Int) -> String { "\(folder)/counts/part-\(part).counts" }

  /// Returns true if the counts of `part` are there and whole.
  func hasCounts(of part: Int) -> Bool {
    (try? SequenceCounts.check(countsFile(part), Shard(index: part, count: parts).range(of: sequence))) == true
  }

  /// The path of the file in which a task of `step` leaves the code that it ended with.
  func codeFile(_ step: Step, _ part: Int? = nil) -> String {
    "\(folder)/codes/\(step.rawValue)\(part.map { "-\($0)" } ?? "")"
  }
}

// MARK: - Scripts

extension SlurmJob {
  func script(_ step: Step) -> String {
    let code = codeFile(step)
    let codeWord = words([step == .merge ? code : code + "-"]) + (step == .merge ? "" : "\"$SLURM_ARRAY_TASK_ID\"")
    let options =
      ["--job-name=safelight-\(step.rawValue)", "--open-mode=append", "--requeue", "--kill-on-invalid-dep=yes"]
      + (step == .process ? ["--signal=B:USR1@60"] : [])
    return """
      #!/bin/sh
      \(options.map { "#SBATCH \($0)" }.joined(separator: "\n"))
      cd \(words([directory])) || exit 66
      \(step == .process ? processing(codeWord) : "rm -f \(codeWord)\n\(command(step))\ncode=$?")
      echo "$code" >\(codeWord)
      exit "$code"

      """
  }

  /// Returns the shell lines that run the step of processing: they pass on Slurm's signal before the time limit, and
  /// requeue the job if it came.
  ///
  /// The other steps are not requeued: they keep nothing of what they began, and would begin anew each time.
  private func processing(_ code: String) -> String {
    """
    # What an earlier run left would stay if this one were killed.
    rm -f \(code) \(report)
    told= heard= child=
    # Slurm sends USR1 to this shell alone when the time is nearly over.
    trap 'told=yes heard=yes; [ -z "$child" ] || kill -USR1 "$child" 2>/dev/null' USR1
    # On scancel Slurm sends TERM to the child too, and what was canceled must not come back.
    trap 'told= heard=yes; trap "" USR1' TERM
    \(command(.process)) &
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
    # The last task of an array has the number of the whole array, by which all tasks would be queued again.
    case "$told$code" in
      yes75 | yes138) scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 ;;
    esac
    """
  }

  /// The command line of a step. Its own options come first, as the run's may end with `--` and inputs.
  private func command(_ step: Step) -> String {
    let shard = "--shard \"$SLURM_ARRAY_TASK_ID/\(parts)\""
    guard step != .process else {
      return words([program, arguments[0]]) + " \(shard) --sequence \(sequenceHash) --report \(report) "
        + words(Array(arguments.dropFirst()))
    }
    guard let tables else { return "" }
    return step == .merge
      ? words([program, "merge"] + tables.merging + ["-o", tables.path, "--", "\(folder)/counts"])
      : words([program, "analyze"] + tables.counting) + " \(shard) -o \(words(["\(folder)/counts/part-"]))"
        + "\"$SLURM_ARRAY_TASK_ID.counts\" " + words(["--"] + tables.inputs)
  }

  private var report: String { words(["\(folder)/reports/part-"]) + "\"$SLURM_ARRAY_TASK_ID.json\"" }

  private func words(_ list: [String]) -> String { list.map(\.quotedForShell).joined(separator: " ") }
}

extension SlurmJob {
  /// The steps of a job that are still to be done.
  struct Remainder {
    /// The steps in their order, each with its parts; merge has none.
    let steps: [(step: Step, parts: [Int]?)]

    /// Looks in the folder of `job` for tables and counts that are missing or damaged; the frames of `parts` are not
    /// done. Removes damaged files of counts.
    init(of job: SlurmJob, unfinished parts: [Int]) {
      let needsMerge = !parts.isEmpty && job.table.map { (try? SequenceTables(reading: $0)) == nil } ?? false
      let counts = needsMerge ? (0..<job.parts).filter { !job.hasCounts(of: $0) } : []
      for part in counts { try? FileManager.default.removeItem(atPath: job.countsFile(part)) }
      steps =
        (counts.isEmpty ? [] : [(.analyze, counts)]) + (needsMerge ? [(.merge, nil)] : [])
        + (parts.isEmpty ? [] : [(.process, parts)])
    }

    /// A line for each step.
    var text: String {
      steps.map { "\($0.step.rawValue)\($0.parts.map { " --array=\($0.asRanges)" } ?? "")\n" }.joined()
    }
  }
}

extension SlurmJob {
  /// Returns the options of sbatch for `step` that depend on the run; sbatch would split those in a script at spaces.
  func sbatchOptions(_ step: Step) -> [String] {
    let log = step == .merge ? "%j" : "%A_%a"
    let logs = "\(folder)/logs/".replacing("%", with: "%%")
    return ["--output=\(logs)\(step.rawValue)-\(log).txt"] + options
  }

  /// Submits what `remainder` names, each step after the one before has succeeded, and prints the numbers of the jobs.
  func submit(_ remainder: Remainder) async throws {
    var before: String?
    var told: [String] = []
    for (step, parts) in remainder.steps {
      var options = ["--parsable"] + sbatchOptions(step)
      if let parts { options.append("--array=\(parts.asRanges)") }
      if let before { options.append("--dependency=afterok:\(before)") }
      let lines = try await Self.output(of: ["sbatch"] + options + ["\(folder)/\(step.rawValue).sh"])
      guard let number = lines.last(where: { Int($0.prefix { $0 != ";" }) != nil })?.prefix(while: { $0 != ";" }) else {
        throw SafelightError(.environment, "sbatch", why: lines.last ?? "it names no job")
      }
      before = String(number)
      told.append("\(step.rawValue) \(number)")
      // Written at once, so that status knows of it if the next step cannot be submitted.
      try deliver((numbers + [String(number)]).joined(separator: "\n"), to: "\(folder)/jobs.txt")
    }
    try deliver(
      "submitted \(told.joined(separator: ", ")); to follow it: safelight submit status \(folder.quotedForShell)\n")
  }

  /// The numbers of all jobs of Slurm that were submitted for this one.
  var numbers: [String] {
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

extension [Int] {
  /// Numbers in rising order as sbatch takes them: `0-3,7`.
  var asRanges: String {
    var ranges: [ClosedRange<Int>] = []
    for number in self {
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

extension String {
  /// The text as one word of a shell's command line.
  ///
  /// An apostrophe with an accent is one character, and yet ends the word: scalars are looked at one by one.
  var quotedForShell: String {
    if wholeMatch(of: /[A-Za-z0-9_.\/=:,+%@-]+/) != nil { return self }
    var quoted = "'"
    for scalar in unicodeScalars { quoted += scalar == "'" ? "'\\''" : String(scalar) }
    return quoted + "'"
  }
}
