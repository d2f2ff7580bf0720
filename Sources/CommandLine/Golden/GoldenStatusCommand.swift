import ArgumentParser
import FoundationEssentials
import Safelight
import SafelightGolden

struct GoldenStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract:
      "List goldens that are damaged, missing, not fetched, unused, stale or loosely judged. Writes nothing.",
    discussion: """
      Looks at every file and every row. With the record of a run, which verify writes with --format json, it also \
      names the goldens that the run did not compare, and the tolerances that are wider than the run needed.

      Examples:
        safelight golden status goldens/
        safelight golden status goldens/ blur/soft 'tone/*'
        safelight golden verify goldens/ out/ --format json > run.json; safelight golden status goldens/ --run run.json

      Exit codes: 0 no fault · 3 a file or a row is missing · 65 a golden is damaged, or its tolerance passes \
      anything. Pointers of Git LFS, unused goldens, stale variants and wide tolerances are no faults.
      """)

  @Argument(help: "The folder of goldens.", completion: .directory) var goldens: String

  @Argument(
    help: "Look at these alone: blur/soft, soft.png or a quoted glob: 'blur/*'. (default: all)",
    completion: .file(extensions: ["png"]))
  var names: [String] = []

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The record of a run: what verify --format json wrote.", valueName: "file"), completion: .file())
  var record: String?

  @Option(help: "text or json.") var format: ListingFormat = .text

  func run() throws {
    let folder = try GoldenFolder(goldens)
    let names = names.isEmpty ? nil : try GoldenNames(folder.names, in: [goldens]).find(all: names)
    let run = try record.map(read)
    if let run, let record, !run.goldens.isEmpty, Set(folder.names).isDisjoint(with: run.goldens.map(\.name)) {
      throw SafelightError(
        .usage, record, why: "it names no golden of \(goldens), so it records a run of another folder",
        remedy: "name the record of a run of \(goldens)")
    }
    let findings = try folder.inspect(only: names, after: run)
    let asked = names ?? folder.names
    let notAsked = run.map { $0.only == nil ? 0 : Set(asked).subtracting($0.goldens.map(\.name)).count } ?? 0
    try deliver(
      format == .json
        ? json(["goldens": asked.count, "findings": findings] as JSONObject)
        : text(asked.count, findings, notAsked: notAsked))
    if findings.contains(where: { [.damaged, .blind].contains($0.kind) }) { throw ExitCode.badData }
    if findings.contains(where: \.kind.isFault) { throw ExitCode.missingFrame }
  }

  private func read(_ path: String) throws -> GoldenRun {
    do {
      return try JSONDecoder().decode(GoldenRun.self, from: Data(readFile(path, limit: 1 << 28)))
    } catch is DecodingError {
      throw SafelightError(
        .input, path, why: "it is not the record of a run",
        remedy: "write one: safelight golden verify … --format json")
    }
  }

  private func text(_ count: Int, _ findings: [GoldenFinding], notAsked: Int) -> String {
    let lines = findings.map { "\($0.kind.rawValue.padded(to: -11))  \($0.name): \($0.text)\n" }
    let counts = GoldenFinding.Kind.allCases.compactMap { kind in
      let count = findings.count { $0.kind == kind }
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    return lines.joined()
      + "\(count) goldens: \(counts.isEmpty ? "all sound" : counts.joined(separator: ", "))\n"
      + (notAsked > 0 ? "The run was not asked for \(notAsked) of them, and says nothing of these.\n" : "")
  }
}
