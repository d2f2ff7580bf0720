import ArgumentParser
import FoundationEssentials
import Safelight

struct SubmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Divide a run among the machines of a Slurm cluster, follow it, and finish what failed.",
    discussion: """
      The frames, the outputs and the folder of the job must be on a file system that all machines share, and this \
      program must have the same path on all of them.

        safelight submit slurm --parts 40 --time 30 -- process frames/ -o out/ --filter clahe
        safelight submit status safelight-job
        safelight submit retry safelight-job

      If equalize=table=FILE names a file that does not exist, the frames are counted and the tables are made first:

        safelight submit slurm --per shot -- process frames/ -o out/ --filter equalize=table=film.tables
      """,
    subcommands: [SubmitSlurmCommand.self, SubmitStatusCommand.self, SubmitRetryCommand.self])
}

/// A command that processes frames, and can be divided among machines.
protocol FrameCommand: ParsableCommand {
  /// The run that the command's arguments describe.
  var frameRun: FrameRun { get throws }
}

struct SubmitSlurmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slurm",
    abstract: "Submit a run as an array of tasks, each of which makes a part of the frames.",
    discussion: """
      Behind -- stands the run: process or equalize with its arguments. Before its time limit a task finishes the \
      frames in flight and asks to be queued again; it keeps the frames that are finished.
      """)

  @Option(
    name: .customLong("job"),
    help: ArgumentHelp("The job's folder, for scripts, logs, counts and reports.", valueName: "folder"),
    completion: .directory)
  var folder = "safelight-job"

  @Option(help: "The number of parts; a part should take minutes. (default: one for 250 frames, at most 1000)")
  var parts: Int?

  @Flag(help: "Ask for one GPU for each task (--gres=gpu:1).") var gpu = false
  @Option(help: "The CPUs of each task.") var cpus: Int?

  @Option(help: ArgumentHelp("The time limit of a task, as sbatch takes it: 30 is half an hour.", valueName: "limit"))
  var time: String?

  @Option(help: ArgumentHelp("Another option of sbatch, as in --sbatch=--partition=long.", valueName: "option"))
  var sbatch: [String] = []

  @Option(help: "For tables: what is counted, luma or each channel. (default: luma)") var channels: SequenceChannels?
  @OptionGroup(title: "Options of tables") var tables: TableArguments
  @Flag(help: "Print the scripts, and write and submit nothing.") var dryRun = false

  @Argument(parsing: .postTerminator, help: "The run: process or equalize and its arguments, behind --.")
  var command: [String] = []

  func validate() throws {
    if let parts, !(1...100_000).contains(parts) {
      throw ValidationError("--parts \(parts): write a number from 1 to 100000")
    }
    if let cpus, cpus < 1 { throw ValidationError("--cpus \(cpus): write a number from 1") }
    if let option = (sbatch + [time].compactMap { $0 }).first(where: { $0.contains(where: \.isNewline) }) {
      throw ValidationError("'\(option)': an option of sbatch is one line")
    }
  }

  func run() async throws {
    let run = try parsedRun()
    let calls = try run.checkedCalls()
    let missing = try missingTable(calls, of: run)
    // The tables that do not exist yet cannot be read.
    let others = missing == nil ? calls : Array(calls.dropFirst())
    let pictures = try run.pictures(others)
    try pictures.files.check()
    _ = try run.recipe(others)
    if missing != nil {
      do {
        _ = try run.recipe([calls[0]])
      } catch let error as SafelightError where error.kind == .missingInput {
        // Its file of tables does not exist yet; all else of the filter is checked.
      }
    }
    guard !pictures.work.isEmpty else {
      throw SafelightError(.missingInput, run.inputs.joined(separator: " "), why: "it has no frames")
    }
    let count = pictures.work.count
    let asked = run.run.askedExisting == nil ? ["--existing", "verify"] : []
    let options = [gpu ? "--gres=gpu:1" : nil, cpus.map { "--cpus-per-task=\($0)" }, time.map { "--time=\($0)" }]
    let job = SlurmJob(
      folder: try absoluteFolder(), program: try ownPath(), directory: FileManager.default.currentDirectoryPath,
      arguments: command.prefix(1) + asked + command.dropFirst(),
      tables: try missing.map { path in
        SlurmJob.Tables(counting: try counting(run), inputs: run.inputs, merging: tables.arguments, path: path)
      }, frames: count, sequence: pictures.sequence.count, sequenceHash: pictures.sequence.map(\.name).sequenceHash,
      parts: min(parts ?? min(1000, (count + 249) / 250), count),
      options: sbatch + options.compactMap { $0 })
    if dryRun {
      let scripts = job.steps.map { step in
        let words = ["sbatch"] + job.sbatchOptions(step) + ["\(step.rawValue).sh"]
        return "# \(words.map(\.quotedForShell).joined(separator: " "))\n" + job.script(step)
      }
      return try deliver(scripts.joined(separator: "\n"))
    }
    try job.write()
    do {
      try await job.submit(SlurmJob.Remainder(of: job, unfinished: Array(0..<job.parts)))
    } catch {
      // Of a job that Slurm did not take nothing is kept, so that the mended command can follow.
      if job.numbers.isEmpty { try? FileManager.default.removeItem(atPath: job.folder) }
      throw error
    }
  }

  /// The path of the job's folder from the root.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if something is there.
  private func absoluteFolder() throws -> String {
    let path = folder.hasPrefix("/") ? folder : "\(FileManager.default.currentDirectoryPath)/\(folder)"
    if fileExists("\(path)/\(SlurmJob.file)") {
      throw SafelightError(
        .usage, folder, why: "it holds a job already",
        remedy: "name another folder with --job, or go on with safelight submit retry \(folder.quotedForShell)")
    }
    if Folder.exists(path), try !FileManager.default.contentsOfDirectory(atPath: path).isEmpty {
      throw SafelightError(
        .usage, folder, why: "it is not empty, and a job has a folder of its own",
        remedy: "name another folder with --job")
    }
    return path
  }

  /// The run behind `--`, checked as if it were to begin here.
  private func parsedRun() throws -> FrameRun {
    guard !command.isEmpty else {
      throw SafelightError(
        .usage, "submit slurm", why: "no run is named",
        remedy: "write it behind --: safelight submit slurm -- process frames/ -o out/")
    }
    let parsed = try SafelightCommand.parseAsRoot(command)
    guard let parsed = parsed as? any FrameCommand else {
      throw SafelightError(
        .usage, command[0], why: "only a run over frames can be divided", remedy: "use process or equalize")
    }
    try MistakenArguments.refuseRepeated(command, of: type(of: parsed))
    let run = try parsed.frameRun
    let others = [
      ("--shard", run.run.shard != nil), ("--report", run.run.report != nil),
      ("--contact-sheet", run.run.contactSheet != nil), ("--watch", run.run.watch != nil),
      ("--dry-run", run.run.dryRun), ("--explain", run.run.explain),
    ]
    if let (name, _) = others.first(where: \.1) {
      throw SafelightError(
        .usage, name, why: "each task makes a part of the frames and writes a report of its own",
        remedy: "leave it out; safelight submit status writes a report of all parts")
    }
    guard run.run.existing == .skip || run.run.existing == .verify || run.run.askedExisting == nil else {
      throw SafelightError(
        .usage, "--existing \(run.run.existing.rawValue)", why: "a task that is queued again keeps what is finished",
        remedy: "use verify, the default here, or skip")
    }
    guard run.output != "-", try VideoTask(run.inputs, output: run.output, run.film) == nil else {
      throw SafelightError(
        .usage, run.output, why: "films, pictures that ffmpeg opens, and pipes are made by one process",
        remedy: "make pictures of a film first, and a film of the results at the end")
    }
    return run
  }

  /// The file of tables that must be made first; nil if there is none.
  private func missingTable(_ calls: [FilterCall], of run: FrameRun) throws -> String? {
    let paths = SequenceTables.paths(of: calls)
    let missing = paths.filter { !fileExists($0) }
    guard let path = missing.first else {
      if channels == nil && tables.arguments.isEmpty { return nil }
      throw SafelightError(
        .usage, "--per, --smooth, --cut and --channels", why: "they say how tables are made, and this run needs none",
        remedy: paths.isEmpty
          ? "leave them out, or use equalize=table=FILE" : "leave them out, or remove \(paths[0])")
    }
    guard Set(paths).count == 1, SequenceTables.paths(of: Array(calls.prefix(1))) == [path] else {
      throw SafelightError(
        .usage, path, why: "tables are made of the frames as they are, and another filter comes before",
        remedy: "put equalize=table=\(path) first and once, or make the tables beforehand")
    }
    return path
  }

  private func counting(_ run: FrameRun) throws -> [String] {
    var arguments = ["--channels", (channels ?? .luma).rawValue, "--max-pixels", "\(run.run.maxPixels)"]
    if run.run.recursive { arguments.append("--recursive") }
    // One of several devices is enough to count.
    let device = try run.device.selectors().map { "\($0.first ?? .hardware)" } ?? run.device.device
    if let device { arguments += ["--device", device] }
    if let platform = run.device.platform { arguments += ["--platform", platform] }
    return arguments
  }
}

