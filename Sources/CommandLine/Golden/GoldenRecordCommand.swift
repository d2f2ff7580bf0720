import ArgumentParser
import FoundationEssentials
import Safelight
import SafelightGolden

/// `safelight golden record`.
struct GoldenRecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Make pictures goldens that have none yet. Never overwrites one.",
    discussion: """
      Look at the pictures first: what is recorded is what will be taken for right. All or nothing is recorded. A picture of one colour is \
      refused, and with --again what a second run makes otherwise. On continuous integration (CI is set) nothing is recorded: a machine \
      that approves its own output proves nothing.

      Examples:
        safelight golden record goldens/ out/
        safelight golden record goldens/ out/ --again out2/ --tolerance 'max<=1' --made 'safelight process …'
      """)

  @Argument(help: "The folder of goldens; it is made where it is missing.")
  var goldens: String

  @Argument(help: "The folder of pictures.")
  var actual: String

  @Option(help: ArgumentHelp("What a second run made; pictures must be the same.", valueName: "folder"))
  var again: String?

  @Option(help: "How far pictures may be from the new goldens.")
  var tolerance: String?

  @Option(help: ArgumentHelp("Why the pictures are right, noted with them.", valueName: "text"))
  var reason: String?

  @OptionGroup var provenance: ProvenanceArguments

  func run() throws {
    try refuseOnContinuousIntegration()
    let tolerance = try tolerance.map { try Tolerance($0) } ?? .exact
    let candidates = try CandidateFolder(actual)
    let second = try again.map { try CandidateFolder($0) }
    if let again, isOneFile(again, actual) {
      throw SafelightError(
        .usage, "--again \(again)", why: "it is the same folder, which repeats itself",
        remedy: "run what makes the pictures once more, into another folder")
    }
    var change = try GoldenChange(of: goldens)
    let known = Set(change.before.names)
    let new = candidates.names.filter { !known.contains($0) }
    guard !new.isEmpty else {
      throw SafelightError(
        .missingInput, actual, why: "every picture in it has a golden, so there is nothing to record",
        remedy: "compare them: safelight golden verify \(goldens) \(actual)")
    }
    var refusals: [SafelightError] = []
    for name in new {
      do {
        try change.record(
          candidates.candidate(name), again: second?.candidate(name), tolerance: tolerance,
          provenance: provenance.provenance(reason: reason))
      } catch let error as SafelightError {
        refusals.append(error)
      }
    }
    if let first = refusals.first {
      for refusal in refusals { complain(refusal) }
      Console.line("safelight: nothing was recorded")
      throw first.exitCode
    }
    try change.commit()
    if again == nil && !new.isEmpty {
      Console.line("safelight: whether a second run makes the same pixels was not looked at; --again FOLDER does")
    }
    try deliver(new.map { "recorded  \($0)\n" }.joined() + "\(new.count) recorded, \(known.count) were there\n")
  }

  private func refuseOnContinuousIntegration() throws(SafelightError) {
    let value = ProcessInfo.processInfo.environment["CI"] ?? ""
    guard !["", "0", "false"].contains(value.lowercased()) else { return }
    throw SafelightError(
      .usage, "record", why: "CI is set (\(value)), and on continuous integration nothing is recorded",
      remedy: "record where somebody can look at the pictures, and commit them")
  }
}