struct SubmitRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Submit the parts of a job again that are not whole, divided as before.")

  @Argument(help: "The job's folder.", completion: .directory) var folder: String
  @Flag(help: "Print which parts would be submitted, and submit nothing.") var dryRun = false

  func run() async throws {
    let job = try SlurmJob(reading: folder)
    let status = await SlurmStatus(of: job)
    guard status.queued.isEmpty else {
      throw SafelightError(
        .usage, folder, why: "tasks of it are in the queue (job \(status.queued[0]))",
        remedy: "wait until they have ended, or cancel them with scancel")
    }
    if let fault = status.queueFault {
      throw SafelightError(
        .environment, folder, why: "tasks of it may be in the queue (\(fault))",
        remedy: "run this where squeue works")
    }
    let remainder = SlurmJob.Remainder(of: job, unfinished: status.unfinished)
    if remainder.steps.isEmpty { return Console.line("safelight: nothing to do: every part is whole") }
    if dryRun { return try deliver(remainder.text) }
    try await job.submit(remainder)
  }
}

struct SubmitStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Sum up the reports of a job's parts.",
    discussion: """
      Exits with 0 if all frames are finished, with 75 if tasks are still to come or another attempt may finish them, \
      else with the worst code of the tasks.
      """)

  @Argument(help: "The job's folder.", completion: .directory) var folder: String

  @Option(
    help: ArgumentHelp("Write one report of all parts, as process --report does.", valueName: "file.json"),
    completion: .file())
  var report: String?

  func validate() throws { try FileKind.json.check("--report", report) }

  func run() async throws {
    let job = try SlurmJob(reading: folder)
    if let report { try refuse(report, of: job) }
    let status = await SlurmStatus(of: job, keepsFrames: report != nil)
    if let report { try deliver(status.reports.json(status.summary, version: SafelightCommand.version), to: report) }
    if report == "-" { Console.line("safelight: \(status.text)") } else { try deliver(status.text + "\n") }
    if status.summary.code != 0 { throw ExitCode(status.summary.code) }
  }

  /// Refuses to replace the files of the job, and files that are no reports.
  private func refuse(_ report: String, of job: SlurmJob) throws {
    guard report != "-", fileExists(report) else { return }
    let isOfPart = (0..<job.parts).contains { isOneFile(report, "\(job.folder)/reports/part-\($0).json") }
    guard try isOfPart || !RunReport.isReport(report) else { return }
    throw SafelightError(
      .output, report, why: isOfPart ? "it is the report of a part" : "it is another file than a report",
      remedy: "name another file")
  }
}
